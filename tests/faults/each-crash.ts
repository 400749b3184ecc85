import type { TestSite } from './test-bed.ts'
import { type Crash, type OpenOptions, TestNode } from './test-node.ts'

/** The process that goes on where another one died. It outlives the cases: a process takes longer to start than a case to run. */
export class Survivor implements AsyncDisposable {
  #node = new TestNode()

  /** Opens it at a site for as long as the work takes. */
  async at<T>(site: TestSite, options: Partial<OpenOptions>, work: (node: TestNode) => Promise<T>): Promise<T> {
    try {
      await this.#node.call('open', site.openOptions(options))
      const result = await work(this.#node)
      await this.#node.call('close', { drainMs: 0 })
      return result
    } catch (error) {
      await this.#node.kill9()
      this.#node = new TestNode()
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#node.kill9()
  }
}

/** Runs differ by a write or two: one that was over before its crash is played again, so often. */
const TRIES = 3

/** Answers whether the crash happened. */
type Case = (crash: Crash, victim: TestNode, survivor: Survivor) => Promise<boolean>

/** Plays every crash, three at a time: most of each is waiting for a death to be noticed. Answers the share of those that happened. */
export async function eachCrash(crashes: readonly Crash[], play: Case): Promise<number> {
  const left = [...crashes]
  const failures: unknown[] = []
  let landed = 0
  const worker = async (): Promise<void> => {
    await using survivor = new Survivor()
    let next = new TestNode()
    const tried = async (crash: Crash): Promise<boolean> => {
      for (let count = 0; count < TRIES; count += 1) {
        const victim = next
        next = new TestNode()
        if (await play(crash, victim, survivor)) return true
      }
      return false
    }
    for (let crash = left.shift(); crash !== undefined; crash = left.shift()) {
      try {
        if (await tried(crash)) landed += 1
      } catch (error) {
        failures.push(new Error(`${crash.when} ${crash.op} ${crash.n}`, { cause: error }))
      }
    }
    await next.kill9()
  }
  await Promise.all([worker(), worker(), worker()])
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} of ${crashes.length} crashes`)
  return landed / crashes.length
}

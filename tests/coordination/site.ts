import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type CheckOptions, checkHistory, type Violation } from './check-history.ts'
import { FencedResource } from './fenced-resource.ts'
import { readStints, type Stint } from './history.ts'
import { type ProviderAt, Worker, type WorkerSettings } from './worker.ts'

let sites = 0

/** One lock, one resource behind it, and the workers of a test. */
export class Site implements AsyncDisposable {
  readonly provider: ProviderAt
  readonly resource: FencedResource
  readonly workers: Worker[] = []
  readonly #folder: string

  private constructor(provider: ProviderAt, resource: FencedResource) {
    this.provider = provider
    this.resource = resource
    this.#folder = mkdtempSync(join(tmpdir(), 'lockstep-locks-'))
    writeFileSync(this.logFile, '')
  }

  static async open(at: { kind: ProviderAt['kind']; url: string }, options: { checks?: boolean } = {}): Promise<Site> {
    sites += 1
    return new Site({ ...at, namespace: `site${sites}` }, await FencedResource.open(options))
  }

  get logFile(): string {
    return join(this.#folder, 'log.jsonl')
  }

  async worker(settings: Partial<WorkerSettings> = {}): Promise<Worker> {
    const worker = await Worker.open({
      provider: this.provider,
      worker: `w${this.workers.length}`,
      logFile: this.logFile,
      resourcePort: this.resource.port,
      ...settings,
    })
    this.workers.push(worker)
    return worker
  }

  /** Several workers that take the lock again and again. */
  async looping(count: number, settings: Partial<WorkerSettings> = {}): Promise<Worker[]> {
    const workers = await Promise.all(
      Array.from({ length: count }, (_, i) => this.worker({ worker: `loop${this.workers.length}-${i}`, ...settings })),
    )
    for (const worker of workers) await worker.call('loop')
    return workers
  }

  stints(worker?: Worker): Stint[] {
    const stints = readStints(readFileSync(this.logFile, 'utf8'))
    return worker === undefined ? stints : stints.filter((stint) => stint.worker === worker.name)
  }

  /** Every one of these gets the lock `count` more times from now on. */
  async progress(workers: readonly Worker[], count = 3, limitMs = 60_000): Promise<void> {
    const before = new Map(workers.map((worker) => [worker, this.stints(worker).length]))
    const deadline = performance.now() + limitMs
    const behind = (): Worker[] => workers.filter((each) => this.stints(each).length < before.get(each)! + count)
    for (let late = behind(); late.length > 0; late = behind()) {
      if (performance.now() > deadline)
        throw new Error(`${late.map((each) => each.name).join(', ')} did not get the lock any more`)
      await delay(20)
    }
  }

  violations(options: CheckOptions = {}): Violation[] {
    return checkHistory(this.stints(), this.resource.writes, options)
  }

  /** Errors that nobody caught, in any worker. */
  unhandled(): string[] {
    return this.workers.flatMap((worker) => worker.unhandled)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.kill9()))
    await this.resource[Symbol.asyncDispose]()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

import { get } from 'node:http'
import type { Clock, Timer } from '@lockstep/base'

const EVERY_MS = 500
const PATIENCE_MS = 1_000

/** Asks every node again and again whether it may be sent work. Silence is no. */
export class ReadyWatch {
  readonly #nodes: () => readonly string[]
  readonly #clock: Clock
  readonly #unready = new Set<string>()
  #timer: Timer | undefined
  #isClosed = false

  constructor(nodes: () => readonly string[], clock: Clock) {
    this.#nodes = nodes
    this.#clock = clock
  }

  isReady(node: string): boolean {
    return !this.#unready.has(node)
  }

  run(): void {
    if (this.#isClosed) return
    void Promise.all(this.#nodes().map((node) => this.#look(node))).then(() => {
      if (!this.#isClosed) this.#timer = this.#clock.schedule(EVERY_MS, () => this.run())
    })
  }

  close(): void {
    this.#isClosed = true
    this.#timer?.cancel()
  }

  async #look(node: string): Promise<void> {
    if (await answersReady(`${node}/health/ready`)) this.#unready.delete(node)
    else this.#unready.add(node)
  }
}

function answersReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const asking = get(url, { agent: false, timeout: PATIENCE_MS }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asking.once('timeout', () => asking.destroy())
    asking.once('error', () => resolve(false))
    asking.once('close', () => resolve(false))
  })
}

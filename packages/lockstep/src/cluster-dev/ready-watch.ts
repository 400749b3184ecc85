import { get } from 'node:http'
import type { Clock, Timer } from '@lockstep/base'

const EVERY_MS = 500
const PATIENCE_MS = 1_000

/** Asks every node again and again whether it may be sent work. Silence is no. */
export class ReadyWatch {
  readonly #nodes: () => readonly string[]
  readonly #clock: Clock
  readonly #onSilence: (node: string) => void
  readonly #unready = new Set<string>()
  #timer: Timer | undefined
  #isClosed = false

  /** `onSilence`: it took the question and did not answer, as one that is frozen. */
  constructor(nodes: () => readonly string[], clock: Clock, onSilence: (node: string) => void) {
    this.#nodes = nodes
    this.#clock = clock
    this.#onSilence = onSilence
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
    const answer = await askReady(`${node}/health/ready`)
    if (answer === 'ready') this.#unready.delete(node)
    else this.#unready.add(node)
    if (answer === 'silent') this.#onSilence(node)
  }
}

function askReady(url: string): Promise<'ready' | 'not-ready' | 'silent'> {
  return new Promise((resolve) => {
    const asking = get(url, { agent: false, timeout: PATIENCE_MS }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200 ? 'ready' : 'not-ready')
    })
    asking.once('timeout', () => {
      resolve('silent')
      asking.destroy()
    })
    asking.once('error', () => resolve('not-ready'))
    asking.once('close', () => resolve('not-ready'))
  })
}

/** Lets so many in at once; the others wait in the order they came. */
export class Gate {
  readonly #size: number
  readonly #waiting: (() => void)[] = []
  #inside = 0

  constructor(size: number) {
    this.#size = size
  }

  /** Whoever has given up by the time its turn comes does not begin. */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (this.#inside >= this.#size) await new Promise<void>((enter) => this.#waiting.push(enter))
    else this.#inside += 1
    try {
      signal.throwIfAborted()
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next === undefined) this.#inside -= 1
      else next()
    }
  }
}

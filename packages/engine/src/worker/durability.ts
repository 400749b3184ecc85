/** Counts what an instance has recorded and how much of it is durable, and wakes those who wait for the one to reach the other. */
export class Durability {
  #recordedCount = 0
  #durableCount = 0
  #waiting: { readonly upTo: number; resolve(): void }[] = []

  get recordedCount(): number {
    return this.#recordedCount
  }

  recorded(): void {
    this.#recordedCount += 1
  }

  /** Settles when all that was recorded so far is durable. */
  reached(): Promise<void> {
    if (this.#durableCount >= this.#recordedCount) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push({ upTo: this.#recordedCount, resolve }))
  }

  /** Everything up to this count is durable now. */
  reach(count: number): void {
    this.#durableCount = count
    while (this.#waiting.length > 0 && this.#waiting[0]!.upTo <= count) this.#waiting.shift()!.resolve()
  }

  /** Nothing more will be durable here: whoever waits waits for ever. */
  abandon(): void {
    this.#waiting = []
  }
}

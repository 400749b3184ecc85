import type { Passage } from './dialogue.ts'

/** Gathers what one chunk turned into. Neighbouring messages travel as one write, however many there are. */
export class Passages {
  readonly #done: Passage[] = []
  #gathered: Buffer[] = []
  #delayMs = 0

  pass(message: Buffer): void {
    this.#gathered.push(message)
  }

  /** What is passed from here on in this chunk travels `ms` later; the lane keeps what follows behind it. */
  delay(ms: number): void {
    this.#flush()
    this.#delayMs += ms
  }

  act(act: () => void): void {
    this.#flush()
    this.#done.push({ act })
  }

  list(): readonly Passage[] {
    this.#flush()
    return this.#done
  }

  #flush(): void {
    const [first] = this.#gathered
    if (first === undefined) return
    const bytes = this.#gathered.length === 1 ? first : Buffer.concat(this.#gathered)
    this.#done.push({ bytes, delayMs: this.#delayMs })
    this.#gathered = []
  }
}

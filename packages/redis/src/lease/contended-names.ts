import type { Clock } from '@lockstep/base'

const REMEMBERED_MS = 10_000
const MOST = 4_096

/**
 * Names that somebody waited for lately. They skip the fast path, which would only find that out again, one round trip later.
 * To forget one, or to remember too many, costs that round trip and nothing else.
 */
export class ContendedNames {
  readonly #clock: Clock
  readonly #until = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  has(name: string): boolean {
    if (this.#until.size === 0) return false
    const until = this.#until.get(name)
    if (until === undefined) return false
    if (until > this.#clock.monotonic()) return true
    this.#until.delete(name)
    return false
  }

  add(name: string): void {
    if (this.#until.size >= MOST) this.#until.clear()
    this.#until.set(name, this.#clock.monotonic() + REMEMBERED_MS)
  }
}

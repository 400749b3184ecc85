/**
 * Racing resumes of one bookmark are one question to the database: those of a process that come before it is asked go together, and a
 * short lease keeps other processes back meanwhile. The database decides as ever. Whoever the gate keeps back for too long asks it
 * nevertheless, so a lock store that lies, forgets or hangs can cost time and nothing else.
 */
import { type Clock, sleep } from '@lockstep/base'
import type { ResumeVerdict } from '../store/stimulus-store.ts'
import type { GateProvider } from './gate-provider.ts'

const LOOK_MS = 20
/** Two names that are alike so far keep each other back for a moment. */
const LONGEST_NAME = 400
/** How long somebody may be kept back. */
const PATIENCE_MS = 1_000

export class ResumeGate {
  readonly #gate: GateProvider
  readonly #clock: Clock
  /** By name: those that go together, as long as the database was not asked for them. */
  readonly #gathering = new Map<string, Promise<ResumeVerdict>>()

  constructor(gate: GateProvider, clock: Clock) {
    this.#gate = gate
    this.#clock = clock
  }

  /** `ask`: one question to the database. Of those that go together it is asked for the first. */
  async ask(name: string, ask: () => Promise<ResumeVerdict>): Promise<ResumeVerdict> {
    const first = this.#gathering.get(name)
    if (first === undefined) return this.#askFirst(name, ask)
    try {
      const verdict = await first
      // It was decided after we came, so we came second.
      return verdict.kind === 'resumed' ? { kind: 'already-resumed' } : verdict
    } catch {
      return this.ask(name, ask) // what befell the first need not befall us
    }
  }

  #askFirst(name: string, ask: () => Promise<ResumeVerdict>): Promise<ResumeVerdict> {
    const asked = this.#enter(name, () => {
      // Whoever comes from now on may have learned of something that the answer does not know.
      this.#gathering.delete(name)
      return ask()
    })
    this.#gathering.set(name, asked)
    asked.catch(() => {
      if (this.#gathering.get(name) === asked) this.#gathering.delete(name)
    })
    return asked
  }

  async #enter(name: string, ask: () => Promise<ResumeVerdict>): Promise<ResumeVerdict> {
    const until = this.#clock.monotonic() + PATIENCE_MS
    for (;;) {
      const pass = await this.#gate.tryEnter(`resume:${name}`.slice(0, LONGEST_NAME))
      if (pass === 'busy' && this.#clock.monotonic() < until) {
        await sleep(this.#clock, LOOK_MS)
        continue
      }
      try {
        return await ask()
      } finally {
        if (typeof pass === 'object') pass.leave()
      }
    }
  }
}

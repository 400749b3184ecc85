import type { Clock, Timer } from '@lockstep/base'

/** Code that began just before it was to be told hears of it after two of them: together less than a second. */
const LOOK_MS = 450

interface Running {
  /** Code of the user runs at this moment. */
  readonly runs: boolean
  suspectStimulus(): void
}

/**
 * Looks whether code that has been running for a while was sent anything. A cancel is told over the bus; where that is cut it would lie
 * until the next poll, and the code would run on for seconds. Nothing is asked for code that is quick.
 */
export class RunningCode {
  readonly #clock: Clock
  readonly #held: () => Iterable<Running>
  #ran: ReadonlySet<Running> = new Set()
  #timer: Timer | undefined
  #isStopped = false

  constructor(clock: Clock, held: () => Iterable<Running>) {
    this.#clock = clock
    this.#held = held
  }

  /** Called whenever code begins to run. */
  began(): void {
    if (this.#timer !== undefined || this.#isStopped) return
    this.#timer = this.#clock.schedule(LOOK_MS, () => this.#look())
  }

  stop(): void {
    this.#isStopped = true
    this.#timer?.cancel()
  }

  #look(): void {
    this.#timer = undefined
    const running = new Set<Running>()
    for (const held of this.#held()) if (held.runs) running.add(held)
    for (const held of running) if (this.#ran.has(held)) held.suspectStimulus()
    this.#ran = running
    if (running.size > 0) this.began()
  }
}

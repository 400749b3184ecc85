/**
 * Publishing: the event's row commits first (that is the acknowledgement), then those who wait are told, in batches. A bookmark
 * that was being written at the same moment may have been missed; the event is matched once more when none can be any more.
 */
import { type Clock, errorMessage, type Logger, type Timer } from '@lockstep/base'
import type { PublishedEvent, StimulusStore } from '../store/stimulus-store.ts'

export interface EventsOptions {
  readonly stimuli: StimulusStore
  readonly clock: Clock
  readonly logger: Logger
  /** Instances were given something to do. */
  readonly onMatched: () => void
}

const MATCH_BATCH = 500
const SETTLE_BATCH = 200
const SOON_MS = 5
const LATEST_MS = 1_000
/** How often events of processes that died between publishing and settling are looked for. */
const SWEEP_MS = 10_000

export class Events {
  readonly #o: EventsOptions
  #timer: Timer | undefined
  #delayMs = SOON_MS
  #settling = false
  #stopped = false

  constructor(options: EventsOptions) {
    this.#o = options
  }

  run(): void {
    this.#schedule(SOON_MS)
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /** Answers how many instances it reached at once. */
  async publish(event: PublishedEvent): Promise<number> {
    const matched = await this.#o.stimuli.publish(event, MATCH_BATCH)
    if (matched > 0) this.#o.onMatched()
    if (matched >= MATCH_BATCH) return matched + (await this.deliver(event.tenant, event.id))
    this.#settleSoon()
    return matched
  }

  /** For an event whose row is committed already. */
  async deliver(tenant: string, eventId: string): Promise<number> {
    let matched = 0
    for (;;) {
      const count = await this.#o.stimuli.match(tenant, eventId, MATCH_BATCH)
      matched += count
      if (count > 0) this.#o.onMatched()
      if (count < MATCH_BATCH) break
    }
    this.#settleSoon()
    return matched
  }

  #settleSoon(): void {
    this.#delayMs = SOON_MS
    this.#schedule(SOON_MS)
  }

  #schedule(delayMs: number): void {
    if (this.#stopped) return
    this.#timer?.cancel()
    this.#timer = this.#o.clock.schedule(delayMs, () => void this.#settle())
  }

  async #settle(): Promise<void> {
    if (this.#settling || this.#stopped) return
    this.#settling = true
    let open = 0
    try {
      const result = await this.#o.stimuli.settle(SETTLE_BATCH)
      open = result.open
      if (result.matched > 0) this.#o.onMatched()
    } catch (error) {
      this.#o.logger.warn('could not settle events', { reason: errorMessage(error) })
      open = 1
    } finally {
      this.#settling = false
    }
    this.#delayMs = open === 0 ? SOON_MS : Math.min(LATEST_MS, this.#delayMs * 2)
    this.#schedule(open === 0 ? SWEEP_MS : this.#delayMs)
  }
}

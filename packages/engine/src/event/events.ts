/**
 * Publishing: the event's row commits first (that is the acknowledgement), then those who wait are told, in batches. A bookmark
 * that was being written at the same moment may have been missed; the event is matched once more when none can be any more. Workflows that the
 * event starts are started after its commit too, by whoever published it, or by whoever finds that nobody has.
 */
import { type Clock, errorMessage, type Logger, type Timer, Trouble } from '@lockstep/base'
import type { PublishedEvent, StimulusStore } from '../store/stimulus-store.ts'
import type { EventTriggers } from '../trigger/event-triggers.ts'
import type { Worker } from '../worker/worker.ts'

export interface EventsOptions {
  readonly stimuli: StimulusStore
  readonly clock: Clock
  readonly logger: Logger
  /** Instances were given something to do. */
  readonly onMatched: () => void
  readonly pollMs: number
  /** Where it may, the write claims what it makes due, for this node. */
  readonly ride: Worker['ride']
  readonly triggers: () => Pick<EventTriggers, 'fire' | 'recover'>
}

const MATCH_BATCH = 500
const SETTLE_BATCH = 200
/** Not at once: what is published meanwhile is settled with it, and who waits in the common case was told by the publisher already. */
const SOON_MS = 20
const LATEST_MS = 1_000
/** At most how often events of processes that died between publishing and settling are looked for. */
const SWEEP_MS = 30_000

export class Events {
  readonly #o: EventsOptions
  #timer: Timer | undefined
  #dueAt = Number.POSITIVE_INFINITY
  #delayMs = SOON_MS
  #settling = false
  #stopped = false

  readonly #trouble: Trouble

  constructor(options: EventsOptions) {
    this.#o = options
    this.#trouble = new Trouble(options.logger, 'could not settle events', 'events are settled again')
  }

  run(): void {
    this.#schedule(SOON_MS)
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.cancel()
  }

  /** Answers how many instances it reached and started at once. */
  async publish(event: PublishedEvent): Promise<{ readonly matched: number; readonly started: number }> {
    const { matched, starts, claims } = await this.#o.ride(
      (taker) => this.#o.stimuli.publish(event, MATCH_BATCH, taker),
      (answer) => answer.claims,
    )
    if (matched > (claims?.length ?? 0)) this.#o.onMatched()
    const more = matched >= MATCH_BATCH ? await this.#match(event.tenant, event.id) : 0
    const started = starts ? await this.#trigger(event.id) : 0
    this.#settleSoon()
    return { matched: matched + more, started }
  }

  /** For an event whose row is committed already. */
  async deliver(tenant: string, eventId: string): Promise<number> {
    const matched = await this.#match(tenant, eventId)
    await this.#trigger(eventId)
    this.#settleSoon()
    return matched
  }

  /** The event is acknowledged already: what cannot be started now is started by a later look. */
  async #trigger(eventId: string): Promise<number> {
    try {
      return await this.#o.triggers().fire([eventId])
    } catch (error) {
      this.#o.logger.warn('an event has not started its workflows yet', { eventId, reason: errorMessage(error) })
      return 0
    }
  }

  async #match(tenant: string, eventId: string): Promise<number> {
    let matched = 0
    for (;;) {
      const count = await this.#o.stimuli.match(tenant, eventId, MATCH_BATCH)
      matched += count
      if (count > 0) this.#o.onMatched()
      if (count < MATCH_BATCH) return matched
    }
  }

  #settleSoon(): void {
    this.#delayMs = SOON_MS
    this.#schedule(SOON_MS)
  }

  /** Never later than it was to be: a stream of events would put it off for ever. */
  #schedule(delayMs: number): void {
    const dueAt = this.#o.clock.monotonic() + delayMs
    if (this.#stopped || dueAt >= this.#dueAt) return
    this.#timer?.cancel()
    this.#dueAt = dueAt
    this.#timer = this.#o.clock.schedule(delayMs, () => {
      this.#dueAt = Number.POSITIVE_INFINITY
      if (this.#settling) this.#settleSoon()
      else void this.#settle()
    })
  }

  async #settle(): Promise<void> {
    if (this.#stopped) return
    this.#settling = true
    let open = 0
    try {
      const result = await this.#o.stimuli.settle(SETTLE_BATCH)
      open = result.open
      if (result.matched > 0) this.#o.onMatched()
      if (open > 0) await this.#o.triggers().recover()
      this.#trouble.over()
    } catch (error) {
      this.#trouble.failed(error)
      open = 1
    } finally {
      this.#settling = false
    }
    this.#delayMs = open === 0 ? SOON_MS : Math.min(LATEST_MS, this.#delayMs * 2)
    this.#schedule(open === 0 ? Math.max(SWEEP_MS, this.#o.pollMs) : this.#delayMs)
  }
}

/** What comes to instances from outside: a resume, an event, a cancel. Each answer comes after the decision is durable. */
import type { Clock, Logger } from '@lockstep/base'
import { BookmarkAmbiguous } from '../definition/errors.ts'
import { openGate } from '../gate/gate-provider.ts'
import { ResumeGate } from '../gate/resume-gate.ts'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import { toPayload } from '../step/payload.ts'
import type { ResumeVerdict, StimulusStore } from '../store/stimulus-store.ts'
import type { InstanceTraces } from '../trace/instance-traces.ts'
import { cancelMessage } from '../verb/cancel-message.ts'
import type { CancelOptions } from '../worker/graph/graph-outside.ts'
import type { Worker } from '../worker/worker.ts'
import type { Events } from './events.ts'
import { ResumeLooks } from './resume-looks.ts'

/** Pauses between looks at an instance that another node runs: they double. */
const FIRST_LOOK_MS = 20
const LAST_LOOK_MS = 250

export interface ResumeRequest {
  readonly tenant?: string
  readonly instanceId: string
  readonly bookmark?: string
  readonly payload?: unknown
  /** Around the time that it waits for its bookmark. */
  readonly rest?: <T>(wait: () => Promise<T>) => Promise<T>
}

export type ResumeOutcome = 'resumed' | 'already-resumed' | 'in-progress' | 'expired' | 'not-found'

export interface PublishRequest {
  readonly tenant?: string
  readonly name: string
  readonly correlationId?: string
  readonly payload?: unknown
  readonly ttlMs?: number
}

export interface PublishedTo {
  readonly id: string
  readonly matched: number
  /** Instances that it has started. */
  readonly started: number
  /** Whether it waits for a bookmark that opens later. */
  readonly kept: boolean
}

export interface StimuliOptions {
  readonly store: StimulusStore
  readonly clock: Clock
  readonly logger: Logger
  readonly newId: () => string
  readonly events: Events
  readonly gate: ResumeGate | undefined
  readonly traces?: InstanceTraces | undefined
  readonly worker: () => Worker
  readonly resumeWaitMs: number
  readonly eventTtlMs: number
  /** What was known of this instance is behind. */
  readonly onResumed: (instanceId: string) => void
  /** A message lies in the inbox of this instance. */
  readonly onSent: (instanceId: string) => void
}

export class Stimuli {
  readonly #o: StimuliOptions
  readonly #looks: ResumeLooks
  /** Those who look again do so together, with one question of all of them. */
  readonly #again: ResumeGate

  constructor(options: StimuliOptions) {
    this.#o = options
    this.#looks = new ResumeLooks(options.clock)
    this.#again = options.gate ?? new ResumeGate(openGate, options.clock)
  }

  /** This node has opened bookmarks of the instance, or has it no more: whoever waits to resume it may ask again. */
  moved(instanceId: string): void {
    this.#looks.moved(instanceId)
  }

  /** One that arrives before its bookmark waits for it a short time. */
  resume(request: ResumeRequest): Promise<ResumeOutcome> {
    const { traces } = this.#o
    if (traces === undefined) return this.#resume(request)
    return traces.resuming(request.tenant ?? DEFAULT_TENANT, request.instanceId, () => this.#resume(request))
  }

  async #resume(request: ResumeRequest): Promise<ResumeOutcome> {
    const { tenant = DEFAULT_TENANT, instanceId, bookmark, rest = (wait) => wait() } = request
    const { store, gate, resumeWaitMs, onResumed, onSent } = this.#o
    const payload = JSON.stringify(toPayload(request.payload ?? null, 'The payload'))
    const ask = (): Promise<ResumeVerdict> =>
      this.#o.worker().ride<ResumeVerdict>(
        (taker) => store.resume({ tenant, instanceId, bookmark, payload }, taker),
        (answer) => (answer.kind === 'resumed' ? answer.claims : undefined),
      )
    const name = `${tenant}:${instanceId}:${bookmark ?? ''}`
    let verdict = await (gate?.ask(name, ask) ?? ask())
    if (verdict.kind === 'in-progress' && resumeWaitMs > 0)
      verdict = await rest(() => this.#lookAgain(instanceId, name, ask))
    if (verdict.kind === 'ambiguous') throw new BookmarkAmbiguous({ instanceId, names: verdict.names })
    if (verdict.kind === 'resumed') {
      onResumed(instanceId)
      // What it has taken already needs nobody to be woken.
      if (!verdict.claims?.length) onSent(instanceId)
    }
    this.#tell(verdict.kind, instanceId, bookmark)
    return verdict.kind
  }

  /** Until its bookmark is there, or the time is over. */
  async #lookAgain(instanceId: string, name: string, ask: () => Promise<ResumeVerdict>): Promise<ResumeVerdict> {
    const { clock, resumeWaitMs } = this.#o
    const deadline = clock.monotonic() + resumeWaitMs
    for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(2 * pauseMs, LAST_LOOK_MS)) {
      await this.#looks.next(instanceId, pauseMs)
      const verdict = await this.#again.ask(name, ask)
      if (verdict.kind !== 'in-progress' || clock.monotonic() >= deadline) return verdict
    }
  }

  /** In a cluster several may want the same: that all but one are told so is as it should be. */
  #tell(outcome: ResumeOutcome, instanceId: string, bookmark: string | undefined): void {
    if (outcome !== 'in-progress' && outcome !== 'already-resumed') return
    const code = outcome === 'in-progress' ? 'RESUME_IN_PROGRESS' : 'ALREADY_RESUMED'
    this.#o.logger.info('resume already in progress', { code, instanceId, bookmark })
  }

  /** Settles when the event is durable and those who wait for it now were told. */
  async publish(request: PublishRequest): Promise<PublishedTo> {
    const { tenant = DEFAULT_TENANT, name, correlationId, ttlMs = this.#o.eventTtlMs } = request
    checkText(name, 'name')
    checkText(correlationId, 'correlationId')
    const id = this.#o.newId()
    const payload = JSON.stringify(toPayload(request.payload ?? null, 'The payload'))
    const { matched, started } = await this.#o.events.publish({ tenant, id, name, correlationId, payload, ttlMs })
    return { id, matched, started, kept: matched === 0 }
  }

  /** `false`: unknown, or ended already. */
  async cancel(instanceId: string, options: { readonly tenant?: string } & CancelOptions = {}): Promise<boolean> {
    const { tenant = DEFAULT_TENANT, ...how } = options
    const sent = await this.#o.store.send({ tenant, instanceId, ...cancelMessage(how) })
    if (sent) this.#o.onSent(instanceId)
    return sent
  }
}

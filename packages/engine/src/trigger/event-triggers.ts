/**
 * Starts the graphs that an event starts. The event is durable first, and stays open in the store until somebody has reported that all of it was
 * started: a node that dies between leaves it to the next that looks. The id of the event is the dedupe key, so nobody starts it twice.
 */
import { errorCode, errorMessage, groupBy, isRetryable, type Json, type Logger } from '@lockstep/base'
import { compileExpression, evaluateExpression } from '../expression/expression.ts'
import type { Sandbox } from '../expression/sandbox.ts'
import type { StartedInstance, StartRequest } from '../start/start-request.ts'
import type { PendingStart, TriggerStore } from '../store/trigger-store.ts'

export interface EventTriggersOptions {
  readonly triggers: TriggerStore
  readonly sandbox: Sandbox
  readonly logger: Logger
  readonly start: (request: StartRequest) => Promise<StartedInstance>
}

/** How long a publisher has for itself before others look after its events. */
const GRACE_MS = 2_000
const BATCH = 100

export class EventTriggers {
  readonly #o: EventTriggersOptions

  constructor(options: EventTriggersOptions) {
    this.#o = options
  }

  /** For events whose rows are committed. Answers how many instances they have started. */
  async fire(eventIds: readonly string[]): Promise<number> {
    return this.#start(await this.#o.triggers.pendingStarts(eventIds, 0, eventIds.length))
  }

  /** For events that somebody else left behind. */
  async recover(): Promise<number> {
    return this.#start(await this.#o.triggers.pendingStarts(undefined, GRACE_MS, BATCH))
  }

  async #start(pending: readonly PendingStart[]): Promise<number> {
    if (pending.length === 0) return 0
    const over: string[] = []
    let started = 0
    for (const [eventId, starts] of groupBy(pending, (each) => each.eventId)) {
      const byDefinition = [...groupBy(starts, (each) => each.definitionId).values()]
      const verdicts = await Promise.all(byDefinition.map((each) => this.#startFirst(each)))
      started += verdicts.filter((verdict) => verdict === 'started').length
      if (!verdicts.includes('later')) over.push(eventId)
    }
    if (over.length > 0) await this.#o.triggers.started(over)
    return started
  }

  /** One instance per definition, by the first of its triggers that fits. */
  async #startFirst(triggers: readonly PendingStart[]): Promise<'started' | 'none' | 'later'> {
    for (const trigger of triggers) {
      const { tenant, definitionId, version, activity, eventId, correlationId, payload } = trigger
      if (!(await this.#fits(trigger))) continue
      try {
        await this.#o.start({
          ...{ tenant, definitionId, version, trigger: activity, input: payload, dedupeKey: `event:${eventId}` },
          ...(correlationId === undefined ? {} : { correlationId }),
        })
        return 'started'
      } catch (error) {
        const fields = { definitionId, eventId, code: errorCode(error), reason: errorMessage(error) }
        if (isHopeless(error)) {
          this.#o.logger.warn('an event did not start a workflow', fields)
          return 'none'
        }
        this.#o.logger.warn('an event has not started a workflow yet', fields)
        return 'later'
      }
    }
    return 'none'
  }

  async #fits({ filter, payload, correlationId, definitionId, activity }: PendingStart): Promise<boolean> {
    if (filter === undefined) return true
    try {
      const scope = { input: payload as Json, vars: {}, steps: {}, correlationId: correlationId ?? null }
      return Boolean(await evaluateExpression(compileExpression(filter), scope, this.#o.sandbox))
    } catch (error) {
      const reason = errorMessage(error)
      this.#o.logger.warn('the filter of an event trigger failed', { definitionId, activity, reason })
      return false
    }
  }
}

/** Of the store: whether the start is there is open. */
const OPEN = new Set(['FENCED', 'COMMIT_UNKNOWN', 'START_UNCLEAR', 'DATABASE_REFUSED'])

/** Trying again would end in the same way. */
function isHopeless(error: unknown): boolean {
  const code = errorCode(error)
  return code !== undefined && !isRetryable(error) && !OPEN.has(code)
}

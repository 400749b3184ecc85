/**
 * What operators do with instances. Each verb is a message or a start: it is durable when it is answered, and whoever has the instance does
 * it next, between two commits. Answers are values; only bad input is an error.
 */
import { isUuid } from '@lockstep/base'
import { GRAPH_QUEUE } from '../start/start-planner.ts'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import type { CancelOptions } from '../worker/graph/graph-outside.ts'
import { cancelMessage } from './cancel-message.ts'
import { checkVariables } from './check-variables.ts'
import { type ForkOptions, forkInstance } from './fork.ts'
import {
  checkMigration,
  forecastMigration,
  type MigrateOptions,
  type MigrationCheck,
  type MigrationForecast,
  type MigrationPlan,
  migrateInstance,
} from './migrate.ts'
import { type RetryOptions, retryInstance } from './retry.ts'
import type { VerbContext, VerbOptions } from './verb-context.ts'
import {
  type ForkOutcome,
  type MigrateOutcome,
  outcomeOf,
  type RetryOutcome,
  type VerbOutcome,
} from './verb-outcome.ts'

export interface TerminateOptions extends VerbOptions {
  readonly reason?: string
  /** Its children too, and theirs. @default false */
  readonly children?: boolean
}

export interface PauseOptions extends VerbOptions {
  readonly reason?: string
}

export class Verbs {
  readonly #context: VerbContext

  constructor(context: VerbContext) {
    this.#context = context
  }

  /** Ends it at once. Nothing is undone; code that runs is told to stop, and not waited for. */
  terminate(instanceId: string, options: TerminateOptions = {}): Promise<VerbOutcome> {
    const { reason, children } = options
    checkText(reason, 'reason')
    // Any node can do that, also one that has no code for it.
    return this.#send(instanceId, options, 'terminate', JSON.stringify({ reason, children }), 'terminate', GRAPH_QUEUE)
  }

  /** As `engine.cancel`: what it did is undone first, unless told otherwise. Says what became of the request, for bulk operations above all. */
  cancel(instanceId: string, options: CancelOptions & VerbOptions = {}): Promise<VerbOutcome> {
    const { kind, payload, dedupeKey } = cancelMessage(options)
    return this.#send(instanceId, options, kind, payload, dedupeKey)
  }

  /** Nothing new starts until it is continued. What runs may finish; what falls due, and what it is sent, waits. */
  pause(instanceId: string, options: PauseOptions = {}): Promise<VerbOutcome> {
    checkText(options.reason, 'reason')
    return this.#send(instanceId, options, 'pause', JSON.stringify({ reason: options.reason }), undefined)
  }

  continue(instanceId: string, options: VerbOptions = {}): Promise<VerbOutcome> {
    return this.#send(instanceId, options, 'continue', '{}', undefined)
  }

  /** Gives variables of a graph other values, while it runs or rests. */
  async setVariables(
    instanceId: string,
    variables: Readonly<Record<string, unknown>>,
    options: VerbOptions = {},
  ): Promise<VerbOutcome> {
    const { tenant = DEFAULT_TENANT } = options
    const view = isUuid(instanceId) ? await this.#context.store.instances.get(tenant, instanceId) : undefined
    if (view === undefined) return { outcome: 'not-found' }
    const values = await checkVariables(this.#context, view, variables)
    return this.#send(instanceId, options, 'assign', JSON.stringify({ variables: values }), undefined)
  }

  /** Sends what has faulted, was put aside, or waits at an incident back to work. */
  retry(instanceId: string, options: RetryOptions = {}): Promise<RetryOutcome> {
    return retryInstance(this.#context, instanceId, options)
  }

  /** Begins a new instance as a copy of this one, as it was after one of its facts. */
  fork(instanceId: string, options: ForkOptions = {}): Promise<ForkOutcome> {
    return forkInstance(this.#context, instanceId, options)
  }

  /** Lets it go on as another version of its definition, once nothing of it runs. */
  migrate(instanceId: string, options: MigrateOptions): Promise<MigrateOutcome> {
    return migrateInstance(this.#context, instanceId, options)
  }

  /** Whether it could go on as that version, as it stands now. Changes nothing. */
  canMigrate(instanceId: string, options: MigrateOptions): Promise<MigrationCheck> {
    return checkMigration(this.#context, instanceId, options)
  }

  /** What a migration of all instances of a version would come to. Changes nothing. */
  forecastMigration(plan: MigrationPlan): Promise<MigrationForecast> {
    return forecastMigration(this.#context, plan)
  }

  async #send(
    instanceId: string,
    { tenant = DEFAULT_TENANT, operationId }: VerbOptions,
    kind: string,
    /** JSON text. */
    payload: string,
    dedupeKey: string | undefined,
    queue?: string,
  ): Promise<VerbOutcome> {
    if (!isUuid(instanceId)) return { outcome: 'not-found' }
    const { store, onSent } = this.#context
    const verdict = await store.verbs.send({ tenant, instanceId, kind, payload, dedupeKey, queue, operationId })
    if (verdict.kind === 'accepted') onSent(instanceId)
    return outcomeOf(verdict) as VerbOutcome
  }
}

/** How long ended instances stay, what is held back, and the sweep that deletes the others: by one node at a time. */
import { type Clock, errorMessage, InvalidOption, isUuid, type Logger, type Timer } from '@lockstep/base'
import { type MaintenanceLocks, runAlone } from '../maintenance/run-alone.ts'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { KeptAs, RetentionRule, RuleName } from '../store/maintenance-store.ts'
import type { Archive } from './archive.ts'
import { type DeleteOptions, type DeleteOutcome, deleteInstance } from './delete-instance.ts'
import { type Keep, keepMs, type ResolvedRetention, requireKeptAs } from './retention-options.ts'
import { RETENTION, type SweepReport, sweep, TURN_MS } from './sweep.ts'

/** What a rule is about: a definition, or everything of the tenant. */
export interface RuleScope {
  readonly tenant?: string
  readonly definitionId?: string
  readonly status: KeptAs
}

/** What a hold is about: one instance, a definition, or everything of the tenant. */
export interface HoldScope {
  readonly tenant?: string
  readonly definitionId?: string
  readonly instanceId?: string
}

export interface RetentionContext {
  readonly store: EngineStore
  /** A sweep is shown to others by its lock, and skipped while another process has that. */
  readonly locks?: MaintenanceLocks | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly options: ResolvedRetention
  /** The incarnation of the node that is alive now. */
  readonly nodeId: () => string
  readonly isPressed: () => boolean
  readonly pollMs: number
}

const FIRST_LOOK_MS = 60_000
/** How often a node asks whether it is time: the store knows when the last sweep of the cluster was. */
const LOOK_MS = 5 * 60_000
/** What failed is tried again sooner than the next sweep would come. */
const AFTER_FAILURE_MS = 5 * 60_000

export class Retention {
  readonly #o: RetentionContext
  readonly #stopping = new AbortController()
  #timer: Timer | undefined
  #sweeping: Promise<SweepReport | undefined> | undefined

  constructor(context: RetentionContext) {
    const { archive, ...options } = context.options
    this.#o = { ...context, options: { ...options, archive: archive && oneAtATime(archive) } }
  }

  /** Keeps what ended in this way for so long, from its end on. Holds for what has ended already as well. */
  keep(scope: RuleScope, keep: Keep): Promise<void> {
    return this.#o.store.maintenance.saveRule(ruleName(scope), { keepMs: keepMs(keep), reason: undefined })
  }

  /** Takes the rule away: the wider one holds again. */
  forget(scope: RuleScope): Promise<void> {
    return this.#o.store.maintenance.saveRule(ruleName(scope), undefined)
  }

  /** Nothing of this is deleted until it is released. */
  hold(scope: HoldScope, reason: string): Promise<void> {
    checkText(reason, 'reason')
    return this.#o.store.maintenance.saveRule(holdName(scope), { keepMs: undefined, reason })
  }

  release(scope: HoldScope): Promise<void> {
    return this.#o.store.maintenance.saveRule(holdName(scope), undefined)
  }

  /** Rules and holds of a tenant, a page at a time. */
  rules(tenant: string = DEFAULT_TENANT, after?: RuleName, limit = 1_000): Promise<readonly RetentionRule[]> {
    return this.#o.store.maintenance.rules(tenant, after, limit)
  }

  /** Sweeps now. `undefined`: another node is at it. */
  sweep(): Promise<SweepReport | undefined> {
    return this.#sweepOnce(true)
  }

  /** Deletes one ended instance before its time. Holds are honoured, and the archive has it first. */
  delete(instanceId: string, options: Partial<DeleteOptions> = {}): Promise<DeleteOutcome> {
    const { store, options: resolved } = this.#o
    return deleteInstance({ store, archive: resolved.archive }, instanceId, { tenant: DEFAULT_TENANT, ...options })
  }

  run(): void {
    if (this.#o.options.sweep) this.#schedule(Math.min(FIRST_LOOK_MS, this.#o.options.everyMs))
  }

  /** Settles when a sweep that is under way has ended: the batch at hand is finished or not begun. */
  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the node is stopping'))
    this.#timer?.cancel()
    await this.#sweeping?.catch(() => undefined)
  }

  #schedule(delayMs: number): void {
    if (this.#stopping.signal.aborted) return
    this.#timer = this.#o.clock.schedule(delayMs, () => {
      void this.#sweepOnce(false)
        .catch((error: unknown) => this.#o.logger.warn('could not sweep', { reason: errorMessage(error) }))
        .finally(() => this.#schedule(Math.min(Math.max(LOOK_MS, this.#o.pollMs), this.#o.options.everyMs)))
    })
  }

  #sweepOnce(early: boolean): Promise<SweepReport | undefined> {
    this.#sweeping ??= this.#sweep(early).finally(() => {
      this.#sweeping = undefined
    })
    return this.#sweeping
  }

  async #sweep(early: boolean): Promise<SweepReport | undefined> {
    const { store, logger, options } = this.#o
    const nodeId = this.#o.nodeId()
    if (!(await store.maintenance.takeTurn(RETENTION, nodeId, TURN_MS, early))) return undefined
    let nextInMs = Math.min(AFTER_FAILURE_MS, options.everyMs)
    try {
      const alone = await runAlone(this.#o.locks, RETENTION, this.#stopping.signal, (signal) =>
        sweep({ ...this.#o, nodeId, signal }),
      )
      if (!alone.ran) return undefined
      const report = alone.value
      if (report.ended === 'done') nextInMs = options.everyMs
      if (report.ended === 'archive')
        logger.error('the archive failed, nothing of its batch was deleted', { reason: report.error })
      else logger.info('swept', { ...report })
      return report
    } finally {
      await store.maintenance.endTurn(RETENTION, nodeId, nextInMs)
    }
  }
}

/** A sweep and operators may delete side by side: an archive has one batch at a time to write. */
function oneAtATime(archive: Archive): Archive {
  let last: Promise<unknown> = Promise.resolve()
  return (lines) => {
    const turn = last.then(() => archive(lines))
    last = turn.catch(() => undefined)
    return turn
  }
}

function ruleName({ tenant = DEFAULT_TENANT, definitionId, status }: RuleScope): RuleName {
  checkText(definitionId, 'definitionId')
  return {
    tenant,
    subject: definitionId === undefined ? '*' : `definition:${definitionId}`,
    aspect: requireKeptAs(status),
  }
}

function holdName({ tenant = DEFAULT_TENANT, definitionId, instanceId }: HoldScope): RuleName {
  checkText(definitionId, 'definitionId')
  if (definitionId !== undefined && instanceId !== undefined)
    throw new InvalidOption({ option: 'hold', rule: 'of a definition or of an instance, not both' })
  if (instanceId !== undefined && !isUuid(instanceId))
    throw new InvalidOption({ option: 'instanceId', rule: 'a uuid', value: instanceId })
  const definition = definitionId === undefined ? '*' : `definition:${definitionId}`
  return { tenant, subject: instanceId === undefined ? definition : `instance:${instanceId}`, aspect: 'hold' }
}

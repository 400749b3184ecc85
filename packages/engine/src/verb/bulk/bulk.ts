/**
 * One verb for many instances. The filter is frozen first: the instances that fit are listed in the store, and only those are worked off, so
 * that nothing which begins meanwhile is drawn in. Any node goes on with it, one at a time; the outcome of an item is written in the
 * transaction that does it, so that a crash repeats nothing.
 *
 * Whoever begins, buries another node or hears that one left work behind looks at once; where the turn is another's, again until that of a dead
 * node must be over. Beyond that everybody looks now and then.
 */
import { type Clock, errorMessage, isRetryable, isUuid, type Logger, type Timer } from '@lockstep/base'
import { DEFAULT_TENANT } from '../../start/start-request.ts'
import type { DefinitionStore } from '../../store/definition-store.ts'
import type { MaintenanceStore } from '../../store/maintenance-store.ts'
import type { BulkOperation, OperationItem, OperationPreview, OperationStore } from '../../store/operation-store.ts'
import type { WakeBus } from '../../worker/wake-bus.ts'
import type { ApplyVerb } from './apply-verb.ts'
import { type BulkRequest, type ResolvedBulk, resolveBulk } from './bulk-request.ts'
import { checkVersion } from './check-version.ts'
import { keepTurn } from './keep-turn.ts'

export interface BulkContext {
  readonly pollMs: number
  readonly store: OperationStore
  readonly definitions: Pick<DefinitionStore, 'versions'>
  readonly maintenance: Pick<MaintenanceStore, 'takeTurn' | 'endTurn'>
  readonly clock: Clock
  readonly logger: Logger
  readonly bus: WakeBus
  readonly newId: () => string
  readonly nodeId: () => string
  readonly apply: ApplyVerb
}

const DUTY = 'bulk'
const TOPIC = 'bulk'
const TURN_MS = 4_000
const LOOK_MS = 30_000
const LOOK_AGAIN_MS = 1_000
const LOOKS_AGAIN = 5
const FREEZE = 2_000
const PAGE = 50
const SAMPLE = 10
const PREVIEW = 100_000
/** Looked at before it begins, for workflows without the version that is asked for. Others fail one by one. */
const LOOK_AHEAD = 10_000

export class Bulk {
  readonly #context: BulkContext
  #timer: Timer | undefined
  #working: Promise<void> | undefined
  #again = false
  /** There is work that this node could not do when it looked. */
  #isWaiting = false
  #looksLeft = 0
  #stopped = false
  #unsubscribe: () => void = () => {}

  constructor(context: BulkContext) {
    this.#context = context
  }

  /** What an operation would be about. Changes nothing. */
  async preview(request: BulkRequest): Promise<OperationPreview> {
    const bulk = resolveBulk(request)
    const preview = await this.#storePreview(bulk, PREVIEW, SAMPLE)
    await this.#checkVersion(bulk, preview)
    return preview
  }

  /** Answers the id of the operation once it is durable. */
  async start(request: BulkRequest): Promise<{ readonly id: string }> {
    const bulk = resolveBulk(request)
    await this.#checkVersion(bulk)
    const { options, asked: _, meant: __, ...operation } = bulk
    const id = this.#context.newId()
    await this.#context.store.create({ id, ...operation, options: JSON.stringify(options) })
    this.#lookNow()
    return { id }
  }

  #storePreview(
    { tenant, verb, options, asked, meant, filter, limit }: ResolvedBulk,
    lookAt: number,
    sample: number,
  ): Promise<OperationPreview> {
    return this.#context.store.preview(tenant, asked, meant, {
      ...{ lookAt, sample, listed: filter.statuses, limit, deletes: verb === 'delete' },
      toVersion: verb === 'migrate' ? (options as { version: number }).version : undefined,
    })
  }

  /** Workflows that the filter does not name are those of the instances that it finds. */
  async #checkVersion(bulk: ResolvedBulk, preview?: OperationPreview): Promise<void> {
    const { version } = bulk.options as { readonly version?: number }
    if (version === undefined) return
    const { definitionId, definitionIds = definitionId === undefined ? undefined : [definitionId] } = bulk.asked
    const about = definitionIds ?? (preview ?? (await this.#storePreview(bulk, LOOK_AHEAD, 0))).definitionIds
    await checkVersion(this.#context.definitions, { tenant: bulk.tenant, version, definitionIds: about })
  }

  async get(id: string, tenant: string = DEFAULT_TENANT): Promise<BulkOperation | undefined> {
    return isUuid(id) ? this.#context.store.get(tenant, id) : undefined
  }

  /** Newest first, those before the id `before`. */
  list(
    asked: { readonly tenant?: string; readonly before?: string; readonly limit?: number } = {},
  ): Promise<readonly BulkOperation[]> {
    return this.#context.store.list(asked.tenant ?? DEFAULT_TENANT, asked.before, asked.limit ?? 100)
  }

  /** Its instances with their outcomes, by id. */
  async items(
    id: string,
    asked: {
      readonly tenant?: string
      readonly after?: string
      readonly outcome?: string
      readonly limit?: number
    } = {},
  ): Promise<readonly OperationItem[]> {
    const { tenant = DEFAULT_TENANT, after, outcome, limit = 100 } = asked
    return isUuid(id) ? this.#context.store.items(tenant, id, { after, outcome }, limit) : []
  }

  /** What is not done by then stays undone. `false`: unknown, or over. */
  async cancel(id: string, tenant: string = DEFAULT_TENANT): Promise<boolean> {
    return isUuid(id) && this.#context.store.steer(tenant, id, 'cancel')
  }

  /** What is under way by then ends, at most a page of instances; the rest waits for `continue`. `false`: unknown, or over. */
  async pause(id: string, tenant: string = DEFAULT_TENANT): Promise<boolean> {
    return isUuid(id) && this.#context.store.steer(tenant, id, 'pause')
  }

  /** Goes on where it was paused. `false`: unknown, or over. */
  async continue(id: string, tenant: string = DEFAULT_TENANT): Promise<boolean> {
    if (!isUuid(id) || !(await this.#context.store.steer(tenant, id, 'continue'))) return false
    this.#lookNow()
    return true
  }

  run(): void {
    this.#unsubscribe = this.#context.bus.subscribe((topic) => {
      if (topic === TOPIC) this.#lookNow()
    })
    this.#lookNow()
  }

  /** A node is dead: what it worked on may be nobody's. */
  buried(): void {
    this.#lookNow()
  }

  async stop(): Promise<void> {
    this.#stopped = true
    this.#unsubscribe()
    this.#timer?.cancel()
    await this.#working
  }

  #lookNow(): void {
    this.#looksLeft = LOOKS_AGAIN
    this.#wake()
  }

  #schedule(): void {
    if (this.#stopped) return
    const isSoon = this.#isWaiting && this.#looksLeft > 0
    if (isSoon) this.#looksLeft -= 1
    const waitMs = isSoon ? LOOK_AGAIN_MS : Math.max(LOOK_MS, this.#context.pollMs)
    this.#timer = this.#context.clock.schedule(waitMs, () => this.#wake())
  }

  #wake(): void {
    if (this.#stopped) return
    this.#again = true
    this.#working ??= this.#workAll().finally(() => {
      this.#working = undefined
      this.#schedule()
    })
  }

  async #workAll(): Promise<void> {
    this.#timer?.cancel()
    while (this.#again && !this.#stopped) {
      this.#again = false
      try {
        await this.#work()
      } catch (error) {
        this.#isWaiting = true
        this.#context.logger.warn('a bulk operation waits', { reason: errorMessage(error) })
      }
    }
  }

  async #work(): Promise<void> {
    const { store, maintenance, bus, clock } = this.#context
    const nodeId = this.#context.nodeId()
    const takeTurn = () => maintenance.takeTurn(DUTY, nodeId, TURN_MS, true)
    this.#isWaiting = false
    if ((await store.next()) === undefined) return
    this.#isWaiting = !(await takeTurn())
    if (this.#isWaiting) return
    let isLeft = false
    try {
      for (;;) {
        const next = await store.next()
        isLeft = next !== undefined && this.#stopped
        if (next === undefined || isLeft) return
        await keepTurn(clock, TURN_MS / 4, takeTurn, () =>
          next.state === 'freezing' ? store.freeze(next.tenant, next.id, FREEZE) : this.#applyPage(next),
        )
        // Whoever lost its turn meanwhile leaves the rest to the one that has it.
        if (!(await takeTurn())) return
      }
    } finally {
      await maintenance.endTurn(DUTY, nodeId, 0)
      if (isLeft) bus.publish(TOPIC)
    }
  }

  async #applyPage(operation: Pick<BulkOperation, 'tenant' | 'id' | 'verb' | 'options'>): Promise<void> {
    const { store, apply } = this.#context
    const { tenant, id } = operation
    const instanceIds = await store.pending(tenant, id, PAGE)
    if (instanceIds.length === 0) return
    const items = await Promise.all(
      instanceIds.map(async (instanceId) => {
        try {
          return { instanceId, ...(await apply(operation, instanceId)) }
        } catch (error) {
          if (isRetryable(error)) throw error // the store is away: the page is taken again
          return { instanceId, outcome: 'failed', detail: errorMessage(error) }
        }
      }),
    )
    await store.settle(tenant, id, items)
  }
}

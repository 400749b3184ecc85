import { DefinitionNotFound } from '../definition/errors.ts'
import { factToRow, type StartedFact } from '../journal/fact.ts'
import type { NodeSession } from '../node/node-session.ts'
import { storesOwn } from '../step/in-transaction.ts'
import { toPayload } from '../step/payload.ts'
import type { StartItem } from '../store/commit-store.ts'
import type { TransactionStore, UserTransaction } from '../store/transaction-store.ts'
import type { ChildStart, InstanceIdentity } from '../worker/execution.ts'
import type { StartPlanner } from './start-planner.ts'
import { checkText, DEFAULT_TENANT, type StartedInstance, type StartRequest } from './start-request.ts'

export interface StarterOptions {
  readonly planner: StartPlanner
  readonly transactions: TransactionStore
  readonly newId: () => string
  /** The incarnation of the node that is alive now. */
  readonly session: () => NodeSession
  /** There is something to claim, for this node or another. */
  readonly onDue: () => void
}

/** Starts instances: through the pipeline, where this node may work on them at once, or inside a transaction of the caller's. */
export class Starter {
  readonly #o: StarterOptions

  constructor(options: StarterOptions) {
    this.#o = options
  }

  /** Settles when the instance is durable, or stands in the caller's transaction. */
  async start(request: StartRequest): Promise<StartedInstance> {
    const { planner } = this.#o
    const { tenant = DEFAULT_TENANT, definitionId, version, correlationId, dedupeKey, tx } = request
    checkText(correlationId, 'correlationId')
    checkText(dedupeKey, 'dedupeKey')
    const input = toPayload(request.input ?? null, 'The input')
    const plan = planner.planHere(definitionId, version) ?? (await planner.plan(tenant, definitionId, version))
    if (plan.checksInput) await planner.checkInput(tenant, definitionId, plan.version, input)
    const started: StartedFact = { kind: 'started', input, ...(correlationId === undefined ? {} : { correlationId }) }
    const item: StartItem = {
      tenant,
      instanceId: this.#o.newId(),
      definitionId,
      version: plan.version,
      correlationId,
      dedupeKey,
      parentId: undefined,
      parentStep: undefined,
      queue: plan.queue,
      claimed: tx === undefined && plan.claimable && this.#o.session().worker.hasRoom,
      dueInMs: 0,
      started: factToRow(started),
    }
    return tx === undefined ? this.#begin(item, started) : this.#startWithin(tx, item)
  }

  /** Repeating it is harmless: the id of the child is its dedupe key. */
  async startChild(parent: InstanceIdentity, child: ChildStart): Promise<void> {
    const { planner } = this.#o
    const { tenant } = parent
    const { instanceId, definitionId, correlationId, input, depth } = child
    const plan = await planner.plan(tenant, definitionId, child.version)
    if (plan.checksInput) await planner.checkInput(tenant, definitionId, plan.version, input)
    const started: StartedFact = {
      kind: 'started',
      input,
      depth,
      ...(correlationId === undefined ? {} : { correlationId }),
    }
    const item: StartItem = {
      tenant,
      instanceId,
      definitionId,
      version: plan.version,
      correlationId,
      dedupeKey: `child:${instanceId}`,
      parentId: parent.instanceId,
      parentStep: child.awaited ? child.step : undefined,
      queue: plan.queue,
      claimed: plan.claimable && this.#o.session().worker.hasRoom,
      dueInMs: 0,
      started: factToRow(started),
    }
    await this.#begin(item, started)
  }

  async #begin(item: StartItem, started: StartedFact): Promise<StartedInstance> {
    const { tenant, instanceId, definitionId, correlationId, parentId, parentStep, claimed } = item
    const session = this.#o.session()
    using _ = session.worker.expect(instanceId)
    const { verdict, at } = await session.pipeline.start(item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') throw new DefinitionNotFound({ definitionId })
    const { version } = verdict
    this.#o.planner.started(tenant, definitionId, version)
    if (claimed && !session.isOver) {
      const identity = { tenant, instanceId, definitionId, version, correlationId, parentId, parentStep }
      const { kind: _kind, ...data } = started
      void session.worker.adopt({ identity, claimNo: 1, stim: 0, crashes: 1, seq: 1, bookmarks: new Map() }, at, data)
    } else this.#o.onDue()
    return { instanceId, created: true, here: claimed }
  }

  async #startWithin(tx: UserTransaction, item: StartItem): Promise<StartedInstance> {
    const { instanceId, definitionId } = item
    const verdict = await this.#o.transactions.startWithin(storesOwn(tx), this.#o.session().id, item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') throw new DefinitionNotFound({ definitionId })
    return { instanceId, created: true, here: false }
  }
}

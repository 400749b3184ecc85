import { DefinitionNotFound } from '../definition/errors.ts'
import { type ControlledStarts, checkPriority } from '../flow/controlled-starts.ts'
import { AGEING_MS } from '../flow/flow-policy.ts'
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
  readonly flow: ControlledStarts
  readonly newId: () => string
  /** The incarnation of the node that is alive now. */
  readonly session: () => NodeSession
  /** There is something to claim, for this node or another. */
  readonly onDue: () => void
}

/** Up to so many may as well begin at once. */
const FEW = 500
/** What must be durable before the first of a crowd begins: later, each would compete with those that are still to be written. */
const PORTION = 10_000

interface ControlledHow {
  readonly priority?: number | undefined
  readonly tx?: UserTransaction | undefined
}

/** Starts instances: through the pipeline, where this node may work on them at once, or inside a transaction of the caller's. */
export class Starter {
  readonly #o: StarterOptions

  constructor(options: StarterOptions) {
    this.#o = options
  }

  /** Settles when all are durable; answers in order. A crowd is written first and begins then, on any node. */
  async startMany(requests: readonly StartRequest[]): Promise<readonly StartedInstance[]> {
    if (requests.length <= FEW) return Promise.all(requests.map((request) => this.start(request)))
    const started: StartedInstance[] = []
    for (let from = 0; from < requests.length; from += PORTION) {
      const portion = requests.slice(from, from + PORTION)
      try {
        started.push(...(await Promise.all(portion.map((request) => this.#start(request, true)))))
      } finally {
        this.#o.onDue()
      }
    }
    return started
  }

  /** Settles when the instance is durable, or stands in the caller's transaction. */
  start(request: StartRequest): Promise<StartedInstance> {
    return this.#start(request, false)
  }

  async #start(request: StartRequest, isOneOfMany: boolean): Promise<StartedInstance> {
    const { planner } = this.#o
    const { tenant = DEFAULT_TENANT, definitionId, version, correlationId, dedupeKey, priority, trigger, tx } = request
    checkPriority(priority)
    checkText(correlationId, 'correlationId')
    checkText(dedupeKey, 'dedupeKey')
    const input = toPayload(request.input ?? null, 'The input')
    const plan = planner.planHere(definitionId, version) ?? (await planner.plan(tenant, definitionId, version))
    if (plan.checksInput) await planner.checkInput(tenant, definitionId, plan.version, input)
    const started: StartedFact = {
      kind: 'started',
      input,
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(trigger === undefined ? {} : { trigger }),
    }
    const claimed = !isOneOfMany && tx === undefined && plan.claimable && this.#o.session().worker.hasRoom
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
      claimed,
      // Where it has to wait it counts as older: a priority is a lead in time, so that nothing waits for ever.
      dueInMs: claimed || priority === undefined ? 0 : -priority * AGEING_MS,
      started: factToRow(started),
    }
    if (this.#o.flow.known(tenant, definitionId)) return this.#control(item, started, { priority, tx })
    if (tx !== undefined) return this.#startWithin(tx, item, started, priority)
    return this.#begin(item, started, priority, isOneOfMany)
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
    if (this.#o.flow.known(tenant, definitionId)) await this.#control(item, started, {})
    else await this.#begin(item, started)
  }

  async #begin(
    item: StartItem,
    started: StartedFact,
    priority?: number,
    isOneOfMany = false,
  ): Promise<StartedInstance> {
    const { instanceId, claimed } = item
    const session = this.#o.session()
    using _ = session.worker.expect(instanceId)
    const { verdict, at } = await session.pipeline.start(item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') return this.#controlOrRefuse(item, started, { priority })
    if (isOneOfMany) this.#o.planner.started(item.tenant, item.definitionId, verdict.version)
    else this.#begun(session, item, started, { version: verdict.version, here: claimed, at })
    return { instanceId, created: true, here: claimed }
  }

  #begun(
    session: NodeSession,
    { tenant, instanceId, definitionId, correlationId, parentId, parentStep }: StartItem,
    started: StartedFact,
    { version, here, at }: { readonly version: number; readonly here: boolean; readonly at: number },
  ): void {
    this.#o.planner.started(tenant, definitionId, version)
    if (here && !session.isOver) {
      const identity = { tenant, instanceId, definitionId, version, correlationId, parentId, parentStep }
      const { kind: _kind, ...data } = started
      void session.worker.adopt({ identity, claimNo: 1, stim: 0, crashes: 1, seq: 1, bookmarks: new Map() }, at, data)
    } else this.#o.onDue()
  }

  /** The store takes no plain start of a definition that has a flow policy: it looks as if there were none. */
  async #controlOrRefuse(item: StartItem, started: StartedFact, how: ControlledHow): Promise<StartedInstance> {
    const { tenant, definitionId } = item
    if (!(await this.#o.flow.isControlled(tenant, definitionId))) throw new DefinitionNotFound({ definitionId })
    return this.#control(item, started, how)
  }

  async #control(item: StartItem, started: StartedFact, { priority, tx }: ControlledHow): Promise<StartedInstance> {
    const { instanceId, definitionId } = item
    const session = this.#o.session()
    using _ = session.worker.expect(instanceId)
    const own = tx && storesOwn(tx)
    const outcome = await this.#o.flow.start(item, started.input, { priority, tx: own })
    switch (outcome.kind) {
      case 'plain':
        return tx === undefined ? this.#begin(item, started, priority) : this.#startWithin(tx, item, started, priority)
      case 'unknown-definition':
        throw new DefinitionNotFound({ definitionId })
      case 'duplicate':
        return { instanceId: outcome.instanceId, created: false, here: false }
      case 'attached':
        return { instanceId: outcome.instanceId, created: false, here: false, flow: 'attached' }
      case 'gathered': {
        const created = outcome.instanceId === instanceId
        return { instanceId: outcome.instanceId, created, here: false, flow: 'gathered' }
      }
      case 'queued':
        return { instanceId, created: true, here: false, flow: 'queued' }
      case 'started':
        if (tx === undefined) this.#begun(session, item, started, outcome)
        return { instanceId, created: true, here: outcome.here, flow: 'started' }
    }
  }

  async #startWithin(
    tx: UserTransaction,
    item: StartItem,
    started: StartedFact,
    priority: number | undefined,
  ): Promise<StartedInstance> {
    const { instanceId } = item
    const verdict = await this.#o.transactions.startWithin(storesOwn(tx), this.#o.session().id, item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') return this.#controlOrRefuse(item, started, { priority, tx })
    return { instanceId, created: true, here: false }
  }
}

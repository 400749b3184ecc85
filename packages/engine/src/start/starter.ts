import type { Json } from '@lockstep/base'
import type { StartAnswer } from '../commit/queued-start.ts'
import { DefinitionNotFound } from '../definition/errors.ts'
import { type ControlledStarts, checkPriority } from '../flow/controlled-starts.ts'
import { AGEING_MS } from '../flow/flow-policy.ts'
import { factToRow, type StartedFact } from '../journal/fact.ts'
import type { NodeSession } from '../node/node-session.ts'
import { storesOwn } from '../step/in-transaction.ts'
import { toPayload } from '../step/payload.ts'
import type { StartItem } from '../store/commit-store.ts'
import { PINNED_FORMAT } from '../store/state-format.ts'
import type { TransactionStore, UserTransaction } from '../store/transaction-store.ts'
import type { ChildStart, InstanceIdentity } from '../worker/execution.ts'
import { allStarted, partlyStarted } from './all-started.ts'
import type { StartPlan, StartPlanner } from './start-planner.ts'
import { checkPins, checkText, DEFAULT_TENANT, type StartedInstance, type StartRequest } from './start-request.ts'

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
const PORTION = 20_000

/** A start that was checked, and is not written yet. */
interface Prepared {
  readonly item: StartItem
  readonly started: StartedFact
  readonly priority: number | undefined
  readonly claimable: boolean
}

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

  /**
   * Settles when all are durable; answers in order. All are checked before the first is written. A crowd is written first and begins then,
   * on any node.
   */
  async startMany(requests: readonly StartRequest[]): Promise<readonly StartedInstance[]> {
    const prepared: Prepared[] = []
    for (const request of requests) {
      const made = this.#prepare(request)
      prepared.push(made instanceof Promise ? await made : made)
    }
    const items = prepared.map(({ item }) => item)
    if (prepared.length <= FEW)
      return allStarted(
        items,
        prepared.map((each) => this.#go(each, undefined)),
      )
    const answers: StartedInstance[] = []
    for (let from = 0; from < prepared.length; from += PORTION) {
      try {
        for (const each of await this.#writeCrowd(prepared.slice(from, from + PORTION))) answers.push(each)
      } catch (error) {
        throw from === 0 ? error : partlyStarted(items, error)
      } finally {
        this.#o.onDue()
      }
    }
    return answers
  }

  /** Settles when the instance is durable, or stands in the caller's transaction. */
  async start(request: StartRequest): Promise<StartedInstance> {
    return this.#go(await this.#prepare(request), request.tx)
  }

  /** At once where nothing has to be asked for it: in a crowd that counts. */
  #prepare(request: StartRequest): Prepared | Promise<Prepared> {
    const { tenant = DEFAULT_TENANT, definitionId, version, correlationId, dedupeKey, priority } = request
    checkPriority(priority)
    checkPins(tenant, request.pins)
    checkText(correlationId, 'correlationId')
    checkText(dedupeKey, 'dedupeKey')
    const input = toPayload(request.input ?? null, 'The input')
    const plan = this.#o.planner.planHere(definitionId, version)
    if (plan !== undefined) return this.#prepared(request, input, plan)
    return this.#planned(tenant, definitionId, version, input).then((found) => this.#prepared(request, input, found))
  }

  async #planned(tenant: string, definitionId: string, version: number | undefined, input: Json): Promise<StartPlan> {
    const { planner } = this.#o
    const plan = await planner.plan(tenant, definitionId, version)
    if (!plan.checksInput) return plan
    return { ...plan, ...(await planner.checkInput(tenant, definitionId, plan.version, input)) }
  }

  #prepared(request: StartRequest, input: Json, plan: StartPlan): Prepared {
    const { tenant = DEFAULT_TENANT, definitionId, correlationId, dedupeKey, priority, trigger } = request
    const started: StartedFact = {
      kind: 'started',
      input,
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(trigger === undefined ? {} : { trigger }),
      ...(request.pins === undefined ? {} : { pins: request.pins, format: PINNED_FORMAT }),
      ...(request.trace === undefined ? {} : { trace: request.trace }),
    }
    const item: StartItem = {
      tenant,
      instanceId: this.#o.newId(),
      definitionId,
      version: plan.version,
      onlyPublished: plan.onlyPublished,
      correlationId,
      dedupeKey,
      parentId: undefined,
      parentStep: undefined,
      queue: plan.queue,
      claimed: false,
      // Where it has to wait it counts as older: a priority is a lead in time, so that nothing waits for ever.
      dueInMs: priority === undefined ? 0 : -priority * AGEING_MS,
      started: factToRow(started),
    }
    return { item, started, priority, claimable: plan.claimable }
  }

  #go({ item, started, priority, claimable }: Prepared, tx: UserTransaction | undefined): Promise<StartedInstance> {
    const claimed = tx === undefined && claimable && this.#o.session().worker.hasRoom
    return this.#write(claimed ? { ...item, claimed, dueInMs: 0 } : item, started, { priority, tx })
  }

  #write(item: StartItem, started: StartedFact, how: ControlledHow): Promise<StartedInstance> {
    if (this.#o.flow.known(item.tenant, item.definitionId)) return this.#control(item, started, how)
    if (how.tx !== undefined) return this.#startWithin(how.tx, item, started, how.priority)
    return this.#begin(item, started, how.priority)
  }

  /** None of them is claimed by being written: there is one promise for all, not one each. */
  async #writeCrowd(crowd: readonly Prepared[]): Promise<readonly StartedInstance[]> {
    const { flow } = this.#o
    const isPlain = ({ item }: Prepared): boolean => !flow.known(item.tenant, item.definitionId)
    const plain = crowd.filter(isPlain)
    const written = new Map<Prepared, StartAnswer>()
    const answers = await this.#o.session().pipeline.startAll(plain.map(({ item }) => item))
    plain.forEach((each, index) => written.set(each, answers[index]!))
    const settle = (each: Prepared): StartedInstance | Promise<StartedInstance> => {
      const verdict = written.get(each)?.verdict
      if (verdict === undefined) return this.#control(each.item, each.started, { priority: each.priority })
      if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
      if (verdict.kind === 'unknown-definition')
        return this.#writeOtherwise(each.item, each.started, { priority: each.priority })
      return { instanceId: each.item.instanceId, created: true, here: false }
    }
    const items = crowd.map(({ item }) => item)
    return allStarted(items, crowd.map(settle), plain.length > 0)
  }

  /** Repeating it is harmless: the id of the child is its dedupe key. */
  async startChild(parent: InstanceIdentity, child: ChildStart, trace?: string): Promise<void> {
    const { tenant } = parent
    const { instanceId, definitionId, correlationId, input, depth } = child
    const plan = await this.#planned(tenant, definitionId, child.version, input)
    const started: StartedFact = {
      kind: 'started',
      input,
      depth,
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(trace === undefined ? {} : { trace }),
    }
    const item: StartItem = {
      tenant,
      instanceId,
      definitionId,
      version: plan.version,
      onlyPublished: plan.onlyPublished,
      correlationId,
      dedupeKey: `child:${instanceId}`,
      parentId: parent.instanceId,
      parentStep: child.awaited ? child.step : undefined,
      queue: plan.queue,
      claimed: plan.claimable && this.#o.session().worker.hasRoom,
      dueInMs: 0,
      started: factToRow(started),
    }
    await this.#write(item, started, {})
  }

  async #begin(item: StartItem, started: StartedFact, priority?: number): Promise<StartedInstance> {
    const { instanceId, claimed } = item
    const session = this.#o.session()
    using _ = session.worker.expect(instanceId)
    const { verdict, at } = await session.pipeline.start(item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') return this.#writeOtherwise(item, started, { priority })
    this.#begun(session, item, started, { version: verdict.version, here: claimed, at })
    return { instanceId, created: true, here: claimed }
  }

  #begun(
    session: NodeSession,
    { tenant, instanceId, definitionId, correlationId, parentId, parentStep }: StartItem,
    started: StartedFact,
    { version, here, at }: { readonly version: number; readonly here: boolean; readonly at: number },
  ): void {
    if (here && !session.isOver) {
      const identity = { tenant, instanceId, definitionId, version, correlationId, parentId, parentStep }
      const { kind: _kind, ...data } = started
      void session.worker.adopt({ identity, claimNo: 1, stim: 0, crashes: 1, seq: 1, bookmarks: [] }, at, data)
    } else this.#o.onDue()
  }

  /**
   * The store has not found the definition. It takes no version that was checked and is not the published one any more, and no plain start of
   * a definition that has a flow policy: both look as if there were none.
   */
  async #writeOtherwise(item: StartItem, started: StartedFact, how: ControlledHow): Promise<StartedInstance> {
    const { tenant, definitionId } = item
    if (item.onlyPublished) {
      const checked = await this.#o.planner.checkAnew(tenant, definitionId, started.input)
      return this.#write({ ...item, ...checked }, started, how)
    }
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
        if (item.onlyPublished) return this.#writeOtherwise(item, started, { priority, tx })
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
    if (verdict.kind === 'unknown-definition') return this.#writeOtherwise(item, started, { priority, tx })
    return { instanceId, created: true, here: false }
  }
}

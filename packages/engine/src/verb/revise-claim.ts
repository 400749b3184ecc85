/** What operators ask for that is done before anything of an instance runs, by whoever has just claimed it. */
import type { Programs } from '../definition/programs.ts'
import { type Fact, factToRow } from '../journal/fact.ts'
import type { StartPlanner } from '../start/start-planner.ts'
import type { Claim, InboxMessage, LoadedInstance } from '../store/agenda-store.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { MigrateOrder, Order, RetryOrder } from '../worker/control-messages.ts'
import { decideMigration, type MigrationContext, type MigrationDecision } from './decide-migration.ts'
import { knownBookmarks } from './known-bookmarks.ts'
import { readFacts } from './read-history.ts'
import { findRewind } from './rewind.ts'

export interface ReviseContext extends MigrationContext {
  readonly programs: Pick<Programs, 'get'>
  readonly store: Pick<EngineStore, 'verbs' | 'instances' | 'agenda'>
  readonly planner: Pick<StartPlanner, 'plan'>
  readonly nodeId: () => string
}

export function reviseClaim(
  context: ReviseContext,
  claim: Claim,
  loaded: LoadedInstance,
  message: InboxMessage,
  order: Order,
): Promise<InboxMessage | undefined> {
  if (order.kind === 'migrate') return migrate(context, claim, loaded, message, order)
  if (order.kind === 'reopen') return prepareReopen(context, loaded, message)
  return prepareRetry(context, loaded, message, order as RetryOrder)
}

/**
 * A resume deletes the bookmark and leaves its message in one transaction, and only this owner may take the message away. So a bookmark that was
 * not there when the instance was read, and has no message in an inbox that is read after that, is lost.
 */
async function prepareReopen(
  { store }: ReviseContext,
  { tenant, instanceId, openBookmarks }: LoadedInstance,
  message: InboxMessage,
): Promise<InboxMessage> {
  const [inbox] = await store.agenda.inbox([instanceId])
  const facts = await readFacts(store.instances, tenant, instanceId)
  const told = (inbox?.messages ?? []).flatMap(({ bookmarkId, step }) => (bookmarkId === undefined ? [] : (step ?? [])))
  const present = [...openBookmarks.map(({ step }) => step), ...told]
  return { ...message, payload: { present, known: [...knownBookmarks(facts)] } }
}

/** Finds the moment to go back to. Functions find it by themselves. */
async function prepareRetry(
  { programs, store }: ReviseContext,
  { tenant, instanceId, definitionId, version }: LoadedInstance,
  message: InboxMessage,
  order: RetryOrder,
): Promise<InboxMessage> {
  const program = await programs.get(tenant, definitionId, version)
  const { step } = order
  if (program.kind === 'function' || step === undefined) return { ...message, payload: { ...order, isPrepared: true } }
  const facts = await readFacts(store.instances, tenant, instanceId)
  const rewind = findRewind(program.graph, facts, step)
  // Whoever asked was told that there is such a step. Should it be gone nevertheless, it goes on from what failed.
  return {
    ...message,
    payload: { ...order, isPrepared: true, ...(rewind === undefined ? { step: undefined } : { rewind }) },
  }
}

async function migrate(
  context: ReviseContext,
  claim: Claim,
  loaded: LoadedInstance,
  message: InboxMessage,
  order: MigrateOrder,
): Promise<undefined> {
  const { store, planner } = context
  const { tenant, instanceId, definitionId, version } = loaded
  const decision = await decideMigration(context, loaded, order.to, order.mapping ?? {})
  const nodeId = context.nodeId()
  if (decision.kind === 'elsewhere') {
    await store.verbs.handOver(nodeId, instanceId, claim.claimNo, order.queue)
    return undefined
  }
  const isPossible = decision.kind === 'possible'
  // A function that stays what it was goes back to those who have its code.
  const oldQueue = async () =>
    order.queue === undefined ? undefined : (await planner.plan(tenant, definitionId, version)).queue
  await store.verbs.revise({
    tenant,
    instanceId,
    nodeId,
    claimNo: claim.claimNo,
    seq: (loaded.facts.at(-1)?.seq ?? loaded.snapshotSeq) + 1,
    fact: factToRow(factOf(decision, version, order)),
    version: isPossible ? order.to : undefined,
    queue: isPossible ? order.queue : await oldQueue(),
    renames: isPossible ? decision.renames : [],
    consumes: [message.id],
  })
  return undefined
}

function factOf(decision: Exclude<MigrationDecision, { kind: 'elsewhere' }>, from: number, order: MigrateOrder): Fact {
  const { to, mapping } = order
  if (decision.kind === 'impossible') {
    const reason = decision.problems.map((problem) => problem.text).join('; ')
    return { kind: 'refused', verb: 'migrate', reason: reason.slice(0, 4_000) }
  }
  const { state } = decision
  return {
    kind: 'migrated',
    from,
    to,
    ...(mapping === undefined ? {} : { mapping }),
    ...(state === undefined ? {} : { state }),
  }
}

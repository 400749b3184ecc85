import type {
  CommitBatch,
  CommitResult,
  StartItem,
  StartVerdict,
  TransactionStore,
  UserTransaction,
} from '@lockstep/engine/ports'
import {
  commitBatch,
  insertStart,
  isDuplicate,
  judgeBatch,
  positionsOf,
  startVerdict,
  versionOf,
} from './commit-transaction.ts'
import type { Database } from './database.ts'
import { ConnectionLost, DatabaseRefused, UNIQUE_VIOLATION } from './errors.ts'
import { isControlled } from './flow-transactions.ts'
import type { SimulatedLink } from './simulated-link.ts'
import { keyOf } from './tables.ts'

/** What a transaction has done so far: nothing of it is there before the commit. */
interface Pending {
  readonly statements: { readonly text: string; readonly values: readonly unknown[] }[]
  readonly starts: { readonly nodeId: string; readonly item: StartItem }[]
  isBroken: boolean
}

/** User code in a transaction. Its statements are only noted, and answer no rows: what counts is that they commit with the facts or not at all. */
export function userTransactions(database: Database, { call }: Pick<SimulatedLink, 'call'>): TransactionStore {
  const pendingOf = new WeakMap<UserTransaction, Pending>()
  const inTransaction = async <Answer>(pending: Pending, name: string, step: () => Answer): Promise<Answer> => {
    try {
      return await call(name, false, step)
    } catch (error) {
      pending.isBroken = true
      throw error
    }
  }
  return {
    transact: async (work, finish) => {
      const pending: Pending = { statements: [], starts: [], isBroken: false }
      const tx: UserTransaction = {
        query: <Row>(text: string, values: readonly unknown[] = []) =>
          inTransaction(pending, 'transactions.query', (): Row[] => {
            pending.statements.push({ text, values })
            return []
          }),
      }
      pendingOf.set(tx, pending)
      const result = await work(tx)
      if (pending.isBroken)
        throw new ConnectionLost({ statement: 'transactions.commit', reason: 'a statement before it had failed' })
      const batch = finish(result)
      const commit = await call('transactions.commit', true, () => commitWith(database, batch, pending))
      return { result, commit }
    },
    startWithin: (tx, nodeId, item) => {
      const pending = pendingOf.get(tx)
      if (pending === undefined) throw new TypeError('not a transaction of this store')
      return inTransaction(pending, 'transactions.startWithin', () => foreseeStart(database, pending, nodeId, item))
    },
  }
}

function foreseeStart(database: Database, { starts }: Pending, nodeId: string, item: StartItem): StartVerdict {
  const twin = starts.find(
    ({ item: other }) =>
      other.dedupeKey !== undefined &&
      other.dedupeKey === item.dedupeKey &&
      other.definitionId === item.definitionId &&
      other.tenant === item.tenant,
  )
  if (twin !== undefined) return { kind: 'duplicate', instanceId: twin.item.instanceId }
  if (isDuplicate(database, item)) return startVerdict(database, item)
  const version = versionOf(database, item)
  if (version === undefined || isControlled(database, item.tenant, item.definitionId))
    return { kind: 'unknown-definition' }
  starts.push({ nodeId, item: { ...item, version, onlyPublished: false, claimed: false } })
  return { kind: 'started', version }
}

/** A refused item takes everything with it, the flush number too; so does a number that was used before. */
function commitWith(database: Database, batch: CommitBatch, { statements, starts }: Pending): CommitResult {
  const node = database.tables.nodes.get(batch.nodeId)
  const passes = !database.has('fence') || (node !== undefined && !node.doomed)
  const verdicts = judgeBatch(database, batch)
  if (passes && verdicts.some((verdict) => verdict.kind !== 'written')) {
    return { at: database.now(), starts: [], checkpoints: verdicts, woken: 0, repeated: false }
  }
  const isUsed = database.tables.flushes.has(keyOf(batch.nodeId, batch.flushNo))
  // The key of a start is held from the moment of its statement; here somebody else may have taken it meanwhile.
  if (passes && (isUsed || starts.some(({ item }) => isDuplicate(database, item)))) {
    const constraint = isUsed ? 'flush_pkey' : 'instance_dedupe'
    throw new DatabaseRefused({
      sqlstate: UNIQUE_VIOLATION,
      message: 'duplicate key',
      statement: 'engine_commit',
      constraint,
    })
  }
  const result = commitBatch(database, batch)
  const positions = positionsOf(database.nextTransaction())
  for (const { nodeId, item } of starts) insertStart(database, nodeId, item, result.at, positions)
  const instanceIds = batch.checkpoints.map((item) => item.instanceId)
  for (const statement of statements) {
    database.tables.userStatements.push({ nodeId: batch.nodeId, flushNo: batch.flushNo, instanceIds, ...statement })
  }
  return result
}

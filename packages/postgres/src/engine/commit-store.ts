import { errorMessage } from '@lockstep/base'
import {
  type CheckpointItem,
  type CheckpointVerdict,
  type CommitBatch,
  type CommitResult,
  type CommitStore,
  CommitUnknown,
  Fenced,
  type StartItem,
  type StartVerdict,
} from '@lockstep/engine/ports'
import type { Db, Lane } from '../db/db.ts'
import { DatabaseRefused, DatabaseTimeout, sqlstateOf } from '../db/errors.ts'
import * as sql from './commit.sql.ts'
import { commitColumns } from './commit-columns.ts'
import { FENCED } from './fenced.ts'
import type { HistoryGuard } from './history-guard.ts'
import { commitPlain } from './plain-commit.sql.ts'
import { plainColumns } from './plain-commit.ts'

const UNIQUE_VIOLATION = '23505'
const DEADLOCK = '40P01'

const WRITTEN: CheckpointVerdict = { kind: 'written' }

type Applied = sql.CommitAnswer & { readonly repeated: boolean }

export function postgresCommits(db: Db, guard: HistoryGuard): CommitStore {
  const lane = db.lane('flush')
  return {
    async commit(batch) {
      if (guard.isRewound(batch.nodeId)) throw new Fenced({ nodeId: batch.nodeId })
      const plain = await applyPlain(lane, batch)
      if (plain !== undefined) {
        guard.acknowledged(batch.nodeId, batch.flushNo)
        return plain
      }
      const starts = sortedBy(batch.starts, (start) => start.dedupeKey ?? start.instanceId)
      const checkpoints = sortedBy(batch.checkpoints, (checkpoint) => checkpoint.instanceId)
      const sorted: CommitBatch = { ...batch, starts: starts.items, checkpoints: checkpoints.items }
      const answer = await apply(lane, sorted)
      guard.acknowledged(batch.nodeId, batch.flushNo)
      const verdicts = await afterCommit(() => startVerdicts(lane, starts.items, answer))
      return {
        at: answer.at,
        starts: starts.restore(verdicts),
        checkpoints: checkpoints.restore(checkpointVerdicts(checkpoints.items, answer)),
        woken: answer.woken,
        repeated: answer.repeated,
      } satisfies CommitResult
    },
    trim: async (nodeId, before) => {
      await lane.run(sql.trimFlushes, { node: nodeId, before })
    },
  }
}

/** A batch that lost a deadlock was rolled back as a whole: it may be sent again at once. */
const MOST_DEADLOCKS = 5

/** `undefined`: the batch is not plain, and nothing was written. */
async function applyPlain(lane: Lane, batch: CommitBatch): Promise<CommitResult | undefined> {
  const columns = plainColumns(batch)
  if (columns === undefined) return undefined
  try {
    const { at, versions } = await lane.one(commitPlain, columns)
    return {
      at,
      starts: columns.start.group.map((group) => ({ kind: 'started', version: versions[group - 1]! })),
      checkpoints: batch.checkpoints.map(() => WRITTEN),
      woken: 0,
      repeated: false,
    }
  } catch (error) {
    // The full function meets the same error and has the answer to it: which item it was, or what a repeated batch had answered.
    if (DatabaseRefused.is(error)) return undefined
    throw error
  }
}

async function apply(lane: Lane, batch: CommitBatch): Promise<Applied> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      const columns = commitColumns(batch)
      const commit = columns.correlate.item.length > 0 ? sql.commitCorrelated : sql.commit
      return { ...(await lane.one(commit, columns)), repeated: false }
    } catch (error) {
      if (isAppliedBefore(error)) return afterCommit(() => answerOfApplied(lane, batch))
      if (sqlstateOf(error) === FENCED) return answerOfBuried(lane, batch, error)
      if (sqlstateOf(error) === DEADLOCK && attempt < MOST_DEADLOCKS) continue
      if (isPassing(error))
        throw new DatabaseTimeout({ statement: sql.commit.name, reason: errorMessage(error) }, { cause: error })
      throw error
    }
  }
}

/** Applied and then buried is not the same as refused: the caller gets its answer, and learns of the burial with the next batch. */
async function answerOfBuried(lane: Lane, batch: CommitBatch, cause: unknown): Promise<Applied> {
  const flush = await lane.maybeOne(sql.appliedFlush, { node: batch.nodeId, flushNo: batch.flushNo })
  if (flush === undefined) throw new Fenced({ nodeId: batch.nodeId }, { cause })
  return afterCommit(() => answerOfApplied(lane, batch))
}

/** The batch is in; only what it answered is still being read. Losing the connection here must not look as if nothing had happened. */
async function afterCommit<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw new CommitUnknown({ statement: sql.commit.name, reason: errorMessage(cause) }, { cause })
  }
}

/** Says nothing against the batch: conflicts, exhausted resources, locks, shut-downs, a server that is read-only for now. */
function isPassing(error: unknown): boolean {
  return /^(40|53|57|58)|^55P03$|^25006$/.test(sqlstateOf(error) ?? '')
}

function isAppliedBefore(error: unknown): boolean {
  return (
    DatabaseRefused.is(error) &&
    error.details.sqlstate === UNIQUE_VIOLATION &&
    error.details.constraint === 'flush_pkey'
  )
}

/** The batch went through the first time; only its answer was lost. */
async function answerOfApplied(lane: Lane, batch: CommitBatch): Promise<Applied> {
  const flush = await lane.one(sql.appliedFlush, { node: batch.nodeId, flushNo: batch.flushNo })
  const ids = batch.starts.map((start) => start.instanceId)
  const started = ids.length === 0 ? [] : await lane.many(sql.startedVersions, { ids })
  return {
    at: flush.at,
    started: started.map((row) => row.id),
    versions: started.map((row) => row.version),
    lost: flush.lost ?? [],
    stimulated: flush.stimulated ?? [],
    woken: 0,
    repeated: true,
  }
}

async function startVerdicts(
  lane: Lane,
  starts: readonly StartItem[],
  answer: sql.CommitAnswer,
): Promise<StartVerdict[]> {
  const versions = new Map(answer.started.map((id, index) => [id, answer.versions[index]!]))
  const refused = starts.filter((start) => !versions.has(start.instanceId) && start.dedupeKey !== undefined)
  const owners = refused.length === 0 ? new Map<StartItem, string>() : await findOwners(lane, refused)
  return starts.map((start) => {
    const version = versions.get(start.instanceId)
    if (version !== undefined) return { kind: 'started', version }
    const owner = owners.get(start)
    return owner === undefined ? { kind: 'unknown-definition' } : { kind: 'duplicate', instanceId: owner }
  })
}

async function findOwners(lane: Lane, starts: readonly StartItem[]): Promise<Map<StartItem, string>> {
  const rows = await lane.many(sql.dedupeOwners, {
    tenants: starts.map((start) => start.tenant),
    definitions: starts.map((start) => start.definitionId),
    keys: starts.map((start) => start.dedupeKey!),
  })
  return new Map(rows.map((row) => [starts[row.ord - 1]!, row.id]))
}

function checkpointVerdicts(items: readonly CheckpointItem[], answer: sql.CommitAnswer): CheckpointVerdict[] {
  const verdicts = items.map((): CheckpointVerdict => ({ kind: 'written' }))
  for (const ord of answer.lost) verdicts[ord - 1] = { kind: 'lost' }
  for (const ord of answer.stimulated) verdicts[ord - 1] = { kind: 'stimulated' }
  return verdicts
}

/** Items in the order in which rows are locked, and the way back to the caller's order. */
function sortedBy<T>(
  items: readonly T[],
  key: (item: T) => string,
): { items: T[]; restore: <V>(values: readonly V[]) => V[] } {
  const order = items
    .map((item, index) => ({ item, index, key: key(item) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
  return {
    items: order.map((each) => each.item),
    restore: <V>(values: readonly V[]) => {
      const restored = new Array<V>(values.length)
      order.forEach((each, position) => {
        restored[each.index] = values[position]!
      })
      return restored
    },
  }
}

import {
  type CheckpointItem,
  type CheckpointVerdict,
  type CommitBatch,
  type CommitResult,
  Fenced,
  type StartItem,
  type StartVerdict,
} from '@lockstep/engine/ports'
import { applyCheckpoints } from './apply-checkpoints.ts'
import type { Database } from './database.ts'
import { DatabaseRefused, UNIQUE_VIOLATION } from './errors.ts'
import { type JournalTableRow, keyOf } from './tables.ts'

/** The whole batch, or nothing of it: everything that can refuse it is asked before the first write. */
export function commitBatch(database: Database, batch: CommitBatch): CommitResult {
  const { tables } = database
  const node = tables.nodes.get(batch.nodeId)
  if (database.has('fence') && (node === undefined || node.doomed)) throw new Fenced({ nodeId: batch.nodeId })
  const applied = tables.flushes.get(keyOf(batch.nodeId, batch.flushNo))
  if (applied !== undefined) {
    return {
      at: applied.at,
      starts: batch.starts.map((start) => startVerdict(database, start)),
      checkpoints: batch.checkpoints.map((_, place) => verdictAt(place, applied.lost, applied.stimulated)),
      woken: 0,
      repeated: true,
    }
  }

  const at = database.now()
  const verdicts = judgeBatch(database, batch)
  const written = batch.checkpoints.filter((_, place) => verdicts[place]!.kind === 'written')
  refuseDoubleKeys(database, batch.starts, written)

  const positions = positionsOf(database.nextTransaction())
  const starts = sorted(batch.starts, (start) => start.dedupeKey ?? start.instanceId)
  const born = new Set(starts.filter((start) => insertStart(database, batch.nodeId, start, at, positions)))
  const woken = applyCheckpoints(
    database,
    batch.nodeId,
    sorted(written, (item) => item.instanceId),
    at,
    positions,
  )
  const placesOf = (kind: CheckpointVerdict['kind']): number[] =>
    verdicts.flatMap((verdict, place) => (verdict.kind === kind ? [place] : []))
  tables.flushes.set(keyOf(batch.nodeId, batch.flushNo), {
    nodeId: batch.nodeId,
    flushNo: batch.flushNo,
    at,
    lost: placesOf('lost'),
    stimulated: placesOf('stimulated'),
  })
  return {
    at,
    starts: batch.starts.map((start) =>
      born.has(start)
        ? { kind: 'started', version: tables.instances.get(start.instanceId)!.version }
        : startVerdict(database, start),
    ),
    checkpoints: verdicts,
    woken,
    repeated: false,
  }
}

export function trimFlushes({ tables }: Database, nodeId: string, before: number): void {
  for (const [key, flush] of tables.flushes)
    if (flush.nodeId === nodeId && flush.flushNo < before) tables.flushes.delete(key)
}

export function judgeBatch(database: Database, batch: CommitBatch): CheckpointVerdict[] {
  return batch.checkpoints.map((item) => judge(database, batch.nodeId, item))
}

/** Must own the claim and continue the chain; a decision on what was heard must have heard all. */
function judge(database: Database, nodeId: string, item: CheckpointItem): CheckpointVerdict {
  const row = database.tables.agenda.get(item.instanceId)
  const owns = row !== undefined && row.claimedBy === nodeId && row.claimNo === item.claimNo
  if (database.has('claim') && !owns) return { kind: 'lost' }
  const compares = item.then.kind !== 'hold' || item.closes.length > 0
  if (database.has('stimuli') && compares && owns && row.stim !== item.stim) return { kind: 'stimulated' }
  if (database.has('chain') && !hasFact(database, item.instanceId, item.seq - 1)) return { kind: 'lost' }
  return { kind: 'written' }
}

function hasFact({ tables }: Database, instanceId: string, seq: number): boolean {
  const rows = tables.journal.get(instanceId) ?? []
  return rows[seq - 1]?.seq === seq || rows.some((row) => row.seq === seq)
}

function refuseDoubleKeys(database: Database, starts: readonly StartItem[], items: readonly CheckpointItem[]): void {
  const { tables } = database
  const refuse = (constraint: string): never => {
    throw new DatabaseRefused({
      sqlstate: UNIQUE_VIOLATION,
      message: 'duplicate key',
      statement: 'engine_commit',
      constraint,
    })
  }
  for (const start of starts) {
    if (tables.instances.has(start.instanceId) && !isDuplicate(database, start)) refuse('instance_pkey')
  }
  for (const item of items) {
    if (database.has('chain') && item.facts.some((_, index) => hasFact(database, item.instanceId, item.seq + index)))
      refuse('journal_pkey')
    if (item.incidents.some((incident) => tables.incidents.has(incident.id))) refuse('incident_pkey')
    if (item.publishes.some((event) => tables.events.has(event.id))) refuse('event_pkey')
    if (item.opens.some((bookmark) => tables.bookmarks.has(bookmark.id) && !item.closes.includes(bookmark.id)))
      refuse('bookmark_pkey')
  }
}

export function isDuplicate(database: Database, start: StartItem): boolean {
  return dedupeOwner(database, start) !== undefined
}

function dedupeOwner({ tables }: Database, start: StartItem): string | undefined {
  if (start.dedupeKey === undefined) return undefined
  for (const row of tables.instances.values()) {
    if (row.dedupeKey === start.dedupeKey && row.definitionId === start.definitionId && row.tenant === start.tenant)
      return row.id
  }
  return undefined
}

/** Starts under a flow policy go another way; a schedule leaves them at the door. */
const isHeld = ({ tables }: Database, { tenant, definitionId, queue }: StartItem): boolean =>
  queue !== 'flow' && tables.flowPolicies.get(keyOf(tenant, definitionId))?.policy !== undefined

/** Reads the published pointer in the same step (P6). `undefined`: none is, or not the one that must be. */
export function versionOf(
  { tables }: Database,
  { tenant, definitionId, version, onlyPublished }: StartItem,
): number | undefined {
  const published = tables.definitions.get(keyOf(tenant, definitionId))?.published
  return onlyPublished && version !== published ? undefined : (version ?? published)
}

/** Answers whether it became an instance. */
export function insertStart(
  database: Database,
  nodeId: string,
  start: StartItem,
  at: number,
  nextPosition: () => bigint,
): boolean {
  const { tables } = database
  const version = versionOf(database, start)
  if (version === undefined || isHeld(database, start) || (database.has('dedupe') && isDuplicate(database, start)))
    return false
  const claimNo = start.claimed ? 1 : 0
  tables.instances.set(start.instanceId, {
    id: start.instanceId,
    tenant: start.tenant,
    definitionId: start.definitionId,
    version,
    correlationId: start.correlationId,
    dedupeKey: start.dedupeKey,
    parentId: start.parentId,
    parentStep: start.parentStep,
    queue: start.queue,
    createdAt: at,
    status: start.claimed ? 'running' : 'queued',
    finishedAt: undefined,
    lastSeq: 1,
    claimNo,
    snapshotSeq: 0,
    snapshotAt: undefined,
    snapshot: undefined,
  })
  tables.agenda.set(start.instanceId, {
    instanceId: start.instanceId,
    tenant: start.tenant,
    queue: start.queue,
    dueAt: at + start.dueInMs,
    claimedBy: start.claimed ? nodeId : undefined,
    claimNo,
    crashes: claimNo,
    stim: 0,
  })
  if (start.claimed) tables.history.push({ kind: 'claimed', instanceId: start.instanceId, claimNo, nodeId })
  const first: JournalTableRow = {
    instanceId: start.instanceId,
    tenant: start.tenant,
    seq: 1,
    claimNo,
    position: nextPosition(),
    at,
    nodeId,
    kind: 'started',
    data: start.started.data,
  }
  tables.journal.set(start.instanceId, [first])
  return true
}

export function startVerdict(database: Database, start: StartItem): StartVerdict {
  const own = database.tables.instances.get(start.instanceId)
  if (own !== undefined) return { kind: 'started', version: own.version }
  const owner = dedupeOwner(database, start)
  return owner === undefined ? { kind: 'unknown-definition' } : { kind: 'duplicate', instanceId: owner }
}

function verdictAt(place: number, lost: readonly number[], stimulated: readonly number[]): CheckpointVerdict {
  if (lost.includes(place)) return { kind: 'lost' }
  return { kind: stimulated.includes(place) ? 'stimulated' : 'written' }
}

/** The transaction's number times 2^20, plus the place in it. */
export function positionsOf(transaction: number): () => bigint {
  let place = 0n
  return () => (BigInt(transaction) << 20n) + ++place
}

function sorted<T>(items: readonly T[], key: (item: T) => string): T[] {
  return [...items].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0))
}

import {
  Fenced,
  type ForkItem,
  type ForkVerdict,
  type RetryMessage,
  type VerbMessage,
  type VerbStore,
  type VerbVerdict,
} from '@lockstep/engine/ports'
import { positionsOf } from './commit-transaction.ts'
import type { Database } from './database.ts'
import { eraseByOperator } from './erase-instance.ts'
import { freeSlots, PARKED, reopen } from './flow-gates.ts'
import { putMessage, stimulate, takeKept } from './stimulate.ts'
import type { Synchronous } from './synchronous.ts'
import { type InstanceTableRow, keyOf } from './tables.ts'

export function verbTransactions(database: Database): Synchronous<VerbStore> {
  const { tables, now } = database
  return {
    send: (message) => settled(database, message, () => send(database, message)),
    retry: (message) => settled(database, message, () => retry(database, message)),
    fork: (item) => fork(database, item),
    erase: (request) => {
      const { tenant, instanceId, operationId, look } = request
      const item =
        operationId === undefined || look
          ? undefined
          : tables.operations.get(keyOf(tenant, operationId))?.items.get(instanceId)
      if (operationId !== undefined && !look && (item === undefined || item.outcome !== undefined))
        return { kind: 'done-before' }
      const verdict = eraseByOperator(database, request)
      if (item !== undefined) item.outcome = verdict.kind
      return verdict
    },
    revise: ({ tenant, instanceId, nodeId, claimNo, seq, fact, version, queue, renames, consumes }) => {
      const node = tables.nodes.get(nodeId)
      if (node === undefined || node.doomed) throw new Fenced({ nodeId })
      const row = tables.agenda.get(instanceId)
      const instance = tables.instances.get(instanceId)
      const journal = tables.journal.get(instanceId) ?? []
      if (row?.claimedBy !== nodeId || row.claimNo !== claimNo || journal.length !== seq - 1) return false
      const position = positionsOf(database.nextTransaction())()
      journal.push({ instanceId, tenant, seq, claimNo, position, at: now(), nodeId, ...fact })
      if (instance !== undefined)
        Object.assign(instance, {
          version: version ?? instance.version,
          queue: queue ?? instance.queue,
          lastSeq: seq,
          claimNo,
        })
      const to = new Map(renames.map((each) => [each.from, each.to]))
      for (const bookmark of tables.bookmarks.values())
        if (bookmark.instanceId === instanceId) bookmark.step = to.get(bookmark.step) ?? bookmark.step
      const left = (tables.inbox.get(instanceId) ?? []).filter((message) => !consumes.includes(String(message.id)))
      for (const message of left) message.step = to.get(message.step ?? '') ?? message.step
      tables.inbox.set(instanceId, left)
      Object.assign(row, { claimedBy: undefined, crashes: 0, dueAt: now(), queue: queue ?? row.queue })
      return true
    },
    handOver: (nodeId, instanceId, claimNo, queue) => {
      const row = tables.agenda.get(instanceId)
      if (row?.claimedBy !== nodeId || row.claimNo !== claimNo) return false
      Object.assign(row, { claimedBy: undefined, crashes: 0, dueAt: now(), queue: queue ?? row.queue })
      return true
    },
    pinned: (tenant, definitionId, version, { after, lookAt }) => {
      const page = [...tables.instances.values()]
        .filter((row) => row.tenant === tenant && (after === undefined || row.id > after))
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .slice(0, lookAt)
      const fit = page.filter((row) => row.definitionId === definitionId && row.version === version)
      return {
        ids: fit.filter((row) => row.finishedAt === undefined).map((row) => row.id),
        next: page.length < lookAt ? undefined : page.at(-1)?.id,
      }
    },
    children: (tenant, parentId, after, limit) =>
      [...tables.instances.values()]
        .filter((row) => row.tenant === tenant && row.parentId === parentId && row.finishedAt === undefined)
        .map((row) => row.id)
        .filter((id) => after === undefined || id > after)
        .sort()
        .slice(0, limit),
  }
}

/** An item of a bulk operation has one outcome, noted with what it is about. */
function settled(
  { tables }: Database,
  { tenant, instanceId, operationId }: Pick<VerbMessage, 'tenant' | 'instanceId' | 'operationId'>,
  decide: () => VerbVerdict,
): VerbVerdict {
  if (operationId === undefined) return decide()
  const item = tables.operations.get(keyOf(tenant, operationId))?.items.get(instanceId)
  if (item === undefined || item.outcome !== undefined) return { kind: 'done-before' }
  const verdict = decide()
  item.outcome = verdict.kind
  item.detail =
    verdict.kind === 'wrong-state' ? verdict.status : verdict.kind === 'parent-told' ? verdict.parentId : undefined
  return verdict
}

function send(database: Database, { tenant, instanceId, kind, payload, dedupeKey, queue }: VerbMessage): VerbVerdict {
  const { tables } = database
  const instance = tables.instances.get(instanceId)
  if (instance?.tenant !== tenant) return { kind: 'not-found' }
  const { status } = instance
  if (instance.finishedAt !== undefined) return { kind: 'wrong-state', status }
  const pausing = isPausing(database, instance)
  if (kind === 'pause' && (pausing || status === 'quarantined'))
    return { kind: 'wrong-state', status: pausing ? 'paused' : status }
  if (kind === 'continue' && !pausing) return { kind: 'wrong-state', status }
  const messages = tables.inbox.get(instanceId) ?? []
  if (dedupeKey !== undefined && messages.some((message) => message.dedupeKey === dedupeKey))
    return { kind: 'already-requested' }
  put(database, instance, kind, payload, dedupeKey)
  stimulate(database, [instanceId])
  moveTo(database, instanceId, queue)
  return { kind: 'accepted' }
}

function isPausing({ tables }: Database, { id, status }: InstanceTableRow): boolean {
  const asked = (tables.inbox.get(id) ?? []).filter(({ kind }) => kind === 'pause' || kind === 'continue').at(-1)
  if (asked !== undefined) return asked.kind === 'pause'
  const kinds = (tables.journal.get(id) ?? []).map((row) => row.kind)
  const last = kinds.filter((kind) => kind === 'paused' || kind === 'continued' || kind === 'ended').at(-1)
  return status === 'paused' || last === 'paused'
}

function retry(database: Database, request: RetryMessage): VerbVerdict {
  const { tables, now } = database
  const { tenant, instanceId, messages, queue, force, note } = request
  const instance = tables.instances.get(instanceId)
  if (instance?.tenant !== tenant) return { kind: 'not-found' }
  const { status, parentId } = instance
  if (status !== 'faulted' && status !== 'quarantined') return { kind: 'wrong-state', status }
  if ((tables.inbox.get(instanceId) ?? []).some((message) => message.dedupeKey === 'retry'))
    return { kind: 'already-requested' }
  if (!takeBackEnd(database, instance) && !force) return { kind: 'parent-told', parentId: parentId ?? '' }
  freeSlots(database)
  const runsIn = queue ?? instance.queue
  const isControlled = instance.finishedAt !== undefined && instance.flow !== undefined
  if (instance.finishedAt !== undefined) {
    Object.assign(instance, { finishedAt: undefined, status: 'suspended', queue: isControlled ? PARKED : runsIn })
    // A run of a schedule is open again.
    for (const run of tables.scheduleRuns.values())
      if (run.instanceId === instanceId && run.state === 'started')
        Object.assign(run, { open: true, endedAt: undefined, status: undefined })
  }
  messages.forEach(({ kind, payload }, index) =>
    put(database, instance, kind, payload, index === messages.length - 1 ? 'retry' : undefined),
  )
  for (const row of tables.incidents.values())
    if (row.instanceId === instanceId && row.resolvedAt === undefined)
      Object.assign(row, { resolvedAt: now(), resolution: 'retried', note })
  stimulate(database, [instanceId])
  if (isControlled) reopen(database, instance, runsIn)
  else moveTo(database, instanceId, queue)
  return { kind: 'accepted' }
}

/** `false`: a parent knows of its end, or may. */
function takeBackEnd({ tables }: Database, { id, parentId, parentStep, finishedAt }: InstanceTableRow): boolean {
  if (finishedAt === undefined || parentId === undefined || parentStep === undefined) return true
  const parent = tables.instances.get(parentId)
  if (parent === undefined || (parent.finishedAt !== undefined && parent.finishedAt < finishedAt)) return true
  if (tables.agenda.get(parentId)?.claimedBy !== undefined) return false
  const messages = tables.inbox.get(parentId) ?? []
  const told = messages.findIndex(
    (message) => message.kind === 'child' && (JSON.parse(message.payload) as { child?: string }).child === id,
  )
  if (told < 0) return false
  messages.splice(told, 1)
  return true
}

function put(
  database: Database,
  { id, tenant }: InstanceTableRow,
  kind: string,
  payload: string,
  dedupeKey: string | undefined,
): void {
  const rest = { bookmarkId: undefined, name: undefined, step: undefined }
  putMessage(database, { instanceId: id, tenant, kind, payload, dedupeKey, ...rest })
}

function moveTo({ tables }: Database, instanceId: string, queue: string | undefined): void {
  const row = tables.agenda.get(instanceId)
  if (queue !== undefined && row !== undefined && row.claimedBy === undefined && row.queue !== 'flow') row.queue = queue
}

function fork(database: Database, item: ForkItem): ForkVerdict {
  const { tables, now } = database
  const { tenant, sourceId, atSeq, instanceId, version, correlationId, dedupeKey, queue, nodeId } = item
  const source = tables.instances.get(sourceId)
  const facts = (tables.journal.get(sourceId) ?? []).filter((row) => row.seq <= atSeq)
  if (source?.tenant !== tenant || facts.length !== atSeq) return { kind: 'not-found' }
  const { definitionId } = source
  if (dedupeKey !== undefined) {
    for (const row of tables.instances.values())
      if (row.tenant === tenant && row.definitionId === definitionId && row.dedupeKey === dedupeKey)
        return { kind: 'duplicate', instanceId: row.id }
  }
  const at = now()
  const position = positionsOf(database.nextTransaction())
  tables.instances.set(instanceId, {
    ...{ id: instanceId, tenant, definitionId, version, correlationId, dedupeKey, queue, createdAt: at },
    ...{ parentId: undefined, parentStep: undefined, status: 'queued', finishedAt: undefined, lastSeq: atSeq + 1 },
    ...{ claimNo: 0, snapshotSeq: 0, snapshotAt: undefined, snapshot: undefined },
  })
  tables.agenda.set(instanceId, {
    ...{ instanceId, tenant, queue, dueAt: at, claimedBy: undefined, claimNo: 0, crashes: 0, stim: 0 },
  })
  const copied = facts.map((row) => ({
    ...{ ...row, instanceId, claimNo: 0, nodeId, position: position() },
    ...(row.seq === 1 ? { data: item.started.data, at } : {}),
  }))
  const last = { instanceId, tenant, seq: atSeq + 1, claimNo: 0, position: position(), at, nodeId, ...item.forked }
  tables.journal.set(instanceId, [...copied, last])
  for (const { expiresInMs: _, ...bookmark } of item.opens)
    tables.bookmarks.set(bookmark.id, { ...bookmark, tenant, instanceId, expiresAt: undefined, createdAt: at })
  for (const { id, kind } of item.opens) if (kind === 'event') takeKept(database, id)
  return { kind: 'forked' }
}

import type { CheckpointItem, CommitBatch, StartItem } from '@lockstep/engine/ports'

/** Ways in which a checkpoint touches the agenda; the numbers are those of migration 0003. */
const mode = { hold: 0, guardedHold: 1, leave: 2, later: 3 } as const

/** A batch turned on its side: one array per column, as the commit function takes it. */
export interface CommitColumns {
  readonly node: string
  readonly flushNo: number
  readonly start: ReturnType<typeof emptyStarts>
  readonly item: ReturnType<typeof emptyItems>
  readonly fact: { item: number[]; seq: number[]; kind: string[]; data: string[] }
  readonly status: { item: number[]; status: string[]; seq: number[]; ended: boolean[] }
  readonly snapshot: { item: number[]; seq: number[]; data: string[] }
  readonly bookmark: ReturnType<typeof emptyBookmarks>
  readonly close: { item: number[]; bookmark: string[] }
  readonly consume: { item: number[]; message: string[] }
  readonly event: ReturnType<typeof emptyEvents>
  readonly incident: ReturnType<typeof emptyIncidents>
  readonly parent: { item: number[]; id: string[]; step: string[]; payload: string[] }
  readonly survived: number[]
  /** Checkpoints that change the correlation id of their instance. */
  readonly correlate: { item: number[]; correlation: string[] }
  /** Refused items are an error that takes everything with it. */
  readonly strict: boolean
}

type Maybe<T> = T | undefined

const emptyStarts = () => ({
  id: [] as string[],
  tenant: [] as string[],
  definition: [] as string[],
  version: [] as Maybe<number>[],
  /** The version again where it must be the published one. */
  published: [] as Maybe<number>[],
  correlation: [] as Maybe<string>[],
  dedupe: [] as Maybe<string>[],
  parent: [] as Maybe<string>[],
  parentStep: [] as Maybe<string>[],
  queue: [] as string[],
  claimed: [] as boolean[],
  dueIn: [] as number[],
  data: [] as string[],
})
const emptyItems = () => ({
  id: [] as string[],
  tenant: [] as string[],
  claim: [] as number[],
  prev: [] as number[],
  stim: [] as number[],
  mode: [] as number[],
  dueAt: [] as Maybe<number>[],
  dueIn: [] as Maybe<number>[],
})
const emptyBookmarks = () => ({
  item: [] as number[],
  id: [] as string[],
  step: [] as string[],
  kind: [] as string[],
  name: [] as string[],
  correlation: [] as Maybe<string>[],
  hash: [] as string[],
  token: [] as Maybe<string>[],
  expiresIn: [] as Maybe<number>[],
})
const emptyEvents = () => ({
  item: [] as number[],
  id: [] as string[],
  tenant: [] as string[],
  name: [] as string[],
  correlation: [] as Maybe<string>[],
  ttl: [] as number[],
  payload: [] as string[],
})
const emptyIncidents = () => ({
  item: [] as number[],
  id: [] as string[],
  step: [] as Maybe<string>[],
  fingerprint: [] as string[],
  code: [] as string[],
  message: [] as string[],
})

/** `starts` and `checkpoints` must be sorted already (see `sortBatch`): the order of the arrays is the order of the locks. */
export function commitColumns(batch: CommitBatch, { strict = false } = {}): CommitColumns {
  const columns: CommitColumns = {
    node: batch.nodeId,
    flushNo: batch.flushNo,
    start: emptyStarts(),
    item: emptyItems(),
    fact: { item: [], seq: [], kind: [], data: [] },
    status: { item: [], status: [], seq: [], ended: [] },
    snapshot: { item: [], seq: [], data: [] },
    bookmark: emptyBookmarks(),
    close: { item: [], bookmark: [] },
    consume: { item: [], message: [] },
    event: emptyEvents(),
    incident: emptyIncidents(),
    parent: { item: [], id: [], step: [], payload: [] },
    survived: [],
    correlate: { item: [], correlation: [] },
    strict,
  }
  for (const start of batch.starts) addStart(columns, start)
  batch.checkpoints.forEach((checkpoint, index) => addCheckpoint(columns, checkpoint, index + 1))
  return columns
}

function addStart({ start }: CommitColumns, s: StartItem): void {
  start.id.push(s.instanceId)
  start.tenant.push(s.tenant)
  start.definition.push(s.definitionId)
  start.version.push(s.version)
  start.published.push(s.onlyPublished ? s.version : undefined)
  start.correlation.push(s.correlationId)
  start.dedupe.push(s.dedupeKey)
  start.parent.push(s.parentId)
  start.parentStep.push(s.parentStep)
  start.queue.push(s.queue)
  start.claimed.push(s.claimed)
  start.dueIn.push(s.dueInMs)
  start.data.push(s.started.data)
}

function addCheckpoint(columns: CommitColumns, c: CheckpointItem, item: number): void {
  const { then } = c
  const suspend = then.kind === 'suspend' ? then : undefined
  const waitsForMoment = suspend !== undefined && (suspend.dueAt !== undefined || suspend.dueInMs !== undefined)
  columns.item.id.push(c.instanceId)
  columns.item.tenant.push(c.tenant)
  columns.item.claim.push(c.claimNo)
  columns.item.prev.push(c.seq - 1)
  columns.item.stim.push(c.stim)
  columns.item.dueAt.push(suspend?.dueAt)
  columns.item.dueIn.push(suspend?.dueInMs)
  if (then.kind === 'hold') columns.item.mode.push(c.closes.length > 0 ? mode.guardedHold : mode.hold)
  else columns.item.mode.push(waitsForMoment ? mode.later : mode.leave)

  c.facts.forEach((fact, index) => {
    columns.fact.item.push(item)
    columns.fact.seq.push(c.seq + index)
    columns.fact.kind.push(fact.kind)
    columns.fact.data.push(fact.data)
  })
  const lastSeq = c.seq + c.facts.length - 1
  if (then.status !== undefined) {
    columns.status.item.push(item)
    columns.status.status.push(then.status)
    columns.status.seq.push(lastSeq)
    columns.status.ended.push(then.kind === 'end')
  }
  if (c.snapshot !== undefined) {
    columns.snapshot.item.push(item)
    columns.snapshot.seq.push(lastSeq)
    columns.snapshot.data.push(c.snapshot)
  }
  for (const id of c.closes) {
    columns.close.item.push(item)
    columns.close.bookmark.push(id)
  }
  for (const id of c.consumes) {
    columns.consume.item.push(item)
    columns.consume.message.push(id)
  }
  if (c.survived) columns.survived.push(item)
  if (c.correlationId !== undefined) {
    columns.correlate.item.push(item)
    columns.correlate.correlation.push(c.correlationId)
  }
  if (c.parent !== undefined) {
    columns.parent.item.push(item)
    columns.parent.id.push(c.parent.instanceId)
    columns.parent.step.push(c.parent.step)
    columns.parent.payload.push(c.parent.payload)
  }
  addOpenings(columns, c, item)
}

function addOpenings({ bookmark, event, incident }: CommitColumns, c: CheckpointItem, item: number): void {
  for (const b of c.opens) {
    bookmark.item.push(item)
    bookmark.id.push(b.id)
    bookmark.step.push(b.step)
    bookmark.kind.push(b.kind)
    bookmark.name.push(b.name)
    bookmark.correlation.push(b.correlationId)
    bookmark.hash.push(b.hash)
    bookmark.token.push(b.tokenHash)
    bookmark.expiresIn.push(b.expiresInMs)
  }
  for (const e of c.publishes) {
    event.item.push(item)
    event.id.push(e.id)
    event.tenant.push(e.tenant)
    event.name.push(e.name)
    event.correlation.push(e.correlationId)
    event.ttl.push(e.ttlMs)
    event.payload.push(e.payload)
  }
  for (const t of c.incidents) {
    incident.item.push(item)
    incident.id.push(t.id)
    incident.step.push(t.step)
    incident.fingerprint.push(t.fingerprint)
    incident.code.push(t.code)
    incident.message.push(t.message)
  }
}

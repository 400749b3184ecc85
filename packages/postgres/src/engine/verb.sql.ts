import { statement } from '../db/statement.ts'

export interface VerdictRow {
  readonly outcome: string
  readonly detail: string | null
}

/** Migration 0012: one inbox row, one agenda row. */
export const send = statement<
  {
    tenant: string
    instanceId: string
    kind: string
    payload: string
    dedupeKey: string | undefined
    queue: string | undefined
    operationId: string | undefined
  },
  VerdictRow
>(
  'verb_send',
  (p) => [p.tenant, p.instanceId, p.kind, p.payload, p.dedupeKey, p.queue, p.operationId],
  'select * from lockstep_control($1, $2, $3, $4, $5, $6, $7)',
)

export const retry = statement<
  {
    tenant: string
    instanceId: string
    kinds: readonly string[]
    /** JSON text of a list. */
    payloads: string
    queue: string | undefined
    force: boolean
    note: string | undefined
    operationId: string | undefined
  },
  VerdictRow
>(
  'verb_retry',
  (p) => [p.tenant, p.instanceId, p.kinds, p.payloads, p.queue, p.force, p.note, p.operationId],
  'select * from lockstep_retry($1, $2, $3, $4, $5, $6, $7, $8)',
)

export interface ErasedRow extends VerdictRow {
  readonly reason: string | null
  readonly rows: number
  readonly incidents: number
}

/** Migration 0046. By primary keys. */
export const erase = statement<
  { tenant: string; instanceId: string; rows: number; look: boolean; operationId: string | undefined },
  ErasedRow
>(
  'verb_erase',
  (p) => [p.tenant, p.instanceId, p.rows, p.look, p.operationId],
  'select * from lockstep_delete($1, $2, $3, $4, $5)',
)

export interface ForkRow {
  readonly node: string
  readonly tenant: string
  readonly source: string
  readonly at: number
  readonly id: string
  readonly version: number
  readonly correlation: string | undefined
  readonly dedupe: string | undefined
  readonly queue: string
  /** JSON text. */
  readonly started: string
  readonly forked: string
  readonly bookmark: {
    readonly id: readonly string[]
    readonly step: readonly string[]
    readonly kind: readonly string[]
    readonly name: readonly string[]
    readonly correlation: readonly (string | undefined)[]
    readonly hash: readonly string[]
  }
}

export const fork = statement<ForkRow, { outcome: string; existing: string | null }>(
  'verb_fork',
  (p) => [
    ...[p.node, p.tenant, p.source, p.at, p.id, p.version, p.correlation, p.dedupe, p.queue, p.started, p.forked],
    ...[p.bookmark.id, p.bookmark.step, p.bookmark.kind, p.bookmark.name, p.bookmark.correlation, p.bookmark.hash],
  ],
  'select * from lockstep_fork($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)',
)

export const revise = statement<
  {
    node: string
    tenant: string
    instanceId: string
    claimNo: number
    seq: number
    kind: string
    data: string
    version: number | undefined
    queue: string | undefined
    from: readonly string[]
    to: readonly string[]
    messages: readonly string[]
  },
  { written: boolean }
>(
  'verb_revise',
  (p) => [
    ...[p.node, p.tenant, p.instanceId, p.claimNo, p.seq, p.kind, p.data, p.version, p.queue],
    ...[p.from, p.to, p.messages],
  ],
  'select lockstep_revise($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) as written',
)

/** One row, by primary key. The claim proves the owner: it is only given back. */
export const handOver = statement<{ node: string; instanceId: string; claimNo: number; queue: string | undefined }>(
  'verb_hand_over',
  (p) => [p.node, p.instanceId, p.claimNo, p.queue],
  `update agenda set claimed_by = null, crashes = 0, due_at = clock_timestamp(), queue = coalesce($4, queue)
    where instance_id = $2 and claimed_by = $1 and claim_no = $3`,
)

/** A page by primary key. */
export const pinned = statement<
  { tenant: string; definitionId: string; version: number; after: string | undefined; lookAt: number },
  { ids: readonly string[] | null; looked: number; last: string | null }
>(
  'verb_pinned',
  (p) => [p.tenant, p.definitionId, p.version, p.after, p.lookAt],
  `with page as materialized (
     select x.id, x.definition_id, x.version, x.finished_at from instance x where x.tenant = $1 and ($4::uuid is null or x.id > $4) order by x.id limit $5)
   select (select json_agg(p.id order by p.id) from page p where p.definition_id = $2 and p.version = $3 and p.finished_at is null) as ids,
          (select count(*)::integer from page) as looked, (select p.id from page p order by p.id desc limit 1) as last`,
  { readOnly: true },
)

/** By the index on the parent. */
export const children = statement<
  { tenant: string; parentId: string; after: string | undefined; limit: number },
  { id: string }
>(
  'verb_children',
  (p) => [p.tenant, p.parentId, p.after, p.limit],
  `select id from instance where parent_id = $2 and tenant = $1 and finished_at is null and ($3::uuid is null or id > $3) order by id limit $4`,
  { readOnly: true },
)

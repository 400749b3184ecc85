import { statement } from '../db/statement.ts'

export interface ClaimRow {
  readonly instance_id: string
  readonly tenant: string
  readonly claim_no: number
  readonly stim: number
  readonly crashes: number
  readonly due_in: number
  readonly messages?: readonly MessageRow[] | null
  /** The tenant whose turn was the last; in one of the rows. */
  readonly ring?: string | null
}

export interface MessageRow {
  readonly id: string
  readonly kind: string
  readonly bookmarkId: string | null
  readonly step: string | null
  readonly payload: unknown
}

/**
 * Takes due rows that nobody has: what ran before by age, then new ones, tenants in turn (migrations 0014, 0023). Its commit does not wait for the disk: a claim that a crash of the server
 * takes back was never anything but a claim, and whatever is written under it flushes it too.
 */
export const claim = statement<
  {
    node: string
    queues: readonly string[]
    limit: number
    aheadMs: number
    floorMs: number | undefined
    after: string
    newLimit: number
  },
  ClaimRow
>(
  'agenda_claim',
  (p) => [p.node, p.queues, p.limit, p.aheadMs, p.floorMs, p.after, p.newLimit],
  `with relaxed as materialized (select set_config('synchronous_commit', 'off', true))
   select c.* from relaxed cross join lateral lockstep_claim($1, $2, $3, $4, $5, $6, $7) c`,
)

/** Waits for a claim of this node that may still be running: the claim holds its node row, this asks for it alone. */
export const lockNode = statement<{ node: string }>(
  'agenda_lock_node',
  (p) => [p.node],
  'select 1 from node where id = $1 for update',
)

/** All claims of a node. A scan of the agenda: only after the answer to a claim was lost. */
export const claims = statement<{ node: string }, ClaimRow>(
  'agenda_claims',
  (p) => [p.node],
  `select instance_id, tenant, claim_no, stim, crashes, extract(epoch from due_at - clock_timestamp())::float8 * 1000 as due_in
     from agenda where claimed_by = $1`,
  { readOnly: true },
)

/** Gives rows back as they were before the claim. By primary key. */
export const release = statement<{ node: string; ids: readonly string[] }>(
  'agenda_release',
  (p) => [p.node, p.ids],
  `update agenda set claimed_by = null, crashes = greatest(crashes - 1, 0) where instance_id = any ($2::uuid[]) and claimed_by = $1`,
)

export interface InstanceRow {
  readonly id: string
  readonly tenant: string
  readonly definition_id: string
  readonly version: number
  readonly correlation_id: string | null
  readonly parent_id: string | null
  readonly parent_step: string | null
  readonly status: string
  readonly snapshot: unknown
  readonly snapshot_seq: number
  readonly snapshot_at: number | null
}

/** By primary key. */
export const instances = statement<{ ids: readonly string[] }, InstanceRow>(
  'agenda_instances',
  (p) => [p.ids],
  `select id, tenant, definition_id, version, correlation_id, parent_id, parent_step, status, snapshot, snapshot_seq, extract(epoch from snapshot_at)::float8 * 1000 as snapshot_at
     from instance where id = any ($1::uuid[])`,
  { readOnly: true },
)

export interface FactRow {
  readonly instance_id: string
  readonly seq: number
  readonly kind: string
  readonly data: unknown
  readonly at: number
}

/** Facts after each instance's snapshot, one page of all of them. By primary key. */
export const facts = statement<{ ids: readonly string[]; after: readonly number[]; limit: number }, FactRow>(
  'agenda_facts',
  (p) => [p.ids, p.after, p.limit],
  `select j.instance_id, j.seq, j.kind, j.data, extract(epoch from j.at)::float8 * 1000 as at
     from unnest($1::uuid[], $2::integer[]) as w(id, after)
    cross join lateral (select x.* from journal x where x.instance_id = w.id and x.seq > w.after order by x.seq limit $3) j
    order by j.instance_id, j.seq limit $3`,
  { readOnly: true },
)

export interface BookmarkRow {
  readonly instance_id: string
  readonly stim: number
  /** Null: it has none. */
  readonly id: string | null
  readonly step: string
  readonly hash: string
}

/** What stands outside for each instance, and the counter that rises when something of it is taken away, in one snapshot. By primary key and unique index. */
export const bookmarks = statement<{ ids: readonly string[] }, BookmarkRow>(
  'agenda_bookmarks',
  (p) => [p.ids],
  `select w.id as instance_id, coalesce(a.stim, 0) as stim, b.id, b.step, b.hash
     from unnest($1::uuid[]) as w(id)
     left join lateral (select x.stim from agenda x where x.instance_id = w.id offset 0) a on true
     left join lateral (select x.id, x.step, x.hash from bookmark x where x.instance_id = w.id offset 0) b on true`,
  { readOnly: true },
)

export interface InboxRow {
  readonly instance_id: string
  readonly stim: number
  readonly id: string | null
  readonly kind: string | null
  readonly bookmark_id: string | null
  readonly step: string | null
  readonly payload: unknown
}

/** The counter and the messages it counts, in one snapshot. By primary key. */
export const inbox = statement<{ ids: readonly string[] }, InboxRow>(
  'agenda_inbox',
  (p) => [p.ids],
  `select a.instance_id, a.stim, m.id, m.kind, m.bookmark_id, m.step, m.payload
     from agenda a left join lateral (select x.* from inbox x where x.instance_id = a.instance_id offset 0) m on true
    where a.instance_id = any ($1::uuid[]) order by a.instance_id, m.id`,
  { readOnly: true },
)

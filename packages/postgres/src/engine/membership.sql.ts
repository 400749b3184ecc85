import { statement } from '../db/statement.ts'

export interface JoinRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly roles: readonly string[]
  readonly capacity: number
  readonly wanted: string
  readonly stateFormat: number
  /** Name of this process's connections, by which others can end them. */
  readonly application: string | undefined
}

/** A repeated join changes nothing and is no event. */
export const join = statement<JoinRow>(
  'membership_join',
  (p) => [p.id, p.name, p.version, p.application, p.roles, p.capacity, p.wanted, p.stateFormat],
  `with new as (
     insert into node (id, name, version, application, roles, capacity, wanted, state_format) values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (id) do nothing returning id, name, version, roles)
   select lockstep_cluster_event('joined', id, name, jsonb_build_object('version', version, 'roles', roles)) from new`,
)

export interface BeatRow {
  readonly id: string
  readonly name: string | null
  readonly beat: string
  readonly own: boolean
  readonly wanted: string | null
  readonly at: number | null
  readonly room: number | null
}

/** One own row (HOT), and a read of the few others. No own row in the answer: this node was buried. */
export const beat = statement<
  { id: string; state: string | undefined; held: number | undefined; skewMs: number | undefined },
  BeatRow
>(
  'membership_beat',
  (p) => [p.id, p.state, p.held, p.skewMs],
  `with own as (
     update node set beat = beat + 1, beat_at = clock_timestamp(), state = coalesce($2::text, state),
            held = coalesce($3::int4, held), skew_ms = coalesce($4::float8, skew_ms)
      where id = $1 and not doomed returning id, beat, wanted, beat_at)
   select id, null::text as name, beat, true as own, wanted, (extract(epoch from beat_at) * 1000)::float8 as at, null::int4 as room from own
   union all select id, name, beat, false, null, null, case when state = 'active' then greatest(capacity - held, 0) else 0 end from node where id <> $1`,
)

/** Whoever notices a silence first writes it down; the others find it marked. One row, no key. */
export const suspect = statement<{ id: string; beat: number; by: string }>(
  'membership_suspect',
  (p) => [p.id, p.beat, p.by],
  `with marked as (
     update node set suspected = beat where id = $1 and beat = $2 and suspected is distinct from beat returning id, name)
   select lockstep_cluster_event('suspected', id, name, jsonb_build_object('by', $3::text)) from marked`,
)

/** Never waits for batches: a flag is no key. New batches see it and stop, those under way drain. */
export const doom = statement<{ id: string; beat: number }>(
  'membership_doom',
  (p) => [p.id, p.beat],
  'update node set doomed = true where id = $1 and beat = $2',
)

/** This is the fence. A trigger frees its claims. */
export const bury = statement<{ id: string; by: string | undefined }>(
  'membership_bury',
  (p) => [p.id, p.by],
  `with gone as (delete from node where id = $1 and doomed returning id, name)
   select lockstep_cluster_event('buried', id, name, jsonb_strip_nulls(jsonb_build_object('by', $2::text))) from gone`,
)

/** Ends the connections of a node that still holds its row: a stopped process keeps its locks until then. */
export const endBackends = statement<{ id: string }>(
  'membership_end_backends',
  (p) => [p.id],
  `select pg_terminate_backend(s.pid) from node n join pg_stat_activity s on s.application_name = n.application
    where n.id = $1 and n.doomed and s.pid <> pg_backend_pid()`,
)

/** Hands over in good order: these claims did not crash. */
export const freeClaims = statement<{ id: string }>(
  'membership_free_claims',
  (p) => [p.id],
  'update agenda set claimed_by = null, crashes = 0 where claimed_by = $1',
)

/** Nobody of a node that has left will ask what became of its batches. */
export const dropFlushes = statement<{ id: string }>(
  'membership_drop_flushes',
  (p) => [p.id],
  'delete from flush where node_id = $1',
)

export const leave = statement<{ id: string }>(
  'membership_leave',
  (p) => [p.id],
  `with gone as (delete from node where id = $1 returning id, name)
   select lockstep_cluster_event('left', id, name, '{}') from gone`,
)

/** One row, by primary key. An order that changes nothing is no event. */
export const order = statement<{ id: string; wanted: string; kind: string }, { id: string }>(
  'membership_order',
  (p) => [p.id, p.wanted, p.kind],
  `with before as materialized (select id, wanted from node where id = $1 and not doomed for no key update),
        told as (update node n set wanted = $2::text from before b where n.id = b.id returning n.id, n.name, b.wanted as was)
   select id, case when was <> $2::text then lockstep_cluster_event($3::text, id, name, '{}') end as pos from told`,
)

export const note = statement<{ kind: string; nodeId: string; name: string; detail: string }>(
  'membership_note',
  (p) => [p.kind, p.nodeId, p.name, p.detail],
  'select lockstep_cluster_event($1, $2, $3, $4::jsonb)',
)

export interface ClusterEventRow {
  readonly pos: string
  readonly at: number
  readonly kind: string
  readonly node_id: string
  readonly name: string
  readonly detail: Readonly<Record<string, unknown>>
}

/** Along the primary key. What a transaction that is still open may come before is left for the next read. */
export const events = statement<{ after: string; limit: number }, ClusterEventRow>(
  'membership_events',
  (p) => [p.after, p.limit],
  `select pos, at, kind, node_id, name, detail from cluster_event
    where pos > $1::int8 and pos < (select pg_snapshot_xmin(pg_current_snapshot())::text::int8 << 20)
    order by pos limit $2`,
  { readOnly: true },
)

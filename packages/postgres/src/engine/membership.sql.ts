import { statement } from '../db/statement.ts'

/** `application` is the name of this process's connections, by which others can end them. */
export const join = statement<{ id: string; name: string; version: string; application: string | undefined }>(
  'membership_join',
  (p) => [p.id, p.name, p.version, p.application],
  'insert into node (id, name, version, application) values ($1, $2, $3, $4) on conflict (id) do nothing',
)

/** One own row (HOT), and a read of the few others. No own row in the answer: this node was buried. */
export const beat = statement<{ id: string }, { id: string; beat: string; own: boolean }>(
  'membership_beat',
  (p) => [p.id],
  `with own as (update node set beat = beat + 1, beat_at = clock_timestamp() where id = $1 and not doomed returning id, beat)
   select id, beat, true as own from own union all select id, beat, false from node where id <> $1`,
)

/** Never waits for batches: a flag is no key. New batches see it and stop, those under way drain. */
export const doom = statement<{ id: string; beat: number }>(
  'membership_doom',
  (p) => [p.id, p.beat],
  'update node set doomed = true where id = $1 and beat = $2',
)

/** This is the fence. A trigger frees its claims. */
export const bury = statement<{ id: string }>(
  'membership_bury',
  (p) => [p.id],
  'delete from node where id = $1 and doomed',
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

export const leave = statement<{ id: string }>('membership_leave', (p) => [p.id], 'delete from node where id = $1')

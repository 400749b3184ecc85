import { statement } from '../db/statement.ts'
import type { ClaimRow } from './agenda.sql.ts'

/** One bookmark by unique index, one inbox row, one agenda row (migration 0004). */
export const resume = statement<
  { tenant: string; instanceId: string; bookmark: string | undefined; payload: string },
  { verdict: string; bookmark: string | null; names: readonly string[] | null }
>(
  'stimulus_resume',
  (p) => [p.tenant, p.instanceId, p.bookmark, p.payload],
  'select * from lockstep_resume($1, $2, $3, $4)',
)

/** The first columns are those of the verdict; without a claim the others are null. */
type MaybeClaimed<Row> = Row & (ClaimRow | { readonly instance_id: null })

/** And claims the instance where nobody has it (migration 0018). */
export const resumeAndTake = statement<
  {
    tenant: string
    instanceId: string
    bookmark: string | undefined
    payload: string
    node: string
    queues: readonly string[]
  },
  MaybeClaimed<{ verdict: string; bookmark: string | null; names: readonly string[] | null }>
>(
  'stimulus_resume_take',
  (p) => [p.tenant, p.instanceId, p.bookmark, p.payload, p.node, p.queues],
  `select * from lockstep_resume($1, $2, $3, $4) r
     left join lateral lockstep_take($5, $6, case r.verdict when 'resumed' then array[$2]::uuid[] else '{}' end) on true`,
)

export const send = statement<
  { tenant: string; instanceId: string; kind: string; payload: string; dedupeKey: string | undefined },
  { sent: boolean }
>(
  'stimulus_send',
  (p) => [p.tenant, p.instanceId, p.kind, p.payload, p.dedupeKey],
  'select lockstep_send($1, $2, $3, $4, $5) as sent',
)

export const publish = statement<
  {
    tenant: string
    id: string
    name: string
    correlationId: string | undefined
    payload: string
    ttlMs: number
    matchLimit: number
  },
  { matched: number; starts: boolean }
>(
  'stimulus_publish',
  (p) => [p.id, p.tenant, p.name, p.correlationId, p.payload, p.ttlMs, p.matchLimit],
  `select lockstep_publish($1, $2, $3, $4, $5, $6, $7) as matched,
          exists (select 1 from event_trigger t where t.tenant = $2 and t.name = $3) as starts`,
)

/** And claims some of those that it reached where nobody has them (migration 0018). */
export const publishAndTake = statement<
  {
    tenant: string
    id: string
    name: string
    correlationId: string | undefined
    payload: string
    ttlMs: number
    matchLimit: number
    node: string
    queues: readonly string[]
    takeLimit: number
  },
  MaybeClaimed<{ matched: number; starts: boolean }>
>(
  'stimulus_publish_take',
  (p) => [
    ...[p.id, p.tenant, p.name, p.correlationId, p.payload, p.ttlMs, p.matchLimit],
    ...[p.node, p.queues, p.takeLimit],
  ],
  `select r.*, c.* from lateral (
     select lockstep_publish($1, $2, $3, $4, $5, $6, $7) as matched,
            exists (select 1 from event_trigger t where t.tenant = $2 and t.name = $3) as starts offset 0) r
     left join lateral lockstep_take_reached($8, $9, $1, case when r.matched > 0 then $10::integer else 0 end) c on true`,
)

export const match = statement<{ tenant: string; eventId: string; limit: number }, { count: number }>(
  'stimulus_match',
  (p) => [p.tenant, p.eventId, p.limit],
  'select lockstep_match($1, $2, $3) as count',
)

export const settle = statement<{ limit: number }, { settled: number; matched: number; open: number }>(
  'stimulus_settle',
  (p) => [p.limit],
  'select * from lockstep_settle($1)',
)

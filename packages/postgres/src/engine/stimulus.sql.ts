import { statement } from '../db/statement.ts'

/** One bookmark by unique index, one inbox row, one agenda row (migration 0004). */
export const resume = statement<
  { tenant: string; instanceId: string; bookmark: string | undefined; payload: string },
  { verdict: string; bookmark: string | null; names: readonly string[] | null }
>(
  'stimulus_resume',
  (p) => [p.tenant, p.instanceId, p.bookmark, p.payload],
  'select * from lockstep_resume($1, $2, $3, $4)',
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

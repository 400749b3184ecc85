import { statement } from '../db/statement.ts'

interface PendingRow {
  readonly tenant: string
  readonly event_id: string
  readonly correlation_id: string | null
  readonly payload: unknown
  readonly definition_id: string
  readonly version: number
  readonly activity: string
  readonly filter: string | null
}

const pendingColumns = `
  e.tenant, e.id as event_id, e.correlation_id, e.payload, t.definition_id, t.version, t.activity, t.filter`
const isMeant = `
  t.tenant = e.tenant and t.name = e.name and t.since <= e.published_at and (t.correlation is null or t.correlation = e.correlation_id)`

/** Events by primary key, triggers by name. */
export const pendingOf = statement<{ ids: readonly string[] }, PendingRow>(
  'trigger_pending_of',
  (p) => [p.ids],
  `select ${pendingColumns} from event e join event_trigger t on ${isMeant}
    where e.id = any ($1::uuid[]) and not e.triggered
    order by e.id, t.definition_id, t.place`,
  { readOnly: true },
)

/** By index event_unsettled; bounded. */
export const pending = statement<{ olderThanMs: number; limit: number }, PendingRow>(
  'trigger_pending',
  (p) => [p.olderThanMs, p.limit],
  `select ${pendingColumns}
     from (select * from event x
            where not x.settled and not x.triggered and x.expires_at > (select clock_timestamp()) and x.published_at <= (select clock_timestamp()) - $1::float8 * interval '1 millisecond'
              and exists (select 1 from event_trigger y
                           where y.tenant = x.tenant and y.name = x.name and y.since <= x.published_at
                             and (y.correlation is null or y.correlation = x.correlation_id))
            order by x.published_at limit $2) e
     join event_trigger t on ${isMeant}
    order by e.id, t.definition_id, t.place`,
  { readOnly: true },
)

export const started = statement<{ ids: readonly string[] }>(
  'trigger_started',
  (p) => [p.ids],
  'update event set triggered = true where id = any ($1::uuid[]) and not triggered',
)

export interface EndpointRow {
  readonly method: string
  readonly shape: string
  readonly definition_id: string
  readonly activity: string
  readonly version: number
  readonly inputs: unknown
}

/** Those with as many segments, by index; the most literal first. */
export const endpoint = statement<{ tenant: string; segments: readonly string[] }, EndpointRow>(
  'trigger_endpoint',
  (p) => [p.tenant, p.segments],
  `select e.method, e.shape, e.definition_id, e.activity, e.version, e.inputs
     from http_endpoint e
    where e.tenant = $1 and cardinality(e.segments) = cardinality($2::text[])
      and not exists (select 1 from unnest(e.segments, $2::text[]) as u(wanted, given) where u.wanted <> u.given)
    order by array(select u.wanted is null from unnest(e.segments) with ordinality as u(wanted, n) order by u.n), e.method limit 100`,
  { readOnly: true },
)

export const taken = statement<
  { tenant: string; definitionId: string; methods: readonly string[]; shapes: readonly string[] },
  { method: string; shape: string; definition_id: string }
>(
  'trigger_taken',
  (p) => [p.tenant, p.definitionId, p.methods, p.shapes],
  `select e.method, e.shape, e.definition_id
     from unnest($3::text[], $4::text[]) as k(method, shape)
     join http_endpoint e on e.tenant = $1 and e.method = k.method and e.shape = k.shape
    where e.definition_id <> $2 order by e.shape, e.method`,
  { readOnly: true },
)

export const endpoints = statement<
  { tenant: string; shape: string | undefined; method: string | undefined; limit: number },
  EndpointRow
>(
  'trigger_endpoints',
  (p) => [p.tenant, p.shape, p.method, p.limit],
  `select e.method, e.shape, e.definition_id, e.activity, e.version, e.inputs from http_endpoint e
    where e.tenant = $1 and ($2::text is null or (e.shape, e.method) > ($2, $3))
    order by e.shape, e.method limit $4`,
  { readOnly: true },
)

/** Facts after a number, by primary key, until the first answer. */
export const answer = statement<
  { tenant: string; id: string; after: number },
  { status: string; finished: boolean; seq: number; answer: { readonly output?: unknown } | null }
>(
  'trigger_answer',
  (p) => [p.tenant, p.id, p.after],
  `select i.status, i.finished_at is not null as finished,
          (select j.seq from journal j where j.instance_id = i.id order by j.seq desc limit 1) as seq,
          (select j.data from journal j
            where j.instance_id = i.id and j.seq > $3 and j.kind = 'completed' and j.data ->> 'answers' = 'true' order by j.seq limit 1) as answer
     from instance i where i.id = $2 and i.tenant = $1`,
  { readOnly: true },
)

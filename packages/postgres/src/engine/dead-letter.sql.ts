import type { Json } from '@lockstep/base'
import { statement } from '../db/statement.ts'

export interface DeadLetterRow {
  readonly id: string
  readonly tenant: string
  readonly definition_id: string
  readonly source: string
  readonly code: string
  readonly reason: string
  readonly dedupe_key: string | null
  readonly correlation_id: string | null
  readonly arrived_at: number
}

export interface DeadLetterContentRow extends DeadLetterRow {
  readonly input: Json
  /** Base64. */
  readonly raw: string | null
}

interface Put {
  readonly id: string
  readonly tenant: string
  readonly definitionId: string
  readonly source: string
  readonly code: string
  readonly reason: string
  readonly dedupeKey: string | undefined
  readonly correlationId: string | undefined
  /** JSON. */
  readonly input: string | undefined
  /** Base64. */
  readonly raw: string | undefined
}

/** One row, once for a key. */
export const put = statement<Put>(
  'dead_letter_put',
  (p) => [
    ...[p.id, p.tenant, p.definitionId, p.source, p.code, p.reason],
    ...[p.dedupeKey ?? null, p.correlationId ?? null, p.input ?? null, p.raw ?? null],
  ],
  `insert into dead_letter (id, tenant, definition_id, source, code, reason, dedupe_key, correlation_id, input, raw)
   values ($1::uuid, $2, $3, $4, $5, $6, $7, $8, $9::text::json, decode($10, 'base64'))
   on conflict (tenant, definition_id, dedupe_key) where dedupe_key is not null do nothing`,
)

interface Place {
  readonly tenant: string
  readonly definitionId: string | undefined
  readonly source: string | undefined
  readonly before: string | undefined
  readonly limit: number
}

const columns = 'id, tenant, definition_id, source, code, reason, dedupe_key, correlation_id, arrived_at'

/** A page of one tenant, backwards by primary key: ids grow with time. */
export const list = statement<Place, DeadLetterRow>(
  'dead_letter_list',
  (p) => [p.tenant, p.before ?? null, p.limit, p.definitionId ?? null, p.source ?? null],
  `select ${columns} from dead_letter
    where tenant = $1 and ($2::uuid is null or id < $2::uuid) and ($4::text is null or definition_id = $4) and ($5::text is null or source = $5)
    order by id desc limit $3`,
  { readOnly: true },
)

/** One row by primary key. */
export const find = statement<{ tenant: string; id: string }, DeadLetterContentRow>(
  'dead_letter_find',
  (p) => [p.tenant, p.id],
  `select ${columns}, input, encode(raw, 'base64') as raw from dead_letter where tenant = $1 and id = $2::uuid`,
  { readOnly: true },
)

export const remove = statement<{ tenant: string; id: string }>(
  'dead_letter_remove',
  (p) => [p.tenant, p.id],
  'delete from dead_letter where tenant = $1 and id = $2::uuid',
)

/** The oldest beyond their time, by index. */
export const trim = statement<{ keepMs: number; limit: number }>(
  'dead_letter_trim',
  (p) => [p.keepMs, p.limit],
  `delete from dead_letter d
    using (select tenant, id from dead_letter
            where arrived_at < clock_timestamp() - make_interval(secs => $1::float8 / 1000) order by arrived_at limit $2) o
    where d.tenant = o.tenant and d.id = o.id`,
)

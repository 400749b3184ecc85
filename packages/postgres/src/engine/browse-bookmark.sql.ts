/** What instances wait for from outside, newest first. */
import { statement } from '../db/statement.ts'
import { LOOK_AT, type Stretch } from './browse.sql.ts'

const LAST_ID = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

export const bookmarkBound = statement<{ from: string | undefined }, { id: string }>(
  'browse_bookmark_bound',
  (p) => [p.from],
  `select id from bookmark where id < coalesce($1::uuid, ${LAST_ID}) order by id desc offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export interface BookmarksListed extends Stretch {
  readonly tenant: string
  readonly name: string | undefined
  readonly kind: string | undefined
  readonly correlationId: string | undefined
  readonly limit: number
}

export interface BookmarkRow {
  readonly id: string
  readonly instance_id: string
  readonly definition_id: string
  readonly step: string
  readonly kind: string
  readonly name: string
  readonly correlation_id: string | null
  readonly created_at: number
  readonly expires_at: number | null
}

const columns =
  'b.id, b.instance_id, i.definition_id, b.step, b.kind, b.name, b.correlation_id, b.created_at, b.expires_at'
const joined = 'from bookmark b join instance i on i.id = b.instance_id and i.tenant = b.tenant'
const wanted = `b.tenant = $1 and ($2::text is null or b.name = $2) and ($3::text is null or b.kind = $3)
      and ($4::text is null or b.correlation_id = $4) and b.id < coalesce($5::uuid, ${LAST_ID})`

/** By primary key. */
export const bookmarks = statement<BookmarksListed, BookmarkRow>(
  'browse_bookmarks',
  (p) => [p.tenant, p.name, p.kind, p.correlationId, p.from, p.limit, p.to],
  `select ${columns} ${joined} where ${wanted} and ($7::uuid is null or b.id >= $7) order by b.id desc limit $6`,
  { readOnly: true },
)

/** By the index on the instance, which has few. */
export const bookmarksOfInstance = statement<BookmarksListed & { instanceId: string }, BookmarkRow>(
  'browse_bookmarks_of_instance',
  (p) => [p.tenant, p.name, p.kind, p.correlationId, p.from, p.limit, p.instanceId],
  `select ${columns} ${joined} where ${wanted} and b.instance_id = $7 order by b.id desc limit $6`,
  { readOnly: true },
)

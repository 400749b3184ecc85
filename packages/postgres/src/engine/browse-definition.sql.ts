/** Lists of workflows by id, by name or by last change. Each is a bounded stretch of an index, in both directions. */
import { statement } from '../db/statement.ts'
import { LOOK_AT } from './browse.sql.ts'

export interface DefinitionsWanted {
  readonly tenant: string
  readonly namePrefix: string | undefined
  readonly kind: 'graph' | 'function' | undefined
  readonly published: boolean | undefined
  readonly tags: readonly string[] | undefined
  readonly text: string | undefined
}

/** Places in a list: what it is ordered by, as text, and the id. The nearer one is excluded, the farther one is not. */
export interface DefinitionsListed extends DefinitionsWanted {
  readonly from: string | undefined
  readonly fromId: string | undefined
  readonly to: string | undefined
  readonly toId: string | undefined
  readonly limit: number
}

export interface ListedRow {
  readonly id: string
  readonly kind: 'graph' | 'function'
  readonly name: string
  readonly published: number | null
  readonly revision: number
  readonly tags: readonly string[]
  readonly updated_at: number
  readonly updated_by: string | null
  readonly place: string
}

const bindWanted = (p: DefinitionsWanted): readonly unknown[] => [
  p.tenant,
  p.namePrefix,
  p.kind,
  p.published,
  p.tags,
  p.text,
]
const wanted = `($2::text is null or starts_with(lower(name), lower($2))) and ($3::text is null or kind = $3)
      and ($4::boolean is null or (published is not null) = $4) and ($5::text[] is null or tags && $5)
      and ($6::text is null or position(lower($6) in lower(id)) > 0 or position(lower($6) in lower(name)) > 0
           or exists (select 1 from unnest(tags) as g(tag) where position(lower($6) in lower(g.tag)) > 0))`

const bindListed = (p: DefinitionsListed): readonly unknown[] => [
  ...bindWanted(p),
  p.from,
  p.fromId,
  p.to,
  p.toId,
  p.limit,
]

/** `key`: what the index on it orders by. `text`: the key as text. `value`: the key again, of a parameter that is such a text. */
function ordered(name: string, key: string, text: string, value: (parameter: string) => string) {
  const columns = `id, kind, name, published, revision, tags, updated_at, updated_by, ${text} || ' ' || id as place`
  const beyond = (sign: string, at: number) =>
    `($${at}::text is null or (${key}, id) ${sign} (${value(`$${at}`)}, $${at + 1}))`
  const bound = (direction: string, sign: string, order: string) =>
    statement<{ tenant: string; from: string | undefined; fromId: string | undefined }, { id: string }>(
      `browse_definition_bound_${name}_${direction}`,
      (p) => [p.tenant, p.from, p.fromId],
      `select ${text} || ' ' || id as id from definition where tenant = $1 and ${beyond(sign, 2)}
        order by ${order} offset ${LOOK_AT - 1} limit 1`,
      { readOnly: true },
    )
  const list = (direction: string, sign: string, order: string) =>
    statement<DefinitionsListed, ListedRow>(
      `browse_definitions_${name}_${direction}`,
      bindListed,
      `select ${columns} from definition
        where tenant = $1 and ${beyond(sign, 7)} and ${beyond(sign === '>' ? '<=' : '>=', 9)} and ${wanted}
        order by ${order} limit $11`,
      { readOnly: true },
    )
  const [up, down] = [`${key}, id`, `${key} desc, id desc`]
  return {
    boundUp: bound('up', '>', up),
    boundDown: bound('down', '<', down),
    up: list('up', '>', up),
    down: list('down', '<', down),
  }
}

/** By definition_by_name. */
export const {
  boundUp: nameBoundUp,
  boundDown: nameBoundDown,
  up: nameUp,
  down: nameDown,
} = ordered('by_name', 'left(lower(name), 200)', 'left(lower(name), 200)', (parameter) => `${parameter}::text`)

/** By definition_by_update; the text is microseconds, which a number of JavaScript would round. */
export const {
  boundUp: updateBoundUp,
  boundDown: updateBoundDown,
  up: updateUp,
  down: updateDown,
} = ordered(
  'by_update',
  'updated_at',
  '(extract(epoch from updated_at) * 1000000)::bigint::text',
  (parameter) => `('epoch'::timestamptz + ${parameter}::text::bigint * interval '1 microsecond')`,
)

interface BoundOf {
  readonly tenant: string
  readonly fromId: string | undefined
}

export const idBoundUp = statement<BoundOf, { id: string }>(
  'browse_definition_bound_up',
  (p) => [p.tenant, p.fromId],
  `select id from definition where tenant = $1 and ($2::text is null or id > $2) order by id offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

export const idBoundDown = statement<BoundOf, { id: string }>(
  'browse_definition_bound_down',
  (p) => [p.tenant, p.fromId],
  `select id from definition where tenant = $1 and ($2::text is null or id < $2) order by id desc offset ${LOOK_AT - 1} limit 1`,
  { readOnly: true },
)

const bindById = (p: DefinitionsListed): readonly unknown[] => [...bindWanted(p), p.fromId, p.toId, p.limit]
const idColumns = 'id, kind, name, published, revision, tags, updated_at, updated_by, id as place'

export const idUp = statement<DefinitionsListed, ListedRow>(
  'browse_definitions_up',
  bindById,
  `select ${idColumns} from definition
    where tenant = $1 and ($7::text is null or id > $7) and ($8::text is null or id <= $8) and ${wanted} order by id limit $9`,
  { readOnly: true },
)

export const idDown = statement<DefinitionsListed, ListedRow>(
  'browse_definitions_down',
  bindById,
  `select ${idColumns} from definition
    where tenant = $1 and ($7::text is null or id < $7) and ($8::text is null or id >= $8) and ${wanted} order by id desc limit $9`,
  { readOnly: true },
)

/** Of all, up to a bound. */
export const definitionCount = statement<DefinitionsWanted, { count: number }>(
  'browse_definition_count',
  bindWanted,
  `select count(*)::integer as count
     from (select * from definition where tenant = $1 order by id limit ${LOOK_AT}) d where ${wanted}`,
  { readOnly: true },
)

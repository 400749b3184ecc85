import { statement } from '../db/statement.ts'

export interface IncidentRow {
  readonly id: string
  readonly instance_id: string
  readonly definition_id: string | null
  readonly version: number | null
  readonly status: string | null
  readonly step: string | null
  readonly fingerprint: string
  readonly code: string
  readonly message: string
  readonly opened_at: number
  readonly resolved_at: number | null
  readonly resolution: string | null
  readonly note: string | null
}

const columns = `
  n.id, n.instance_id, i.definition_id, i.version, i.status, n.step, n.fingerprint, n.code, n.message, n.opened_at, n.resolved_at, n.resolution, n.note`

interface Page {
  readonly tenant: string
  readonly before: string | undefined
  readonly definitionId: string | undefined
  readonly code: string | undefined
  readonly fingerprint: string | undefined
  readonly limit: number
  readonly lookAt: number
}

const bindPage = (p: Page) => [p.tenant, p.before, p.definitionId, p.code, p.fingerprint, p.limit, p.lookAt] as const

/**
 * Newest first. `source` is a bounded number of rows in that order, and filters are applied on the way: a page reads on until it is full, and no
 * further. `last`: where one stopped that did not fill. A subquery, not a CTE, for the planner knows its order and need not sort.
 */
const page = (source: string, only = 'true'): string => `
  with fit as materialized (
    select ${columns} from (${source}) n
      left join lateral (select x.definition_id, x.version, x.status from instance x where x.id = n.instance_id offset 0) i on true
     where ${only} and ($3::text is null or i.definition_id = $3) and ($4::text is null or n.code = $4) and ($5::text is null or n.fingerprint = $5)
     order by n.id desc limit $6),
  stopped as materialized (
    select case when count(*) = $7 then (array_agg(l.id order by l.id))[1] end as last from (${source}) l where (select count(*) from fit) < $6)
  select fit.*, (select last from stopped) as last from fit
  union all
  select null, null, null, null, null, null, null, null, null, null, null, null, null, (select last from stopped)
   where not exists (select 1 from fit)`

const newest =
  'select * from incident x where x.tenant = $1 and ($2::uuid is null or x.id < $2) order by x.id desc limit $7'

const newestOpen =
  'select * from incident x where x.tenant = $1 and x.resolved_at is null and ($2::uuid is null or x.id < $2) order by x.id desc limit $7'

export type PageRow = { readonly [K in keyof IncidentRow]: IncidentRow[K] | null } & { readonly last: string | null }

/** What fits of a bounded number of rows, and how many those were. */
const counted = (source: string, only = 'true'): string => `
  select count(*) filter (
           where ${only} and ($3::text is null or exists (select 1 from instance i where i.id = n.instance_id and i.definition_id = $3))
             and ($4::text is null or n.code = $4) and ($5::text is null or n.fingerprint = $5))::integer as count,
         count(*)::integer as looked
    from (${source.replace('$7', '$6')}) n`

const bindCount = (p: Page) => [p.tenant, p.before, p.definitionId, p.code, p.fingerprint, p.lookAt] as const

interface CountRow {
  readonly count: number
  readonly looked: number
}

/** By primary key. */
export const countAll = statement<Page, CountRow>('incident_count', bindCount, counted(newest), { readOnly: true })

/** By the index of open ones. */
export const countOpenOf = statement<Page, CountRow>('incident_count_open_of', bindCount, counted(newestOpen), {
  readOnly: true,
})

/** By primary key. */
export const countResolved = statement<Page, CountRow>(
  'incident_count_resolved',
  bindCount,
  counted(newest, 'n.resolved_at is not null'),
  { readOnly: true },
)

/** By primary key. */
export const listAll = statement<Page, PageRow>('incident_list', bindPage, page(newest), { readOnly: true })

/** By the index of open ones. */
export const listOpen = statement<Page, PageRow>('incident_list_open', bindPage, page(newestOpen), { readOnly: true })

/** By primary key, over the open ones between them: few resolved ones behind many open ones take several pages, and no long look. */
export const listResolved = statement<Page, PageRow>(
  'incident_list_resolved',
  bindPage,
  page(newest, 'n.resolved_at is not null'),
  { readOnly: true },
)

/** By the index on the instance. */
export const listOfInstance = statement<Page & { instanceId: string }, PageRow>(
  'incident_list_of_instance',
  (p) => [...bindPage(p), p.instanceId],
  page(
    'select * from incident x where x.instance_id = $8 and x.tenant = $1 and ($2::uuid is null or x.id < $2) order by x.id desc limit $7',
  ),
  { readOnly: true },
)

/** By primary key. */
export const one = statement<{ tenant: string; id: string }, IncidentRow>(
  'incident_one',
  (p) => [p.tenant, p.id],
  `select ${columns} from incident n left join instance i on i.id = n.instance_id and i.tenant = n.tenant where n.id = $2 and n.tenant = $1`,
  { readOnly: true },
)

/** Of the newest open ones, by the index of them. Grouped by instance first: a count of distinct ones would sort them all. */
export const groups = statement<
  { tenant: string; definitionId: string | undefined; limit: number; lookAt: number },
  {
    fingerprint: string
    definition_id: string | null
    code: string
    step: string | null
    message: string
    open: number
    instances: number
    first_at: number
    last_at: number
  }
>(
  'incident_groups',
  (p) => [p.tenant, p.definitionId, p.limit, p.lookAt],
  `select g.fingerprint, g.open, g.instances, g.first_at, g.last_at, n.code, n.step, n.message, i.definition_id from (
     select a.fingerprint, sum(a.open)::integer as open, count(*)::integer as instances, min(a.first_at) as first_at, max(a.last_at) as last_at,
            max(a.newest)::uuid as newest
       from (select n.fingerprint, n.instance_id, count(*) as open, min(n.opened_at) as first_at, max(n.opened_at) as last_at,
                    max(n.id::text collate "C") as newest
               from (select x.id, x.instance_id, x.fingerprint, x.opened_at from incident x
                      where x.tenant = $1 and x.resolved_at is null order by x.id desc limit $4) n
              group by n.fingerprint, n.instance_id) a
      group by a.fingerprint) g
   join lateral (select x.instance_id, x.code, x.step, x.message from incident x where x.id = g.newest and x.tenant = $1 offset 0) n on true
   left join lateral (select x.definition_id from instance x where x.id = n.instance_id offset 0) i on true
   where $2::text is null or i.definition_id = $2
   order by g.open desc, g.fingerprint limit $3`,
  { readOnly: true },
)

export const countOpen = statement<{ tenant: string; most: number }, { count: number }>(
  'incident_count_open',
  (p) => [p.tenant, p.most],
  'select count(*)::integer as count from (select 1 from incident x where x.tenant = $1 and x.resolved_at is null limit $2) t',
  { readOnly: true },
)

/** Migration 0012. */
export const resolve = statement<
  {
    tenant: string
    id: string
    resolution: string
    note: string | undefined
    kind: string | undefined
    payload: string | undefined
  },
  { outcome: string; instance: string | null; detail: string | null }
>(
  'incident_resolve',
  (p) => [p.tenant, p.id, p.resolution, p.note, p.kind, p.payload],
  'select * from lockstep_resolve($1, $2, $3, $4, $5, $6)',
)

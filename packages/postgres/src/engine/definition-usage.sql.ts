import { statement } from '../db/statement.ts'

/** By index instance_version, at most `lookAt` rows and one more, which tells that there are more. */
export const pinned = statement<
  { tenant: string; id: string; version: number; lookAt: number },
  { live: number; seen: number }
>(
  'definition_pinned',
  (p) => [p.id, p.tenant, p.version, p.lookAt],
  `select count(*) filter (where x.place <= $4 and x.finished_at is null)::integer as live, count(*)::integer as seen
     from (select i.finished_at, row_number() over () as place
             from (select finished_at from instance where version = $3 and definition_id = $1 and tenant = $2 limit $4::integer + 1) i) x`,
  { readOnly: true },
)

/** By primary key of definition_reference, in its order: reads on until the page is full. */
export const consumers = statement<
  { tenant: string; id: string; after: string | undefined; limit: number },
  { id: string; name: string; version: number; current: boolean }
>(
  'definition_consumers',
  (p) => [p.id, p.tenant, p.after, p.limit],
  `select r.id, d.name, r.version, r.current
     from (select r.id, max(r.version) as version, coalesce(bool_or(r.version = d.published), false) as current
             from definition_reference r join definition d on d.id = r.id and d.tenant = r.tenant
            where r.target_id = $1 and r.tenant = $2 and ($3::text is null or r.id > $3)
            group by r.id order by r.id limit $4) r
     join definition d on d.id = r.id and d.tenant = $2
    order by r.id`,
  { readOnly: true },
)

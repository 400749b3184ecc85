import { statement } from '../db/statement.ts'

/**
 * Those that have something to do or wait for something, `lookAt` of each at most and one more, which tells that there are more. No index of its own on
 * instances: it would cost every start a twentieth of its log. Instances set aside in quarantine are not counted.
 */
export const pinned = statement<
  { tenant: string; id: string; version: number; lookAt: number },
  { live: number; seen: number }
>(
  'definition_pinned',
  (p) => [p.id, p.tenant, p.version, p.lookAt],
  `with due as materialized (select instance_id from agenda order by instance_id limit $4::integer + 1),
        waiting as materialized (select instance_id from bookmark order by instance_id limit $4::integer + 1)
   select (select count(*) from instance x
            where x.id = any (array(select instance_id from due union select instance_id from waiting))
              and x.tenant = $2 and x.definition_id = $1 and x.version = $3 and x.finished_at is null)::integer as live,
          greatest((select count(*) from due), (select count(*) from waiting))::integer as seen`,
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

/** Reads all definitions, which are few. */
export const tenants = statement<object, { tenant: string }>(
  'definition_tenants',
  () => [],
  `select distinct tenant from definition where kind = 'graph' and published is not null order by tenant`,
  { readOnly: true },
)

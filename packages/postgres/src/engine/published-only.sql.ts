/**
 * Which definitions a function of ours finds, as an argument of its call: the ids as they are, and null in place of one whose version must be
 * the published one and is not. Read by the snapshot of the call, which is taken after the request has begun; nobody finds a definition
 * without an id, so that the function refuses just those starts. One look by primary key for each element that asks for it.
 */
export const foundDefinitions = (tenants: string, ids: string, published: string, schema = ''): string =>
  `array(select case when s.published is null
                      or s.published = (select d.published from ${schema}definition d where d.id = s.id and d.tenant = s.tenant) then s.id end
           from unnest(${tenants}::text[], ${ids}::text[], ${published}::integer[]) with ordinality as s(tenant, id, published, ord) order by s.ord)`

import { statement } from '../db/statement.ts'

/** The first node that opens a database names the cluster it belongs to. One row by primary key. */
export const settle = statement<{ name: string }>(
  'cluster_name_settle',
  (p) => [p.name],
  `insert into setting (key, value) values ('cluster-name', to_jsonb($1::text)) on conflict (key) do nothing`,
)

export const read = statement<undefined, { name: string }>(
  'cluster_name_read',
  () => [],
  `select value #>> '{}' as name from setting where key = 'cluster-name'`,
  { readOnly: true },
)

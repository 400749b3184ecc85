import { statement } from '../db/statement.ts'

/** The first value that anybody gave is the one that counts. One row by primary key. */
export const settle = statement<{ name: string; value: string }>(
  'shared_secret_settle',
  (p) => [p.name, p.value],
  'insert into shared_secret (name, value) values ($1, $2) on conflict (name) do nothing',
)

export const read = statement<{ name: string }, { value: string }>(
  'shared_secret_read',
  (p) => [p.name],
  'select value from shared_secret where name = $1',
  { readOnly: true },
)

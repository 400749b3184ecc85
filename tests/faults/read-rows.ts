import { createHash } from 'node:crypto'
import { type Db, statement } from '@lockstep/postgres'

/** A question of a test to the database; its name follows from its text, since statements are prepared by name. */
export function readRows<Row>(db: Db, text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const name = `test_${createHash('sha1').update(text).digest('hex')}`
  return db.many(
    statement<readonly unknown[], Row>(name, (given) => given, text, { readOnly: true }),
    values,
  )
}

// Opens the data folder given as argument and writes rows until it is killed, one line on stdout per commit.
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { migrate, openPglite, statement } from '../../dist/index.js'

const [dataDir, first] = process.argv.slice(2)
const insert = statement(
  'child_insert',
  (id) => [id, 'x'.repeat(id % 500)],
  'insert into written (id, text) values ($1, $2)',
)

const db = await openPglite({ dataDir, clock, random })
await migrate(db, { mode: 'auto', clock, random })
await db.script('create table if not exists written (id int4 primary key, text text)')
console.log('open')
for (let id = Number(first); ; id += 4) {
  // A transaction, and single statements that are pipelined.
  await db.transaction((tx) => tx.run(insert, id))
  await Promise.all([1, 2, 3].map((more) => db.run(insert, id + more)))
  console.log(`committed ${id} ${id + 3}`)
}

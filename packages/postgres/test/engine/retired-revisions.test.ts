import { TENANT } from '@lockstep/testing/contracts'
import { expect, it } from 'vitest'
import { statement } from '../../src/index.ts'
import { interleavingBench } from './interleaving-bench.ts'

const h = interleavingBench()
const left = statement<undefined, { id: string }>(
  'test_retired_revisions',
  () => [],
  'select id from retired_revision order by id',
)

it('go after 30 days, the oldest first and some at a time; those of paused schedules stay', async () => {
  const { db } = h.database
  const add = (id: string, days: number, owner = 'null') =>
    db.script(`insert into retired_revision (kind, id, tenant, revision, paused_for, retired_at)
      values ('schedule', '${id}', '${TENANT}', 3, ${owner}, clock_timestamp() - interval '${days} days')`)
  await add('recent', 29)
  await add('old', 31)
  await add('older', 400)
  await add('paused', 400, `'definition:w'`)
  const { maintenance } = h.store
  const trim = async (limit: number) => {
    await maintenance.trim(h.node.id, 60_000, 1, limit)
    return (await db.many(left)).map(({ id }) => id)
  }
  expect(await trim(9)).toHaveLength(4) // the turn is not its
  await maintenance.takeTurn('retention', h.node.id, 60_000, true)
  expect(await trim(1)).toEqual(['old', 'paused', 'recent'])
  expect(await trim(9)).toEqual(['paused', 'recent'])
})

it('are as old as the last deletion', async () => {
  const { db } = h.database
  const cycle = `insert into schedule (id, tenant, document, definition_id, paused) values ('again', '${TENANT}', '{}', 'w', false);
    delete from schedule where id = 'again'`
  await db.script(cycle)
  await db.script(`update retired_revision set retired_at = retired_at - interval '31 days'`)
  await db.script(cycle)
  await h.store.maintenance.takeTurn('retention', h.node.id, 60_000, true)
  await h.store.maintenance.trim(h.node.id, 60_000, 1, 9)
  expect((await db.many(left)).map(({ id }) => id)).toEqual(['again'])
})

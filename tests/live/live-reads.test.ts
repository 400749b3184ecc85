// What a reader of the live stream costs the database, on a journal that grew since anybody tended it.
import { type Db, postgresLive } from '@lockstep/postgres'
import { expect, it } from 'vitest'
import { openEmbeddedEngine, openTestEngine } from '../engine/open-test-engine.ts'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'

const FACTS = 20_000

/** One after the other, as commits of a busy hour. The server's own upkeep stays away: on a slow day it comes in between and sums up what nobody had. */
async function fill(db: Db): Promise<void> {
  await readRows(db, 'alter table journal set (autovacuum_enabled = false)', [])
  await readRows(db, 'alter index journal_pos set (autosummarize = off)', [])
  await readRows(
    db,
    `insert into journal (instance_id, seq, claim_no, pos, at, node_id, tenant, kind, data)
     select gen_random_uuid(), 1, 1, (pg_current_xact_id()::text::bigint << 20) + n, now(), gen_random_uuid(), 'default', 'started', json_build_object('input', repeat('x', 300))
       from generate_series(1, $1::integer) n`,
    [FACTS],
  )
}

async function pagesTouched(db: Db, from: string): Promise<{ touched: number; all: number }> {
  const explain = `explain (analyze, buffers, format json) select * from lockstep_facts($1::bigint, 9223372036854775807, 100)`
  const [row] = await readRows<{ 'QUERY PLAN': readonly { Plan: Record<string, number> }[] }>(db, explain, [from])
  const plan = row!['QUERY PLAN'][0]!.Plan
  const size = `select (pg_relation_size('journal') / 8192)::integer as pages`
  const [{ pages } = { pages: 0 }] = await readRows<{ pages: number }>(db, size)
  return { touched: plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!, all: pages }
}

it.each([
  ['PostgreSQL', openTestEngine],
  ['the embedded store', openEmbeddedEngine],
])('a reader finds new facts without going through the whole journal, on %s', async (_, open) => {
  await using node = await open()
  await fill(node.db)
  const live = postgresLive(node.db)
  const { horizon } = await live.span()
  const before = await pagesTouched(node.db, String(horizon.pos))
  await live.read(horizon, 100, true)
  const after = await pagesTouched(node.db, String(horizon.pos))
  // Nobody had summed it up: everything had to be looked at once.
  expect(before.touched).toBeGreaterThan(before.all / 2)
  expect(after.all).toBeGreaterThan(500)
  expect(after.touched).toBeLessThan(after.all / 4)
})

it('what comes while somebody reads is summed up too, and nothing is missed', async () => {
  await using node = await openTestEngine()
  const live = postgresLive(node.db)
  let { horizon: at } = await live.span()
  await live.read(at, 100, true)
  await fill(node.db)
  let heard = 0
  // Nothing is told before every older transaction is over, those of other databases on this server among them.
  await until('all facts are told', async () => {
    const page = await live.read(at, 500, true)
    heard += page.events.filter(({ topic }) => topic === 'instances').length
    at = page.next
    return !page.more && heard >= FACTS
  })
  expect(heard).toBe(FACTS)
  const { touched, all } = await pagesTouched(node.db, String(at.pos))
  expect(all).toBeGreaterThan(500)
  expect(touched).toBeLessThan(all / 4)
})

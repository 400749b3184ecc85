import { systemClock, systemRandom } from '@lockstep/base'
import { coordinator, memoryProvider } from '@lockstep/coordination'
import { Engine, maintenanceLock, rollUpMetrics } from '@lockstep/engine'
import { type Db, openPostgres, postgresEngineStore, postgresMetrics, statement } from '@lockstep/postgres'
import { type ClonedDatabase, cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { ageReadings, readingsOf } from './metrics-nodes.ts'

const edge = { clock: systemClock, random: systemRandom }
const HOUR = 3_600_000
const DAY = 24 * HOUR

let database: ClonedDatabase
let db: Db
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
  db = await openPostgres({ url: database.url, ...edge })
})
afterAll(async () => {
  await db?.close()
  await database?.drop()
})
beforeEach(() => db.script('truncate metric_reading'))

/** A row of each node for every minute of so many hours, the latest `agoMs` ago. */
const fill = statement<{ hours: number; agoMs: number }>(
  'test_fill_readings',
  (p) => [p.hours, p.agoMs],
  `insert into metric_reading (at, slot_ms, node_id, sums)
   select date_bin('1 minute', clock_timestamp() - $2::float8 * interval '1 millisecond', 'epoch') - m * interval '1 minute', 60000,
          ('00000000-0000-7000-8000-00000000000' || n)::uuid, jsonb_build_object('started', m, 'step:0.01', n, 'lockSeconds', 0.1 * n, 'readings', 1)
     from generate_series(0, $1::integer * 60 - 1) m, generate_series(1, 3) n`,
)

async function totals(): Promise<Record<string, number>> {
  const total: Record<string, number> = {}
  for (const { sums } of await readingsOf(db))
    for (const [name, value] of Object.entries(sums)) total[name] = (total[name] ?? 0) + value
  return Object.fromEntries(Object.entries(total).map(([name, value]) => [name, Math.round(value * 1e6) / 1e6]))
}

const lengths = async (): Promise<ReadonlySet<number>> => new Set((await readingsOf(db)).map(({ slot_ms }) => slot_ms))

describe('the roll-up of metrics', () => {
  it('is a chore under its own lock, after which the sums are what they were', async () => {
    const locks = coordinator({ provider: memoryProvider(edge), ownsProvider: true, ...edge, name: 'one' })
    const engine = await Engine.open({ ...edge, store: postgresEngineStore(db), locks })
    try {
      const store = postgresMetrics(db)
      engine.maintenance.add(rollUpMetrics({ store, clock: systemClock }))
      // None of them comes of age while the test runs.
      await db.run(fill, { hours: 1, agoMs: 4 * HOUR })
      await db.run(fill, { hours: 3, agoMs: 7 * HOUR })
      const before = await totals()
      expect(before).toMatchObject({ readings: 720, 'step:0.01': 1_440, lockSeconds: 144 })
      const lease = await locks.mutex(maintenanceLock('metrics')).acquire()
      expect(await engine.maintenance.do('metrics')).toMatchObject({ status: 'busy' })
      expect(await lengths()).toEqual(new Set([60_000]))
      await lease.release()

      const done = await engine.maintenance.do('metrics')
      expect(done).toMatchObject({ status: 'done', more: false, figures: { deleted: 0 } })
      // What is younger than six hours stays by minutes and nodes.
      expect(await lengths()).toEqual(new Set([60_000, 900_000]))
      expect((await readingsOf(db)).length).toBeLessThan(250)
      expect(await totals()).toEqual(before)
      expect(await engine.maintenance.do('metrics')).toMatchObject({ figures: { rolledUp: 0, deleted: 0 } })

      await ageReadings(db, 3 * DAY)
      await engine.maintenance.do('metrics')
      expect(await lengths()).toEqual(new Set([3_600_000]))
      expect((await readingsOf(db)).length).toBeLessThanOrEqual(10)
      expect(await totals()).toEqual(before)

      await ageReadings(db, 27 * DAY)
      expect(await engine.maintenance.do('metrics')).toMatchObject({ figures: { rolledUp: 0 } })
      expect(await totals()).toEqual({})
    } finally {
      await engine.close(1_000)
      await locks.close()
    }
  })

  it('counts nothing twice and loses nothing when its session is killed half way', async () => {
    await db.run(fill, { hours: 2, agoMs: 10 * HOUR })
    const before = await totals()
    // Its rows are deleted by then, and their sums are on the way in.
    await db.script(`
      create function test_dawdle() returns trigger language plpgsql as 'begin perform pg_sleep(300); return new; end';
      create trigger test_dawdle before insert on metric_reading for each row execute function test_dawdle()`)
    const killer = await openPostgres({ url: database.url, ...edge })
    try {
      const rolling = postgresMetrics(db)
        .rollUp({ slotMs: 60_000, intoMs: 900_000, olderMs: 6 * HOUR, limit: 500 })
        .then(
          () => 'done',
          () => 'failed',
        )
      await until('it was killed', async () => (await killer.many(kill)).length > 0, 60_000)
      expect(await rolling).toBe('failed')
    } finally {
      await killer.close()
      await db.script('drop trigger test_dawdle on metric_reading; drop function test_dawdle()')
    }
    expect(await totals()).toEqual(before)
    const { run } = rollUpMetrics({ store: postgresMetrics(db), clock: systemClock })
    await run(new AbortController().signal)
    expect(await lengths()).toEqual(new Set([900_000]))
    expect(await totals()).toEqual(before)
  })

  it('keeps what it is told to keep', async () => {
    await db.run(fill, { hours: 1, agoMs: 40 * DAY })
    const before = await totals()
    const stay = rollUpMetrics({ store: postgresMetrics(db), clock: systemClock, keep: 'forever' })
    await stay.run(new AbortController().signal)
    expect(await totals()).toEqual(before)
    const short = rollUpMetrics({ store: postgresMetrics(db), clock: systemClock, keep: '7d' })
    expect(await short.run(new AbortController().signal)).toMatchObject({ more: false })
    expect(await totals()).toEqual({})
  })
})

const kill = statement<undefined, { pid: number }>(
  'test_kill_roll_up',
  () => [],
  `select pid from (select pid, pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event = 'PgSleep' offset 0) k`,
)

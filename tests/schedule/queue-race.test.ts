/** On PostgreSQL: runs that wait, and ends that come at the same moment, on two engines. */
import { systemClock as clock, systemRandom as random, silentLogger } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { openPostgres, postgresEngineStore, postgresWakeBus, statement } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'

const REQUESTS = 150
const SCHEDULES = 4
const CALLERS = 8

const overlaps = statement<undefined, { schedule_id: string; key: string }>(
  'test_schedule_overlaps',
  () => [],
  `select r.schedule_id, r.key from (
     select schedule_id, key, fired_at, lag(i.finished_at) over (partition by schedule_id order by r.fired_at) as before
       from schedule_run r join instance i on i.id = r.instance_id) r where r.fired_at < r.before`,
)
const states = statement<undefined, { state: string; open: boolean; count: number }>(
  'test_schedule_states',
  () => [],
  'select state, open, count(*)::int4 as count from schedule_run group by 1, 2',
)

it('no queued run is stranded, and no two of a schedule run at once', async () => {
  const database = await cloneDatabase(inject('postgres'))
  const quick = workflow('quick', async () => 'done')
  const nodes = await Promise.all(
    [1, 2].map(async () => {
      const db = await openPostgres({ url: database.url, clock, random })
      const bus = await postgresWakeBus(db, clock, silentLogger)
      const engine = await Engine.open({ store: postgresEngineStore(db), clock, random, bus, workflows: [quick] })
      return { db, bus, engine }
    }),
  )
  const ids = Array.from({ length: SCHEDULES }, (_, n) => `line-${n}`)
  for (const id of ids)
    await nodes[0]!.engine.schedules.create({
      id,
      trigger: { cron: '0 0 1 1 *' },
      definitionId: 'quick',
      overlap: 'queue',
    })
  // As many callers as a node has connections for them, on either node.
  let next = 0
  const ask = async (_: unknown, caller: number): Promise<void> => {
    while (next < REQUESTS) {
      const n = next++
      const { schedules } = nodes[caller % 2]!.engine
      const { outcome } = await schedules.triggerNow(ids[n % SCHEDULES]!, { key: String(n) })
      expect(['started', 'queued']).toContain(outcome)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, ask))
  const { db } = nodes[0]!
  await until('all have ended', async () => {
    const [only, ...others] = await db.many(states)
    return others.length === 0 && only!.state === 'started' && !only!.open && only!.count === REQUESTS
  })
  expect(await db.many(overlaps)).toEqual([])
  for (const node of nodes) {
    await node.engine.close(1_000)
    await node.bus.close()
    await node.db.close()
  }
  await database.drop()
})

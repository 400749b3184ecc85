/** Moments between two transactions about one schedule, one statement at a time. */
import { deferred } from '@lockstep/base'
import type { EngineStore, FireWrite, TakenSchedule } from '@lockstep/engine/ports'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { statement } from '../../src/db/statement.ts'
import * as definitionSql from '../../src/engine/definition.sql.ts'
import { postgresEngineStore } from '../../src/engine/engine-store.ts'
import * as sql from '../../src/engine/schedule.sql.ts'
import { fireColumns } from '../../src/engine/schedule-columns.ts'
import { openTestPostgres, type TestDatabase } from './open-stores.ts'

const NODE = '00000000-0000-7000-8000-000000000001'
const [FIRST, SECOND] = ['00000000-0000-7000-8000-0000000000a1', '00000000-0000-7000-8000-0000000000a2']
const TENANT = 'acme'
const SOON = Date.UTC(2026, 0, 1)

/** Sessions of this database that wait for another one's lock. */
const waiting = statement<undefined, { count: number }>(
  'test_waiting',
  () => [],
  `select count(*)::integer as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
)

let database: TestDatabase
let store: EngineStore
beforeAll(async () => {
  database = await openTestPostgres()
  store = postgresEngineStore(database.db)
  await store.membership.join({ id: NODE, name: 'node', version: '1' })
  await store.definitions.registerFunction(TENANT, 'work', 1)
})
afterAll(() => database?.close())

const write = (runs: FireWrite['runs'], wakeAt?: number): FireWrite => ({
  tenant: TENANT,
  id: 'line',
  dueAt: undefined,
  wakeAt,
  lastFiredAt: undefined,
  round: undefined,
  runs,
  cancels: [],
  dropsWaiting: false,
})
const run = (kind: 'start' | 'wait', id: string, key: string) =>
  ({ kind, id, key, at: SOON, origin: 'schedule', late: false, started: '{"input":null}' }) as const

async function fire(decide: (taken: TakenSchedule) => FireWrite['runs'] = () => []): Promise<readonly TakenSchedule[]> {
  let seen: readonly TakenSchedule[] = []
  await store.schedules.fire(NODE, 10, (taken) => {
    seen = taken
    return taken.map((each) => write(decide(each)))
  })
  return seen
}

it('an end is not forgotten while somebody lets a run wait for it', async () => {
  const save = { document: '{"overlap":"queue"}', definitionId: 'work', owner: undefined, activity: undefined }
  await store.schedules.change(NODE, TENANT, 'line', () => ({
    kind: 'write',
    save: { ...save, paused: false, after: [] },
    fire: write([], SOON),
  }))
  expect(await fire(() => [run('start', FIRST, 'line@1')])).toHaveLength(1)

  // Somebody reads that the first one runs, writes that the second waits for it, and has not committed yet.
  const [written, goOn] = [deferred<void>(), deferred<void>()]
  const deciding = database.db.transaction(async (tx) => {
    const [taken] = await tx.many(sql.takeOne, { tenant: TENANT, id: 'line' })
    expect(taken!.running).toEqual([FIRST])
    await tx.many(sql.fire, fireColumns(NODE, [write([run('wait', SECOND, 'line@2')])]))
    written.resolve()
    await goOn.promise
  })
  await written.promise

  // The first one ends, and another node looks.
  const [claim] = await store.agenda.claim({
    nodeId: NODE,
    queues: ['fn/work/1'],
    limit: 1,
    aheadMs: 0,
    floorMs: undefined,
  })
  await store.commits.commit({
    nodeId: NODE,
    flushNo: 1,
    starts: [],
    checkpoints: [
      {
        tenant: TENANT,
        instanceId: FIRST,
        claimNo: claim!.claimNo,
        seq: 2,
        facts: [{ kind: 'ended', data: '{}' }],
        then: { kind: 'end', status: 'completed' },
        stim: 0,
        opens: [],
        closes: [],
        consumes: [],
        publishes: [],
        incidents: [],
        snapshot: undefined,
        survived: false,
        parent: undefined,
      },
    ],
  })
  expect(await fire()).toEqual([])

  goOn.resolve()
  await deciding
  expect((await store.schedules.look()).due).toBe(true)
  const taken = await fire(({ waiting }) => waiting.map((key) => ({ kind: 'promote', key })))
  expect(taken).toMatchObject([{ id: 'line', running: [], waiting: ['line@2'] }])
  expect((await store.instances.statuses(TENANT, [SECOND])).get(SECOND)).toBe('queued')
})

const again = { id: 'again', tenant: TENANT, document: '{}' }
const schedule = {
  ...{ ...again, definitionId: 'work', owner: undefined, activity: undefined },
  ...{ paused: false, after: undefined },
}
const draft = { ...again, name: 'Again', tags: [], by: undefined }

it.each([
  ['schedule', () => database.db.lane('api').one(sql.insert, schedule), sql.remove],
  ['draft', () => database.db.lane('api').one(definitionSql.create, draft), definitionSql.remove],
] as const)('a %s that is made while the one before is going takes none of its revisions', async (_, make, remove) => {
  expect(await make()).toEqual({ revision: 1 })
  const [deleted, goOn] = [deferred<void>(), deferred<void>()]
  const going = database.db.lane('work').transaction(async (tx) => {
    await tx.run(remove, again)
    deleted.resolve()
    await goOn.promise
  })
  await deleted.promise
  const made = make()
  await expect.poll(async () => (await database.db.lane('control').one(waiting)).count).toBe(1)
  goOn.resolve()
  await going
  expect(await made).toEqual({ revision: 2 })
})

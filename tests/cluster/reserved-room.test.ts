import { deferred, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { Engine, workflow } from '@lockstep/engine'
import { type Db, engineLanes, openPostgres, postgresEngineStore, postgresHeart } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const CONCURRENCY = 20
/** A tenth of the room is for what runs already. */
const MOST_NEW = 18

/** A node with one connection of each kind, and more starts than it can take. */
describe('a node that has more to do than it can', () => {
  const gate = deferred<void>()
  let running = 0
  const workflows = [
    workflow('long', (ctx) =>
      ctx.step('hold', async () => {
        running += 1
        await gate.promise
      }),
    ),
    workflow('asks', async (ctx) => ctx.waitFor('answer')),
    workflow('sleeps', async (ctx, input: { ms: number }) => ctx.sleep(input.ms)),
  ]
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let db: Db
  let engine: Engine
  let outside: pg.Client
  beforeAll(async () => {
    database = await cloneDatabase(inject('postgres'))
    const one = { size: 1 }
    const lanes = {
      control: { ...engineLanes.control, ...one },
      flush: { ...engineLanes.flush, ...one },
      work: { ...engineLanes.work, ...one },
      api: one,
    }
    const application = 'lockstep:small'
    db = await openPostgres({
      url: database.url,
      ...edge,
      lanes,
      acquireTimeoutMs: 2_000,
      applicationName: application,
    })
    // Nothing stays in memory: what is resumed has to be claimed and loaded.
    const options = { concurrency: CONCURRENCY, warmLimit: 0, pollMs: 200 }
    const heart = postgresHeart({ url: database.url, application, ...edge })
    const store = postgresEngineStore(db, { application })
    engine = await Engine.open({ ...edge, store, heart, workflows, ...options })
    outside = new pg.Client(database.url)
    await outside.connect()
  })
  afterAll(async () => {
    gate.resolve()
    await engine?.close(1_000)
    await db?.close()
    await outside?.end()
    await database?.drop()
  })

  it('keeps room for resumes and timers, however many starts wait', async () => {
    const asking = await engine.startMany(Array.from({ length: 30 }, () => ({ definitionId: 'asks' })))
    const sleeping = await engine.startMany(
      Array.from({ length: 30 }, () => ({ definitionId: 'sleeps', input: { ms: 15_000 } })),
    )
    await until('all of them rest', async () => {
      const [row] = await readRows<{ count: number }>(
        db,
        `select count(*)::integer as count from instance where status = 'suspended'`,
        [],
      )
      return row!.count === asking.length + sleeping.length
    })
    const crowd = await engine.startMany(Array.from({ length: 100 }, () => ({ definitionId: 'long' })))
    for (let each = 0; each < 10; each += 1) await engine.start({ definitionId: 'long' })
    await until('starts have what they may have', () => running === MOST_NEW)
    expect(
      await Promise.all(asking.map(({ instanceId }) => engine.resume({ instanceId, bookmark: 'answer' }))),
    ).toEqual(asking.map(() => 'resumed'))
    for (const { instanceId } of [...asking, ...sleeping])
      expect(await engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ status: 'completed' })
    expect(running).toBe(MOST_NEW)
    const [waiting] = await readRows<{ count: number }>(
      db,
      'select count(*)::integer as count from agenda where claimed_by is null and claim_no = 0',
      [],
    )
    expect(waiting!.count).toBe(crowd.length + 10 - MOST_NEW)
  })

  it('outlives a time in which no connection is free: it is not buried, and loses nothing', async () => {
    const before = engine.nodeId
    await outside.query(
      'begin; lock table lockstep.agenda, lockstep.instance, lockstep.bookmark in access exclusive mode',
    )
    const asked = Array.from({ length: 20 }, () =>
      engine.start({ definitionId: 'asks' }).then(
        ({ instanceId }) => instanceId,
        (error: { code?: string }) => error.code ?? 'UNKNOWN',
      ),
    )
    const beatOf = async () =>
      Number((await outside.query('select beat from lockstep.node where id = $1', [before])).rows[0]?.beat)
    const first = await beatOf()
    await until('it has beaten on', async () => (await beatOf()) >= first + 3)
    await outside.query('commit')
    const answers = await Promise.all(asked)
    expect(answers.filter((answer) => /^[A-Z_]+$/.test(answer) && !/^DATABASE_/.test(answer))).toEqual([])
    expect(engine.nodeId).toBe(before)
    gate.resolve()
    await until('everything that waited has run', async () => {
      const [row] = await readRows<{ count: number }>(
        db,
        `select count(*)::integer as count from instance where definition_id = 'long' and status <> 'completed'`,
        [],
      )
      return row!.count === 0
    })
    expect(running).toBe(110)
  })
})

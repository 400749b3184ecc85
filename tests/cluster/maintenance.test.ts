import { type Logger, silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { type Coordinator, coordinator } from '@lockstep/coordination'
import { type Chore, Engine, maintenanceLock, watchStaleLeases, workflow } from '@lockstep/engine'
import { type Db, openPostgres, postgresCoordination, postgresEngineStore } from '@lockstep/postgres'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

interface Node {
  readonly db: Db
  readonly locks: Coordinator
  readonly engine: Engine
}

/** Counts who is at it, and waits at a gate until it is told to go on. */
function watchedChore(name: string) {
  const log = { begun: 0, atOnce: 0, most: 0, aborted: 0 }
  let open = (): void => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const chore: Chore = {
    name,
    everyMs: 1,
    run: async (signal) => {
      log.begun += 1
      log.atOnce += 1
      log.most = Math.max(log.most, log.atOnce)
      await Promise.race([gate, new Promise((resolve) => signal.addEventListener('abort', resolve))])
      if (signal.aborted) log.aborted += 1
      log.atOnce -= 1
      return { more: false, figures: {} }
    },
  }
  return { chore, log, open: () => open() }
}

describe('maintenance on three nodes', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  const nodes: Node[] = []
  const quick = workflow('quick', async () => 'done')
  beforeAll(async () => {
    database = await cloneDatabase(inject('postgres'))
    for (const name of ['one', 'two', 'three']) {
      const db = await openPostgres({ url: database.url, ...edge })
      const locks = coordinator({ ...edge, provider: postgresCoordination(db, edge), ownsProvider: true, name })
      const store = postgresEngineStore(db)
      const retention = { keep: { completed: 0 } }
      const engine = await Engine.open({
        ...edge,
        store,
        locks,
        name,
        workflows: [quick],
        retention,
        maintenance: false,
      })
      nodes.push({ db, locks, engine })
    }
  })
  afterAll(async () => {
    for (const { engine, locks, db } of nodes) {
      await engine.close(0)
      await locks.close()
      await db.close()
    }
    await database?.drop()
  })
  beforeEach(() => readRows(nodes[0]!.db, 'delete from maintenance_turn', []))

  const shownLocks = async () => (await nodes[2]!.locks.monitor.list()).locks.map((lock) => lock.name)

  it('is done by one node at a time, and shown with its key in the list of locks', async () => {
    const { chore, log, open } = watchedChore('tidy')
    for (const { engine } of nodes) engine.maintenance.add(chore)
    const doing = nodes.map(({ engine }) => engine.maintenance.do('tidy'))
    await until('somebody is at it', () => log.begun > 0)
    expect(await shownLocks()).toContain('maintenance:tidy')
    const again = await Promise.all(nodes.map(({ engine }) => engine.maintenance.do('tidy')))
    expect(again.filter(({ status }) => status === 'done')).toEqual([])
    open()
    const statuses = (await Promise.all(doing)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'done')).toHaveLength(1)
    expect(log).toMatchObject({ begun: 1, most: 1 })
    expect(await shownLocks()).not.toContain('maintenance:tidy')
  })

  it('is skipped while its lock is held, whoever has it, and says who that is', async () => {
    const [one, two] = [nodes[0]!, nodes[1]!]
    const { chore, log, open } = watchedChore('held')
    open()
    two.engine.maintenance.add(chore)
    const lease = await one.locks.mutex(maintenanceLock('held')).acquire()
    expect(await two.engine.maintenance.do('held')).toEqual({ status: 'busy', holder: 'one' })
    expect(log.begun).toBe(0)
    await lease.release()
    expect(await two.engine.maintenance.do('held')).toMatchObject({ status: 'done' })
  })

  it('comes when it is due and not before, over all nodes', async () => {
    const rounds: string[] = []
    for (const { engine } of nodes)
      engine.maintenance.add({
        name: 'hourly',
        everyMs: 3_600_000,
        run: async () => {
          rounds.push(engine.nodeId)
          return { more: false, figures: {} }
        },
      })
    for (let round = 0; round < 3; round += 1)
      for (const { engine } of nodes) await engine.maintenance.do('hourly', { early: false })
    expect(rounds).toEqual([nodes[0]!.engine.nodeId])
  })

  it('ends its round when its lock is broken', async () => {
    const { chore, log } = watchedChore('broken')
    nodes[0]!.engine.maintenance.add(chore)
    const doing = nodes[0]!.engine.maintenance.do('broken').catch((error: unknown) => error)
    await until('it has begun', () => log.begun > 0)
    await nodes[1]!.locks.monitor.break(maintenanceLock('broken'), 'an operator wants it')
    await doing
    expect(log.aborted).toBe(1)
  })

  it('sweeps under a lock: one sweep deletes, the others find it busy or nothing left', async () => {
    const [one] = nodes
    await one!.engine.startMany(Array.from({ length: 200 }, () => ({ definitionId: 'quick' })))
    await until('all have ended', async () => (await one!.engine.list({ status: 'completed' }, 500)).length === 200)
    const seen = new Set<string>()
    const looking = (async () => {
      while (!seen.has('over')) for (const name of await shownLocks()) seen.add(name)
    })()
    const reports = await Promise.all(nodes.map(({ engine }) => engine.retention.sweep()))
    seen.add('over')
    await looking
    const swept = reports.reduce((sum, report) => sum + (report?.instances ?? 0), 0)
    expect(swept).toBe(200)
    expect(reports.filter((report) => (report?.instances ?? 0) > 0)).toHaveLength(1)
  })

  it('mends what nobody else would: a bookmark of an instance that has ended', async () => {
    const { db, engine } = nodes[0]!
    const { instanceId } = await engine.start({ definitionId: 'quick' })
    await engine.waitForEnd(instanceId)
    await readRows(
      db,
      `insert into bookmark select (json_populate_record(null::bookmark, json_build_object(
         'id', gen_random_uuid(), 'tenant', 'default', 'instance_id', $1::uuid, 'step', 's', 'kind', 'event', 'name', 'n', 'hash', '\\x00',
         'created_at', clock_timestamp()))).*`,
      [instanceId],
    )
    const report = await engine.maintenance.do('orphans')
    expect(report).toMatchObject({ status: 'done', figures: { repaired: 1 } })
    expect(await readRows(db, 'select 1 from bookmark', [])).toEqual([])
    expect(await engine.maintenance.do('orphans')).toMatchObject({ figures: { repaired: 0 } })
    expect(await engine.maintenance.do('step-rows')).toMatchObject({ status: 'done' })
  })

  it('tells of a lease whose process is gone, once, and leaves it to its time', async () => {
    const { db, locks, engine } = nodes[0]!
    const told: unknown[] = []
    const logger: Logger = { ...silentLogger, warn: (message, fields) => told.push({ message, ...fields }) }
    engine.maintenance.add(watchStaleLeases({ locks: () => locks, logger }))
    await using alive = await locks.mutex('alive').acquire()
    await readRows(
      db,
      `insert into lease_lock (namespace, name, kind, token, fence, acquired_at, expires_at, holder)
       values ('lockstep', 'left', 'mutex', 'a token', 7, clock_timestamp(), clock_timestamp() + interval '1 hour', $1)`,
      [JSON.stringify({ nodeId: 'gone', node: 'ghost', pid: 12, host: 'nowhere' })],
    )
    for (let round = 0; round < 2; round += 1)
      expect(await engine.maintenance.do('stale-leases')).toMatchObject({ status: 'done', figures: { stale: 1 } })
    expect(told).toEqual([expect.objectContaining({ lock: 'left', node: 'ghost', pid: 12 })])
    expect(await shownLocks()).toEqual(expect.arrayContaining(['alive', 'left']))
    alive.assertHeld()
  })
})

import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runPsql, type ServerHandle, ServerStopped, startPostgres } from '../../src/harness/index.ts'
import { findProcess, listProcesses, workingFolder } from '../../src/harness/process-table.ts'
import { openPsql } from '../../src/harness/psql.ts'
import { footprintOf, segmentsMadeBy } from './footprint.ts'
import { own } from './own.ts'
import { waitUntil } from './wait-until.ts'

const query = (server: ServerHandle, sql: string): Promise<string[]> => runPsql(server.url, 'testing', sql)

describe('a durable PostgreSQL', () => {
  let pg: ServerHandle
  beforeAll(async () => {
    pg = await startPostgres({ ...own, durable: true, settings: { work_mem: '5MB' } })
    await query(pg, 'create table fact (value int); insert into fact values (0);')
  })
  afterAll(() => pg.stop())

  it('runs with the settings it was given, and stock durability', async () => {
    expect(await query(pg, 'show work_mem; show fsync; show full_page_writes; show max_connections;')).toEqual([
      '5MB',
      'on',
      'on',
      '200',
    ])
  })

  it('keeps what was committed over kill -9, with sessions open', async () => {
    const session = openPsql(pg.url, 'sleeping')
    const sleeping = session.query('select pg_sleep(600);').catch((error: unknown) => error)
    await waitUntil('the session sleeps', async () =>
      (await query(pg, `select 1 from pg_stat_activity where wait_event = 'PgSleep';`)).at(0),
    )
    await query(pg, 'insert into fact values (1);')
    const { pid, port } = pg

    await pg.kill9()
    expect(pg.pid).toBeUndefined()
    expect(listProcesses().filter((entry) => workingFolder(entry.pid)?.startsWith(`${pg.folder}`))).toEqual([])
    expect(await sleeping).toBeInstanceOf(Error)
    await session.close()

    await pg.start()
    expect(pg.port).toBe(port)
    expect(pg.pid).not.toBe(pid)
    expect(await query(pg, 'select value from fact;')).toEqual(['0', '1'])
  })

  it('can be brought back after it was killed from outside', async () => {
    process.kill(pg.pid as number, 'SIGKILL')
    await waitUntil('the handle has noticed', () => pg.pid === undefined)
    await pg.restart()
    expect(await query(pg, 'select count(*) > 0 from fact;')).toEqual(['t'])
  })

  it('answers neither old nor new sessions while paused, and all of them afterwards', async () => {
    const session = openPsql(pg.url, 'asking')
    await session.query('select 1;')
    await pg.pause()
    const ours = listProcesses().filter((entry) => workingFolder(entry.pid)?.startsWith(`${pg.folder}`))
    expect(ours.length).toBeGreaterThan(4)
    expect(ours.map((entry) => entry.state)).toEqual(ours.map(() => 'T'))

    const answered: string[] = []
    const old = session.query('select 2;').then(() => answered.push('old'))
    const fresh = query(pg, 'select 3;').then(() => answered.push('new'))
    const paused = await Promise.race([
      old,
      fresh,
      // PostgreSQL would answer thousands of times while another server starts and stops.
      startPostgres(own)
        .then((other) => other.stop())
        .then(() => 'still paused'),
    ])
    expect(paused).toBe('still paused')

    await pg.resume()
    await Promise.all([old, fresh])
    expect(answered.sort()).toEqual(['new', 'old'])
    await session.close()
  })

  it('restarts on the same port with the same data, also out of a pause', async () => {
    const { pid, url } = pg
    await pg.pause()
    await pg.restart()
    expect(pg.url).toBe(url)
    expect(pg.pid).not.toBe(pid)
    expect(await query(pg, 'select count(*) > 0 from fact;')).toEqual(['t'])
    expect(pg.log(200).join('\n')).toContain('received fast shutdown request')
  })

  it('can be restarted without waiting for it', async () => {
    await pg.restart({ ready: false })
    expect(pg.pid).toBeDefined()
    await waitUntil('it answers', () => query(pg, 'select 1;').catch(() => undefined))
  })

  it('takes verbs given at once one after the other', async () => {
    await Promise.all([pg.pause(), pg.kill9(), pg.start(), pg.start()])
    expect(await query(pg, 'select 1;')).toEqual(['1'])
  })
})

it('PostgreSQL for tests of logic runs without waiting for the disk', async () => {
  const pg = await startPostgres({ ...own, maxConnections: 33 })
  const settings = 'show fsync; show synchronous_commit; show full_page_writes; show max_connections;'
  expect(await query(pg, settings)).toEqual(['off', 'off', 'off', '33'])
  expect(await query(pg, 'show server_encoding; show listen_addresses;')).toEqual(['UTF8', '127.0.0.1'])
  await pg.stop()
})

it('nothing of a killed PostgreSQL is left after stop, not even shared memory', async () => {
  const pg = await startPostgres(own)
  const footprint = footprintOf(pg)
  const pid = pg.pid as number
  expect(existsSync(footprint.folder)).toBe(true)
  expect(footprint.processes.length).toBeGreaterThan(5)
  expect(segmentsMadeBy(pid)).toHaveLength(1)

  await pg.kill9()
  expect(segmentsMadeBy(pid)).toHaveLength(1)
  await Promise.all([pg.stop(), pg.stop()])
  expect(segmentsMadeBy(pid)).toEqual([])
  expect(existsSync(footprint.folder)).toBe(false)
  expect(footprint.processes.filter(({ pid: member }) => findProcess(member))).toEqual([])
  await expect(pg.start()).rejects.toSatisfy(ServerStopped.is)
})

/** `close()` leaves no timer, key, subscription or connection: the process ends by itself, and the server has forgotten it. */
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Db, openPostgres } from '@lockstep/postgres'
import { cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { until } from '../faults/until.ts'
import { RedisShell } from './redis-shell.ts'
import { Site } from './site.ts'
import type { Worker } from './worker.ts'

/** Holds, waits, hands over, and is closed in the middle of it. */
async function useEverything(site: Site): Promise<Worker[]> {
  const [one, two] = [await site.worker(), await site.worker()]
  await one.call('take', { as: 'held', lock: 'held' })
  await one.call('take', { as: 'short', lock: 'short', renew: false })
  await one.call('take', { as: 'given back', lock: 'given back' })
  await one.call('release', { as: 'given back' })
  const waiting = two.call('take', { lock: 'held', waitMs: 60_000 })
  waiting.catch(() => undefined)
  await two.call('take', { as: 'own', lock: 'own' })
  await two.call('loop')
  await site.progress([two], 3)
  return [one, two]
}

async function endsByItself(workers: readonly Worker[]): Promise<void> {
  for (const worker of workers) {
    void worker.call('close')
    await until(`${worker.name} ends by itself`, () => worker.isOver)
    expect(await worker.ended()).toBe(0)
    expect(worker.unhandled).toEqual([])
  }
}

describe('on Redis', () => {
  let server: ServerHandle
  beforeAll(async () => {
    server = await startRedis({ quiet: true })
  })
  afterAll(() => server?.stop())

  it('closing leaves nothing', async () => {
    await using shell = await RedisShell.open(server.url)
    await using site = await Site.open({ kind: 'redis', url: server.url })
    const workers = await useEverything(site)
    expect(
      String(await shell.send('CLIENT', 'LIST'))
        .trim()
        .split('\n').length,
    ).toBeGreaterThan(2)
    await endsByItself(workers)
    await until('no connection is left', async () => {
      const clients = String(await shell.send('CLIENT', 'LIST'))
        .trim()
        .split('\n')
      return clients.length === 1
    })
    expect(await shell.send('PUBSUB', 'CHANNELS')).toEqual([])
    const keys = ((await shell.send('KEYS', '*')) as string[]).sort()
    // What stays is bounded and ends by itself: the high-water marks of fences, one for each bucket, and histories.
    expect(keys.filter((key) => /held|short|own|the lock/.test(key) && !isHistory(key))).toEqual([])
    // -1: it would stay for ever. One that has ended since it was listed is -2.
    for (const key of keys) expect(Number(await shell.send('PTTL', key)), key).not.toBe(-1)
  })
})

describe('on a Redis that is away', () => {
  it('closing ends all the same, in bounded time', async () => {
    await using server = await startRedis({ quiet: true })
    await using site = await Site.open({ kind: 'redis', url: server.url })
    const [one, two] = await useEverything(site)
    await server.kill9()
    await endsByItself([one!])
    await server.start()
    await server.pause()
    await endsByItself([two!])
    await server.resume()
  })
})

const isHistory = (key: string): boolean => /:(history|hist|events?|log):/.test(key)

describe('on PostgreSQL', () => {
  let url: string
  let drop: () => Promise<void>
  let db: Db
  beforeAll(async () => {
    ;({ url, drop } = await cloneDatabase(inject('postgres')))
    db = await openPostgres({ url, clock, random, applicationName: 'shell of the test' })
  })
  afterAll(async () => {
    await db?.close()
    await drop?.()
  })

  it('closing leaves nothing', async () => {
    await using site = await Site.open({ kind: 'postgres', url })
    const workers = await useEverything(site)
    const connections = () =>
      readRows(
        db,
        `select pid from pg_stat_activity where datname = current_database() and application_name <> 'shell of the test'`,
      )
    expect((await connections()).length).toBeGreaterThan(1)
    await endsByItself(workers)
    await until('no connection is left', async () => (await connections()).length === 0)
    for (const table of ['lease_holder', 'lease_waiter', 'coordination_member'])
      expect(await readRows(db, `select * from ${table}`), table).toEqual([])
  })
})

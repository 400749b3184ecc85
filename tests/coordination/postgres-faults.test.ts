/** PostgreSQL breaks under the locks. It forgets nothing, so nobody may even believe in a lease that another has. */
import { setTimeout as delay } from 'node:timers/promises'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { type Db, migrate, openPostgres } from '@lockstep/postgres'
import { cutStatement, startFaultProxy } from '@lockstep/testing/faults'
import { cloneDatabase, startPostgres } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { readRows } from '../faults/read-rows.ts'
import { processFaults } from './process-faults.ts'
import { Site } from './site.ts'

/** Spared when backends are killed. */
const SHELL = 'shell of the test'

let url: string
let drop: () => Promise<void>
let db: Db
beforeAll(async () => {
  ;({ url, drop } = await cloneDatabase(inject('postgres')))
  db = await openPostgres({ url, clock, random, applicationName: SHELL })
})
afterAll(async () => {
  await db?.close()
  await drop?.()
})

const here = () => ({ kind: 'postgres', url }) as const

processFaults(here)

describe('backends that are killed', () => {
  it('cost connections, not leases, and those who wait go on', async () => {
    await using site = await Site.open(here())
    const workers = await site.looping(3, { ttlMs: 2_000, workMs: 10 })
    await site.progress(workers, 2)
    for (let round = 0; round < 6; round += 1) {
      await readRows(
        db,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where datname = current_database() and application_name <> '${SHELL}' and pid <> pg_backend_pid()`,
      )
      await delay(250)
    }
    await site.progress(workers, 3)
    expect(site.violations()).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})

describe('a reply that never came', () => {
  it('leaves no ghost that holds the lock: the others go on long before its time is over', async () => {
    await using site = await Site.open(here())
    await using proxy = await startFaultProxy({ target: url })
    const cut = await site.looping(1, {
      provider: { kind: 'postgres', url: proxy.url(url), namespace: site.provider.namespace },
      ttlMs: 60_000,
    })
    const direct = await site.looping(2, { ttlMs: 60_000 })
    await site.progress([...cut, ...direct], 2)
    const fault = cutStatement({ when: 'after-forward', matching: /lease|lockstep_/i, chance: 0.3, times: 6 })
    const handle = proxy.use(fault)
    await fault.landed()
    await site.progress(direct, 10)
    await handle.remove()
    await site.progress([...cut, ...direct], 3)
    expect(site.violations()).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})

describe('a server that is killed', () => {
  it('comes back with its leases and its fences', async () => {
    await using own = await startPostgres({ quiet: true, durable: true })
    const cloned = await cloneDatabase(own, 'template1')
    await using direct = await openPostgres({ url: cloned.url, clock, random })
    await migrate(direct, { mode: 'auto', clock, random })
    await using site = await Site.open({ kind: 'postgres', url: cloned.url })
    const workers = await site.looping(2, { ttlMs: 1_000, workMs: 10 })
    await site.progress(workers, 3)
    await own.kill9()
    await own.start()
    await site.progress(workers, 3)
    expect(site.violations()).toEqual([])
    expect(site.unhandled()).toEqual([])
  })
})

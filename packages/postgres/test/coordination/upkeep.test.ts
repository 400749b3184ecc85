import type { CoordinationProvider, LeaseRequest } from '@lockstep/coordination'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { acquire, release, renew } from '../../src/coordination/lease.sql.ts'
import { sweepOnce } from '../../src/coordination/sweeper.ts'
import { type Db, postgresCoordination, statement } from '../../src/index.ts'
import { edge, openTestPostgres } from '../open-test-database.ts'
import { emptyLeases, migratedPglite } from './open-coordination.ts'

const namespace = 'upkeep'
const rows = statement<undefined, { name: string }>(
  'test_lock_names',
  () => [],
  'select name from lease_lock order by name',
)
const events = statement<undefined, { kind: string; count: number }>(
  'test_event_kinds',
  () => [],
  'select kind, count(*)::int4 as count from lease_event group by kind order by kind',
)
const explain = statement<undefined, { 'QUERY PLAN': string }>(
  'test_explain_list',
  () => [],
  `explain select * from lease_lock where namespace = 'upkeep' and name >= 'job:' and name > '' and name < 'job;' order by name limit 51`,
)

const acquireAll = statement<readonly unknown[]>('test_acquire', (p) => p, acquire.text)
const renewAll = statement<readonly unknown[]>('test_renew', (p) => p, renew.text)
const releaseAll = statement<readonly unknown[]>('test_release', (p) => p, release.text)

describe.each(['postgres', 'pglite'] as const)('upkeep of leases on %s', (kind) => {
  let db: Db
  let url: string
  let provider: CoordinationProvider
  let drop: (() => Promise<void>) | undefined
  let count = 0
  beforeAll(async () => {
    if (kind === 'postgres') {
      const cloned = await cloneDatabase(inject('postgres'))
      drop = () => cloned.drop()
      ;({ url } = cloned)
      db = await openTestPostgres(url)
    } else db = await migratedPglite()
    provider = postgresCoordination(db, { ...edge, namespace })
  })
  afterAll(async () => {
    await provider?.close()
    await db?.close()
    await drop?.()
  })
  beforeEach(() => emptyLeases(db))

  const mutex = (name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest => ({
    ...{ name, kind: 'mutex', share: { kind: 'mutex' }, ttlMs: 60_000, fenceCount: 1, holder: '{}' },
    token: `token-${++count}`,
    ...extra,
  })
  const names = async (): Promise<string[]> => (await db.many(rows)).map((row) => row.name)
  const sweep = (options = {}): Promise<string> => sweepOnce(db, namespace, '', options)
  const fenceOf = async (request: LeaseRequest): Promise<bigint> => {
    const answer = (await provider.leases.acquire([request])).answers[0]!
    if (answer.status !== 'granted') throw new Error(answer.status)
    return answer.fence
  }

  it('removes free rows when they were idle, and the fence goes on rising', async () => {
    const held = mutex('orders')
    const before = await fenceOf(held)
    await provider.leases.release([held])
    await sweep()
    expect(await names()).toEqual(['orders'])
    await sweep({ idleMs: 0 })
    expect(await names()).toEqual([])
    expect(await fenceOf(mutex('orders'))).toBeGreaterThan(before)
  })

  it('removes what the dead left, of every kind, and nothing that is held or waited for', async () => {
    const wait = { address: 'x', priority: 0, aliveMs: 60_000, grantTtlMs: 60_000 }
    const permits = { kind: 'semaphore', share: { kind: 'permits', weight: 1, max: 1 } } as const
    const dead = [
      mutex('dead 1'),
      mutex('dead 2', permits),
      mutex('dead 3', { kind: 'read-write', share: { kind: 'read' } }),
    ]
    const alive = [mutex('held 1'), mutex('held 2', permits), mutex('queue')]
    await provider.leases.acquire([...dead, ...alive, mutex('queue', { wait })])
    await db.script(`update lease_lock set expires_at = clock_timestamp() - interval '1 s' where name like 'dead%' or name = 'queue';
                     update lease_holder set expires_at = clock_timestamp() - interval '1 s' where name like 'dead%'`)
    await sweep({ idleMs: 0 })
    expect(await names()).toEqual(['held 1', 'held 2', 'queue'])
    const queue = await provider.registry.read('queue')
    expect(queue).toMatchObject({ waitingCount: 0, holders: [{ token: `token-${count}` }] })
    expect((await provider.leases.renew([...dead, ...alive])).answers).toEqual([
      'lost',
      'lost',
      'lost',
      'renewed',
      'renewed',
      'lost',
    ])
  })

  it('keeps a size that was set after everything else of the name is gone', async () => {
    await provider.registry.resize('pool', 3)
    await sweep({ idleMs: 0 })
    expect(await names()).toEqual([])
    expect(await provider.registry.read('pool')).toMatchObject({ kind: 'semaphore', max: 3, holders: [] })
  })

  it('keeps 32 events of a name and the newest in all, but every break', async () => {
    const wait = { address: 'x', priority: 0, aliveMs: 60_000, grantTtlMs: 60_000 }
    const line = Array.from({ length: 50 }, () => mutex('orders', { wait }))
    await provider.leases.acquire(line)
    await provider.registry.break('orders', { reason: 'first', by: 'somebody' })
    await provider.leases.release(line)
    const kinds = (): Promise<readonly { kind: string; count: number }[]> => db.many(events)
    expect((await kinds()).reduce((sum, each) => sum + each.count, 0)).toBeLessThanOrEqual(33)
    await sweep({ events: 3 })
    expect(
      (await kinds()).filter((each) => each.kind !== 'broken').reduce((sum, each) => sum + each.count, 0),
    ).toBeLessThanOrEqual(4)
    expect(await kinds()).toContainEqual({ kind: 'broken', count: 1 })
    expect((await provider.registry.history('orders', 100)).some((event) => event.reason === 'first')).toBe(true)
  })

  it('forgets members long gone', async () => {
    await provider.members.beat({ id: 'gone', name: 'gone', pid: 1, host: 'here' }, 1_000)
    await db.script(`update coordination_member set expires_at = clock_timestamp() - interval '2 minutes'`)
    await sweep()
    expect(
      await db.many(
        statement<undefined, { id: string }>('test_members', () => [], 'select id from coordination_member'),
      ),
    ).toEqual([])
  })

  it('lists what is in use among many names that are free, looking at a bounded number of them', async () => {
    await db.script(`insert into lease_lock (namespace, name, kind, idle_since)
                     select 'upkeep', 'job:' || lpad(i::text, 6, '0'), 'mutex', now() from generate_series(1, 12000) i`)
    await provider.leases.acquire([mutex('job:000100'), mutex('job:007000'), mutex('job:011999'), mutex('job')])
    const seen: string[] = []
    let pages = 0
    let after: string | undefined
    do {
      const page = await provider.registry.list({ prefix: 'job:', limit: 2, ...(after === undefined ? {} : { after }) })
      seen.push(...page.locks.map((lock) => lock.name))
      after = page.next
      pages += 1
    } while (after !== undefined && pages < 20)
    expect(seen).toEqual(['job:000100', 'job:007000', 'job:011999'])
    expect(pages).toBe(3)
    if (kind === 'postgres') await db.script('analyze lease_lock')
    expect((await db.many(explain)).map((row) => row['QUERY PLAN']).join('\n')).toContain('Index Cond')
  })

  it('does not walk the table, whatever its statistics say', async () => {
    // Statistics of an empty table make the planner prefer to read it all, and the plans made then stay.
    await db.script('analyze lease_lock')
    const scans = statement<undefined, { whole: number }>(
      'test_seq_scans',
      () => [],
      `select pg_stat_get_xact_numscans('lease_lock'::regclass)::int4 as whole`,
    )
    await db.transaction(async (tx) => {
      const walk = statement('test_walk', () => [], `select 1 from lease_lock where namespace = 'x' and name = 'y'`)
      const earlier = (await tx.one(scans)).whole
      await tx.run(walk)
      const before = (await tx.one(scans)).whole
      expect(before).toBe(earlier + 1)
      for (let i = 0; i < 10; i += 1) {
        const { token } = mutex('name')
        const nothing = [null]
        await tx.run(acquireAll, [
          namespace,
          ['name'],
          [token],
          ['mutex'],
          [1],
          nothing,
          [60_000],
          [1],
          ['{}'],
          nothing,
          nothing,
          nothing,
          nothing,
          nothing,
        ])
        await tx.run(renewAll, [namespace, ['name'], [token], [true], [60_000]])
        await tx.run(releaseAll, [namespace, ['name'], [token], [true]])
      }
      expect((await tx.one(scans)).whole).toBe(before)
    })
  })

  it('leaves nothing that runs or listens after close', async () => {
    const one = postgresCoordination(db, { ...edge, namespace: 'closing' })
    const notices: unknown[] = []
    await one.leases.listen('a', { onNotice: (notice) => void notices.push(notice), onGap: () => notices.push('gap') })
    const held = mutex('orders', { address: 'a' })
    await one.leases.acquire([held])
    await one.close()
    await one.close()
    const other = postgresCoordination(db, { ...edge, namespace: 'closing' })
    await other.registry.break('orders', { reason: 'test', by: 'test' })
    await other.health.probe()
    expect(notices).toEqual([])
    const quick = mutex('quick')
    await other.leases.acquire([quick])
    await other.leases.release([quick])
    expect(await names()).toEqual(['orders', 'quick'])
    await other.close()
    expect(await names()).toEqual([])
  })

  it('closes although its database is closed', async () => {
    const gone = kind === 'postgres' ? await openTestPostgres(url) : await migratedPglite()
    const one = postgresCoordination(gone, { ...edge, namespace: 'closing' })
    await gone.close()
    await one.close()
  })
})

import type { CoordinationProvider, LeaseNotice, LeaseRequest } from '@lockstep/coordination'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { acquire, release, renew } from '../../src/coordination/lease.sql.ts'
import { leaseChannels } from '../../src/coordination/lease-channel.ts'
import { leaseColumns } from '../../src/coordination/lease-columns.ts'
import { type Db, postgresCoordination } from '../../src/index.ts'
import { openSession, type Session, type Traffic, watchLocks } from '../engine/scripted-sessions.ts'
import { edge, openTestPostgres, until } from '../open-test-database.ts'
import { emptyLeases } from './open-coordination.ts'

/** Who comes first is written down here, step by step: one side is a session whose transaction the test holds open. */
/** Waited out, and long enough for a statement on a busy machine. */
const BRIEF_MS = 1_500

describe('interleavings of leases', () => {
  const namespace = 'scripted'
  let url: string
  let db: Db
  let provider: CoordinationProvider
  let notices: LeaseNotice[]
  let sessions: Session[]
  let traffic: Traffic
  let drop: () => Promise<void>
  let count = 0

  beforeAll(async () => {
    const cloned = await cloneDatabase(inject('postgres'))
    ;({ url } = cloned)
    drop = () => cloned.drop()
    db = await openTestPostgres(url)
    provider = postgresCoordination(db, { ...edge, namespace })
    await provider.leases.listen('here', { onNotice: (notice) => void notices.push(notice), onGap: () => {} })
  })
  afterAll(async () => {
    await provider?.close()
    await db?.close()
    await drop?.()
  })
  beforeEach(async () => {
    notices = []
    sessions = []
    await emptyLeases(db)
    traffic = watchLocks(await session())
  })
  afterEach(async () => {
    for (const each of sessions) await each.close()
  })

  const session = async (): Promise<Session> => {
    const opened = await openSession(url, db.schema)
    sessions.push(opened)
    return opened
  }
  const mutex = (name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest => ({
    ...{ name, kind: 'mutex', share: { kind: 'mutex' }, ttlMs: 60_000, fenceCount: 1, holder: '{}' },
    token: `token-${++count}`,
    ...extra,
  })
  const waiting = (name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest =>
    mutex(name, { wait: { address: 'here', priority: 0, aliveMs: 60_000, grantTtlMs: 60_000 }, ...extra })
  const ask = async (request: LeaseRequest) => (await provider.leases.acquire([request])).answers[0]!
  const end = async (request: LeaseRequest) => (await provider.leases.release([request])).answers[0]!
  const renewed = async (request: LeaseRequest) => (await provider.leases.renew([request])).answers[0]!

  const askIn = async (at: Session, ...requests: LeaseRequest[]) => {
    const columns = leaseColumns(requests, leaseChannels(db.schema, namespace))
    const [row] = await at.query<{ fences: (string | null)[] }>(
      acquire.text,
      acquire.bind({ namespace, columns }) as unknown[],
    )
    return row!.fences
  }
  const keys = (...requests: LeaseRequest[]) => ({
    namespace,
    names: requests.map((each) => each.name),
    tokens: requests.map((each) => each.token),
    mutex: requests.map((each) => each.kind === 'mutex'),
  })
  const endIn = async (at: Session, ...requests: LeaseRequest[]) =>
    (await at.query<{ released: boolean[] }>(release.text, release.bind(keys(...requests))))[0]!.released
  const renewIn = async (at: Session, request: LeaseRequest) =>
    (await at.query<{ renewed: boolean[] }>(renew.text, renew.bind({ ...keys(request), ttls: [60_000] })))[0]!.renewed
  /** As if its time had passed. */
  const expire = (name: string) =>
    db.script(`update lease_lock set expires_at = clock_timestamp() - interval '1 s' where name = '${name}';
               update lease_holder set expires_at = clock_timestamp() - interval '1 s' where name = '${name}'`)

  /** What everybody but an open transaction sees of it has ended. */
  const untilEnded = (name: string): Promise<void> =>
    until(async () => {
      const held = await sessions[0]!.query(
        'select 1 from lease_held where name = $1 and expires_at > clock_timestamp()',
        [name],
      )
      return held.length === 0
    })

  it('gives an expired row to the first of two who take it at once', async () => {
    await ask(mutex('orders'))
    await expire('orders')
    const first = await session()
    await first.begin()
    const [fence] = await askIn(first, mutex('orders'))
    const late = ask(mutex('orders'))
    await traffic.untilSomebodyWaitsFor(first)
    await first.commit()
    expect(fence).not.toBeNull()
    expect((await late).status).toBe('busy')
  })

  it('gives a new name to the first of two who take it at once, and to the second when the first is undone', async () => {
    for (const [ending, status] of [
      ['commit', 'busy'],
      ['rollback', 'granted'],
    ] as const) {
      const first = await session()
      await first.begin()
      await askIn(first, mutex(`new ${ending}`))
      const late = ask(mutex(`new ${ending}`))
      await traffic.untilSomebodyWaitsFor(first)
      await first.query(ending)
      expect((await late).status).toBe(status)
    }
  })

  it('raises the fence for somebody whose insert waited while the name was made, used and removed', async () => {
    const first = await session()
    await first.begin()
    const held = mutex('orders')
    await askIn(first, held)
    const late = ask(mutex('orders'))
    await traffic.untilSomebodyWaitsFor(first)
    // In the transaction it waits for, the name is given out again and its row goes.
    await endIn(first, held)
    const again = mutex('orders')
    const [fence] = await askIn(first, again)
    await endIn(first, again)
    await first.query('delete from lease_lock')
    await first.commit()
    const answer = await late
    expect(answer.status === 'granted' && answer.fence).toBeGreaterThan(BigInt(fence!))
  })

  it('hands over to a waiter that came just before the release', async () => {
    const held = mutex('orders')
    await ask(held)
    const queue = await session()
    await queue.begin()
    const next = waiting('orders')
    await askIn(queue, next)
    const released = end(held)
    await traffic.untilSomebodyWaitsFor(queue)
    await queue.commit()
    expect(await released).toBe('released')
    await until(() => notices.length === 1)
    expect(notices[0]).toMatchObject({ kind: 'granted', token: next.token })
    expect(await renewed(next)).toBe('renewed')
  })

  it('grants to a waiter that came just after the release', async () => {
    const held = mutex('orders')
    await ask(held)
    const leaving = await session()
    await leaving.begin()
    expect(await endIn(leaving, held)).toEqual([true])
    const next = ask(waiting('orders'))
    await traffic.untilSomebodyWaitsFor(leaving)
    await leaving.commit()
    expect((await next).status).toBe('granted')
  })

  it('lets a renewal that was first keep a lease from being taken', async () => {
    const held = mutex('orders', { ttlMs: BRIEF_MS })
    const owner = await session()
    await owner.begin()
    await ask(held)
    expect(await renewIn(owner, held)).toEqual([true])
    await untilEnded(held.name)
    const thief = ask(mutex('orders'))
    await traffic.untilSomebodyWaitsFor(owner)
    await owner.commit()
    expect((await thief).status).toBe('busy')
  })

  it('refuses a renewal that came after somebody took the expired lease', async () => {
    for (const kind of ['mutex', 'semaphore'] as const) {
      const share = kind === 'mutex' ? ({ kind } as const) : ({ kind: 'permits', weight: 1, max: 1 } as const)
      const held = mutex(kind, { kind, share })
      await ask(held)
      await expire(kind)
      const thief = await session()
      await thief.begin()
      expect((await askIn(thief, mutex(kind, { kind, share })))[0]).not.toBeNull()
      const late = renewed(held)
      await thief.commit()
      expect(await late).toBe('lost')
    }
  })

  it('does not take a permit that is renewed while its end is being noticed', async () => {
    const held = mutex('pool', { kind: 'semaphore', share: { kind: 'permits', weight: 1, max: 1 }, ttlMs: BRIEF_MS })
    const owner = await session()
    await owner.begin()
    await ask(held)
    expect(await renewIn(owner, held)).toEqual([true])
    await untilEnded(held.name)
    const thief = ask({ ...held, token: 'thief' })
    await traffic.untilSomebodyWaitsFor(owner)
    await owner.commit()
    expect((await thief).status).toBe('busy')
    expect(await renewed(held)).toBe('renewed')
  })

  it('passes a grant on that reached a waiter just before it withdrew', async () => {
    const held = mutex('orders')
    const [fickle, next] = [waiting('orders'), waiting('orders')]
    for (const each of [held, fickle, next]) await ask(each)
    const leaving = await session()
    await leaving.begin()
    await endIn(leaving, held)
    const withdrawn = end(fickle)
    await traffic.untilSomebodyWaitsFor(leaving)
    await leaving.commit()
    expect(await withdrawn).toBe('released')
    await until(() => notices.some((notice) => notice.token === next.token))
    expect(await renewed(next)).toBe('renewed')
    expect(await renewed(fickle)).toBe('lost')
  })

  it('passes over a waiter that withdrew just before the release', async () => {
    const held = mutex('orders')
    const [fickle, next] = [waiting('orders'), waiting('orders')]
    for (const each of [held, fickle, next]) await ask(each)
    const leaving = await session()
    await leaving.begin()
    expect(await endIn(leaving, fickle)).toEqual([true])
    const released = end(held)
    await traffic.untilSomebodyWaitsFor(leaving)
    await leaving.commit()
    expect(await released).toBe('released')
    await until(() => notices.length === 1)
    expect(notices[0]).toMatchObject({ token: next.token })
  })

  it('does not lose a size that was set while the name was first used', async () => {
    const permits = (token: string, weight: number): LeaseRequest =>
      mutex('pool', { kind: 'semaphore', share: { kind: 'permits', weight, max: 5 }, token })
    const first = await session()
    await first.begin()
    await askIn(first, permits('one', 1))
    const resized = provider.registry.resize('pool', 2)
    await traffic.untilSomebodyWaitsFor(first)
    await first.commit()
    await resized
    expect((await ask(permits('two', 2))).status).toBe('busy')
    expect(await ask(permits('three', 3))).toEqual({ status: 'too-heavy', max: 2 })
  })

  it('keeps those who ask from a row that the sweeper is about to remove', async () => {
    const held = mutex('orders')
    await ask(held)
    await end(held)
    const sweeper = await session()
    await sweeper.begin()
    await sweeper.query('select lockstep_lease_sweep($1, $2, 100, 0, 1000)', [namespace, ''])
    const next = ask(waiting('orders'))
    await traffic.untilSomebodyWaitsFor(sweeper)
    await sweeper.commit()
    expect((await next).status).toBe('granted')
    expect((await ask(mutex('orders'))).status).toBe('busy')
  })

  it('lets the sweeper pass by a row that somebody is taking', async () => {
    const held = mutex('orders')
    await ask(held)
    await end(held)
    const taking = await session()
    await taking.begin()
    const next = mutex('orders')
    expect((await askIn(taking, next))[0]).not.toBeNull()
    const sweeper = await session()
    await sweeper.query('select lockstep_lease_sweep($1, $2, 100, 0, 1000)', [namespace, ''])
    await taking.commit()
    expect(await renewed(next)).toBe('renewed')
  })

  it('does not deadlock when batches hold the same names, whatever their order', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `lock ${i}`)
    const other = await openTestPostgres(url)
    const another = postgresCoordination(other, { ...edge, namespace })
    const kinds = ['mutex', 'semaphore'] as const
    const requests = (list: readonly string[]): LeaseRequest[] =>
      list.map((name, i) => {
        const kind = kinds[Number(name.slice(5)) % 2]!
        const share = kind === 'mutex' ? ({ kind } as const) : ({ kind: 'permits', weight: 1, max: 2 } as const)
        return i % 3 === 0 ? waiting(name, { kind, share }) : mutex(name, { kind, share })
      })
    const visit = async (at: CoordinationProvider, list: readonly string[]): Promise<void> => {
      const wanted = requests(list)
      await at.leases.acquire(wanted)
      await Promise.all([at.leases.renew(wanted), at.leases.acquireTogether(requests(list))])
      await at.leases.release([...wanted].reverse())
    }
    for (let round = 0; round < 20; round += 1)
      await Promise.all([
        visit(provider, names),
        visit(another, [...names].reverse()),
        visit(provider, names.slice(round % 12)),
        visit(another, names.slice(0, (round % 12) + 1)),
      ])
    const [row] = await sessions[0]!.query<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    )
    expect(row!.deadlocks).toBe('0')
    await another.close()
    await other.close()
  })
})

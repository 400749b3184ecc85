import { type CoordinationProvider, type LeaseRequest, ProviderUnavailable } from '@lockstep/coordination'
import { blackhole, cutStatement, type FaultProxy, startFaultProxy } from '@lockstep/testing/faults'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Db, migrate, openPglite, type PostgresOptions, postgresCoordination, statement } from '../../src/index.ts'
import { edge, errorOf, openTestPostgres, testFolder, until } from '../open-test-database.ts'
import { emptyLeases } from './open-coordination.ts'

const terminateOthers = statement<{ pattern: string }>(
  'test_terminate_others',
  (p) => [p.pattern],
  `select pg_terminate_backend(pid, 10000) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and application_name = 'victim' and query ~* $1`,
)

let count = 0
const mutex = (name: string, extra: Partial<LeaseRequest> = {}): LeaseRequest => ({
  ...{ name, kind: 'mutex', share: { kind: 'mutex' }, ttlMs: 60_000, fenceCount: 4, holder: '{}' },
  token: `token-${++count}`,
  ...extra,
})

describe('leases over a bad connection', () => {
  let url: string
  let proxy: FaultProxy
  /** Goes straight to the server. */
  let direct: Db
  let sound: CoordinationProvider
  let drop: () => Promise<void>
  const open: { db: Db; provider: CoordinationProvider }[] = []

  beforeAll(async () => {
    const cloned = await cloneDatabase(inject('postgres'))
    ;({ url } = cloned)
    drop = () => cloned.drop()
    proxy = await startFaultProxy({ target: url })
    direct = await openTestPostgres(url)
    sound = postgresCoordination(direct, edge)
  })
  afterAll(async () => {
    await sound?.close()
    await direct?.close()
    await proxy?.close()
    await drop?.()
  })
  beforeEach(() => emptyLeases(direct))
  afterEach(async () => {
    await proxy.clear()
    for (const { db, provider } of open.splice(0)) {
      await provider.close()
      await db.close()
    }
  })
  const victim = async (options: Partial<PostgresOptions> = {}): Promise<CoordinationProvider> => {
    const db = await openTestPostgres(proxy.url(url), { applicationName: 'victim', ...options })
    const provider = postgresCoordination(db, edge)
    open.push({ db, provider })
    return provider
  }
  const one = async (provider: CoordinationProvider, request: LeaseRequest) =>
    (await provider.leases.acquire([request])).answers[0]!

  it('refuses when the reply to an acquire is lost; asking again gives the fence that was granted', async () => {
    const provider = await victim()
    proxy.use(cutStatement({ when: 'after-forward', matching: /lockstep_lease_acquire\(/, times: 1 }))
    const request = mutex('orders')
    expect(await errorOf(one(provider, request))).toSatisfy(ProviderUnavailable.is)
    const state = await sound.registry.read('orders')
    expect(state?.holders).toMatchObject([{ token: request.token }])
    expect(await one(provider, request)).toEqual({ status: 'granted', fence: state!.holders[0]!.fence })
  })

  it('refuses when an acquire never reached the server, and leaves nothing', async () => {
    const provider = await victim()
    proxy.use(cutStatement({ when: 'before-forward', matching: /lockstep_lease_acquire\(/, times: 1 }))
    expect(await errorOf(one(provider, mutex('orders')))).toSatisfy(ProviderUnavailable.is)
    expect(await sound.registry.read('orders')).toBeUndefined()
  })

  it('frees a ghost: a release of the token whose acquire has an unknown outcome', async () => {
    const provider = await victim()
    proxy.use(cutStatement({ when: 'after-forward', matching: /lockstep_lease_acquire\(/, times: 1 }))
    const ghost = mutex('orders')
    await errorOf(one(provider, ghost))
    expect((await provider.leases.release([ghost])).answers).toEqual(['released'])
    expect((await one(provider, mutex('orders'))).status).toBe('granted')
  })

  it('hands over once when the reply to a release is lost and it is sent again', async () => {
    const provider = await victim()
    const held = mutex('orders')
    await one(provider, held)
    const notices: string[] = []
    await sound.leases.listen('next', { onNotice: ({ token }) => void notices.push(token), onGap: () => {} })
    const wait = { address: 'next', priority: 0, aliveMs: 60_000, grantTtlMs: 60_000 }
    const [next, last] = [mutex('orders', { wait }), mutex('orders', { wait })]
    await sound.leases.acquire([next, last])
    proxy.use(cutStatement({ when: 'after-forward', matching: /lockstep_lease_release\(/, times: 1 }))
    expect(await errorOf(provider.leases.release([held]))).toSatisfy(ProviderUnavailable.is)
    expect((await provider.leases.release([held])).answers).toEqual(['gone'])
    await until(() => notices.length > 0)
    expect((await sound.leases.renew([next])).answers).toEqual(['renewed'])
    expect(notices).toEqual([next.token])
  })

  it('keeps leases over the end of every backend that carried them', async () => {
    const provider = await victim()
    const held = [mutex('a'), mutex('b', { kind: 'semaphore', share: { kind: 'permits', weight: 1, max: 1 } })]
    await provider.leases.acquire(held)
    await direct.many(terminateOthers, { pattern: 'lease_acquire' })
    await until(async () => {
      try {
        return (await provider.leases.renew(held)).answers.every((answer) => answer === 'renewed')
      } catch (error) {
        expect(error).toSatisfy(ProviderUnavailable.is)
        return false
      }
    })
    expect((await one(sound, mutex('a'))).status).toBe('busy')
  })

  it('tells of a gap when the listening connection was lost, and hears again', async () => {
    const provider = await victim()
    let gaps = 0
    const notices: string[] = []
    await provider.leases.listen('ear', {
      onNotice: ({ token }) => void notices.push(token),
      onGap: () => {
        gaps += 1
      },
    })
    expect(gaps).toBe(0)
    await direct.many(terminateOthers, { pattern: '^listen' })
    await until(() => gaps > 0)
    const held = mutex('orders', { address: 'ear' })
    await one(provider, held)
    await sound.registry.break('orders', { reason: 'test', by: 'test' })
    await until(() => notices.includes(held.token))
  })

  it('refuses while nothing comes through, and within its time', async () => {
    const provider = await victim({ statementTimeoutMs: 300, acquireTimeoutMs: 300, connectTimeoutMs: 300 })
    await one(provider, mutex('orders'))
    proxy.use(blackhole())
    expect(await errorOf(one(provider, mutex('orders')))).toSatisfy(ProviderUnavailable.is)
    expect(await errorOf(provider.health.probe())).toSatisfy(ProviderUnavailable.is)
    expect(await errorOf(provider.leases.listen('x', { onNotice: () => {}, onGap: () => {} }))).toSatisfy(
      ProviderUnavailable.is,
    )
  })

  it('refuses after its database was closed', async () => {
    const provider = await victim()
    await open[0]!.db.close()
    expect(await errorOf(one(provider, mutex('orders')))).toSatisfy(ProviderUnavailable.is)
  })

  it('says of a read-only session that it takes no leases', async () => {
    const provider = await victim({ lanes: { control: { settings: { default_transaction_read_only: 'on' } } } })
    expect(await errorOf(one(provider, mutex('orders')))).toSatisfy(ProviderUnavailable.is)
    const { findings } = await provider.health.probe()
    expect(findings.find(({ check }) => check === 'replica')).toMatchObject({ level: 'error', fix: expect.any(String) })
  })

  it('does the same through what a transaction pooler leaves: nothing prepared, nothing set', async () => {
    await direct.script(
      `alter role postgres in database "${new URL(url).pathname.slice(1)}" set search_path = lockstep`,
    )
    const provider = await victim({ pooler: true })
    const held = mutex('orders')
    expect((await one(provider, held)).status).toBe('granted')
    expect((await one(provider, mutex('orders'))).status).toBe('busy')
    expect((await provider.leases.renew([held])).answers).toEqual(['renewed'])
    expect((await provider.leases.release([held])).answers).toEqual(['released'])
    const { findings } = await provider.health.probe()
    expect(findings.find(({ check }) => check === 'subscription')?.level).toBe('ok')
  })

  it('says what it cannot do on a server that does not sync', async () => {
    const { findings } = await sound.health.probe()
    expect(findings.find(({ check }) => check === 'persistence')).toMatchObject({
      level: 'error',
      fix: expect.stringContaining('fsync'),
    })
  })
})

it('keeps leases and raises fences over the end of an embedded database', async () => {
  using folder = testFolder()
  const openFolder = async (): Promise<{ db: Db; provider: CoordinationProvider }> => {
    const db = await openPglite({ ...edge, dataDir: folder.path })
    await migrate(db, { mode: 'auto', ...edge })
    return { db, provider: postgresCoordination(db, edge) }
  }
  const before = await openFolder()
  const held = mutex('orders')
  const { answers } = await before.provider.leases.acquire([held])
  await before.provider.close()
  await before.db.close()
  const after = await openFolder()
  expect((await after.provider.leases.acquire([held])).answers).toEqual(answers)
  await after.provider.leases.release([held])
  const next = (await after.provider.leases.acquire([mutex('orders')])).answers[0]!
  const first = answers[0]!
  expect(next.status === 'granted' && first.status === 'granted' && next.fence >= first.fence + 4n).toBe(true)
  await after.provider.close()
  await after.db.close()
})

import { startRedis } from '@lockstep/testing/harness'
import { expect, it, vi } from 'vitest'
import { openProvider } from './open-test-redis.ts'
import { inbox, mutex } from './requests.ts'

it('warns of a server that evicts leases and forgets them', async () => {
  await using server = await startRedis({ args: ['--maxmemory', '5mb', '--maxmemory-policy', 'allkeys-lru'] })
  const provider = openProvider({ url: server.url })
  const { findings } = await provider.health.probe()
  const level = (check: string) => findings.find((finding) => finding.check === check)
  expect(level('eviction-policy')).toMatchObject({ level: 'error', fix: expect.stringContaining('noeviction') })
  expect(level('persistence')).toMatchObject({ level: 'warning' })
  expect(level('subscription')).toMatchObject({ level: 'ok' })
  await provider.close()
})

it('finds nothing wrong with a server that keeps its leases, and sees the listening connection', async () => {
  await using server = await startRedis({ appendonly: true })
  const provider = openProvider({ url: server.url })
  await provider.leases.listen('me', inbox())
  const facts = await provider.health.probe()
  expect(facts.findings.filter(({ level }) => level !== 'ok')).toEqual([])
  expect(facts).toMatchObject({ server: 'redis', version: expect.stringMatching(/^\d+\.\d+/) })
  await provider.close()
})

it('refuses leases on a replica, and says why', async () => {
  await using primary = await startRedis()
  await using replica = await startRedis({ args: ['--replicaof', '127.0.0.1', String(primary.port)] })
  const provider = openProvider({ url: replica.url })
  await vi.waitFor(async () => {
    const { findings } = await provider.health.probe()
    expect(findings.find(({ check }) => check === 'replica')).toMatchObject({ level: 'error' })
  })
  const error = await provider.leases.acquire([mutex('a')]).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  await provider.close()
})

it('refuses leases when the memory is full, and says why', async () => {
  await using server = await startRedis({ args: ['--maxmemory', '3mb'] })
  const provider = openProvider({ url: server.url })
  let refused: unknown
  const holder = 'x'.repeat(4_000)
  for (let i = 0; i < 200 && refused === undefined; i += 1) {
    const locks = Array.from({ length: 20 }, (_, j) => mutex(`lock ${i} ${j}`, { holder }))
    await provider.leases.acquire(locks).catch((error: unknown) => {
      refused = error
    })
  }
  expect(refused).toMatchObject({ code: 'PROVIDER_UNAVAILABLE', cause: { message: expect.stringContaining('OOM') } })
  const { findings } = await provider.health.probe()
  expect(findings.find(({ check }) => check === 'memory')).toMatchObject({ level: 'warning' })
  await provider.close()
})

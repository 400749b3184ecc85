import type { LeaseRequest } from '@lockstep/coordination'
import { type ServerHandle, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openProvider } from './open-test-redis.ts'
import { mutex, place } from './requests.ts'

let server: ServerHandle
beforeAll(async () => {
  server = await startRedis()
})
afterAll(() => server.stop())

const permits = (weight: number, extra: Partial<LeaseRequest> = {}): LeaseRequest =>
  mutex('pool', { kind: 'semaphore', share: { kind: 'permits', weight, max: 4 }, ...extra })

it('grants at once to somebody whose priority puts it in front of somebody too heavy for now', async () => {
  const provider = openProvider({ url: server.url })
  const [held, heavy] = [permits(3), permits(2, { wait: place('x') })]
  const light = permits(1, { wait: place('x', { priority: 1 }) })
  const { answers } = await provider.leases.acquire([held, heavy, light])
  expect(answers.map(({ status }) => status)).toEqual(['granted', 'queued', 'granted'])
  await provider.close()
})

it('takes an upgrade back when something else of the same call was refused', async () => {
  const provider = openProvider({ url: server.url })
  const reads = mutex('page', { kind: 'read-write', share: { kind: 'read' } })
  await provider.leases.acquire([reads, mutex('busy')])
  const writes: LeaseRequest = { ...reads, share: { kind: 'write' } }
  const { answers } = await provider.leases.acquireTogether([writes, mutex('busy')])
  expect(answers.map(({ status }) => status)).toEqual(['free', 'busy'])
  const other = mutex('page', { kind: 'read-write', share: { kind: 'read' } })
  expect((await provider.leases.acquire([other])).answers).toMatchObject([{ status: 'granted' }])
  expect((await provider.leases.release([reads])).answers).toEqual(['released'])
  await provider.close()
})

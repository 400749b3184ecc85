import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fencedMemory } from './fenced-memory.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let plain: TestApi
let isDev = true
beforeAll(async () => {
  api = await openTestApi({ lockLab: { resource: fencedMemory(), isOffered: () => isDev } })
  plain = await openTestApi()
})
afterAll(async () => {
  expect([...api.failures, ...plain.failures]).toEqual([])
  await api.close()
  await plain.close()
})

const TTL = 500
const move = async (verb: string, body: object, on = api) => (await on.call('POST', `/lock-lab/${verb}`, { body })).body
const acquire = (worker: string, track: number, waitMs = 0) => move('acquire', { worker, track, ttlMs: TTL, waitMs })

describe('the lock lab', () => {
  it('refuses the late write of a holder that slept, and tells it that it lost its lease', async () => {
    const late = await acquire('A', 1)
    const held = { track: 1, ttlMs: TTL, fence: late.fence, token: late.token }
    expect(await move('write', { track: 1, fence: late.fence })).toMatchObject({ outcome: 'written' })
    expect(await acquire('B', 1)).toEqual({ outcome: 'busy', fence: null, token: null })
    const next = await acquire('B', 1, 5_000)
    expect(BigInt(next.fence)).toBeGreaterThan(BigInt(late.fence))
    expect(await move('write', { track: 1, fence: next.fence })).toMatchObject({ outcome: 'written' })
    expect(await move('write', { track: 1, fence: late.fence })).toEqual({ outcome: 'refused', seen: next.fence })
    expect(await move('renew', held)).toEqual({ outcome: 'lost' })
    expect(await move('release', held)).toEqual({ outcome: 'lost' })
  })

  it('shows its locks among all others, with the name of the worker', async () => {
    await acquire('C', 2)
    const [lock] = (await api.call('GET', '/locks?prefix=lab/race-2')).body.items
    expect(lock).toMatchObject({ key: 'lab/race-2', state: 'held', kind: 'mutex' })
  })

  it('keeps a lease that is renewed', async () => {
    const { fence, token } = await acquire('A', 3)
    const held = { track: 3, ttlMs: 10_000, fence, token }
    expect(await move('renew', held)).toEqual({ outcome: 'renewed' })
    // Longer than the lease would have lived without.
    expect(await acquire('B', 3, 2 * TTL)).toMatchObject({ outcome: 'busy' })
    expect(await move('release', held)).toEqual({ outcome: 'released' })
  })

  it.each([
    ['acquire', { worker: 'F', track: 1, ttlMs: TTL, waitMs: 0 }],
    ['acquire', { worker: 'A', track: 9, ttlMs: TTL, waitMs: 0 }],
    ['acquire', { worker: 'A', track: 1, ttlMs: 60_000, waitMs: 0 }],
    ['acquire', { worker: 'A', track: 1, ttlMs: TTL, waitMs: 60_000 }],
    ['renew', { track: 1, ttlMs: TTL, fence: '0', token: 'x' }],
    ['write', { track: 1, fence: '9999999999999999999' }],
    ['write', { track: 1, fence: 7 }],
  ])('takes no %s out of bounds', async (verb, body) => {
    expect(await move(verb, body)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' })
  })

  it('takes a token for nothing that it was not made for', async () => {
    const made = { track: 4, ttlMs: TTL, fence: '7', token: 'made-up' }
    expect(await move('release', made)).toEqual({ outcome: 'lost' })
  })

  it('takes no more moves than a race makes', async () => {
    const moves = await Promise.all(Array.from({ length: 150 }, () => move('write', { track: 5, fence: '1' })))
    const refused = moves.filter(({ code }) => code === 'RATE_LIMITED')
    expect(refused.length).toBeGreaterThan(0)
  })

  it('is not there but for development', async () => {
    expect((await plain.call('GET', '/lock-lab')).body).toMatchObject({ offered: false })
    const ask = { worker: 'A', track: 1, ttlMs: TTL, waitMs: 0 }
    expect(await move('acquire', ask, plain)).toMatchObject({ status: 409, code: 'LOCK_LAB_NOT_OFFERED' })
    isDev = false
    for (const [verb, body] of [
      ['acquire', ask],
      ['write', { track: 1, fence: '1' }],
    ] as const)
      expect(await move(verb, body)).toMatchObject({ status: 409, code: 'LOCK_LAB_NOT_OFFERED' })
  })
})

import { seededRandom } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { LeaseRequest, LockKind, Share } from '../lease/lease-provider.ts'
import { memoryProvider } from './memory-provider.ts'
import { memoryStore } from './memory-store.ts'

const MAX = 5

const shares: Record<LockKind, (random: () => number) => Share> = {
  mutex: () => ({ kind: 'mutex' }),
  'read-write': (random) => ({ kind: random() < 0.6 ? 'read' : 'write' }),
  semaphore: (random) => ({ kind: 'permits', weight: 1 + Math.floor(random() * MAX), max: MAX }),
}

function open() {
  const clock = virtualClock()
  const store = memoryStore()
  return { clock, store, provider: memoryProvider({ clock, store }) }
}

function request(name: string, kind: LockKind, token: string, share: Share, ttlMs: number): LeaseRequest {
  const wait = { address: 'here', priority: 0, aliveMs: 400, grantTtlMs: 150 }
  return { name, kind, token, share, ttlMs, fenceCount: 1, holder: '{}', wait }
}

describe.each(['mutex', 'read-write', 'semaphore'] as const)('a %s in memory, at random', (kind) => {
  it.each([1, 2, 3, 4])('never lets in too many, and nobody waits for what is free, seed %i', async (seed) => {
    const { clock, provider } = open()
    const { next } = seededRandom(seed)
    const { leases, registry } = provider
    let tokens = 0
    let fence = 0n
    const known: LeaseRequest[] = []
    for (let step = 0; step < 2_000; step += 1) {
      const dice = next()
      const old = known[Math.floor(next() * known.length)]
      if (dice < 0.35 || old === undefined) {
        tokens += 1
        const asked = request('it', kind, `t${tokens}`, shares[kind](next), 50 + next() * 500)
        known.push(asked)
        const { answers } = await leases.acquire([asked])
        if (answers[0]!.status === 'granted') {
          expect(answers[0]!.fence).toBeGreaterThan(fence)
          fence = answers[0]!.fence
        }
      } else if (dice < 0.6) await leases.release([old])
      else if (dice < 0.7) await leases.renew([{ ...old, ttlMs: 300 }])
      else if (dice < 0.8) await leases.acquire([old])
      else if (dice < 0.81) await registry.break('it', { reason: 'test', by: 'test' })
      else await clock.advance(next() * 60)

      const state = await registry.read('it')
      if (state === undefined) continue
      const held = state.holders.map(({ share }) => share)
      const writers = held.filter((each) => each.kind === 'write').length
      const weight = held.reduce((sum, each) => sum + (each.kind === 'permits' ? each.weight : 0), 0)
      if (kind === 'mutex') expect(held.length).toBeLessThanOrEqual(1)
      if (writers > 0) expect(held).toHaveLength(1)
      expect(weight).toBeLessThanOrEqual(MAX)
      const first = state.waiters[0]?.share
      if (first === undefined) continue
      expect(held.length).toBeGreaterThan(0)
      if (first.kind === 'read') expect(writers).toBe(1)
      if (first.kind === 'permits') expect(weight + first.weight).toBeGreaterThan(MAX)
    }
    expect(fence).toBeGreaterThan(0n)
  })
})

describe('a store in memory', () => {
  it('does not keep what expired and nobody asks for any more', async () => {
    const { clock, store, provider } = open()
    for (let index = 0; index < 1_000; index += 1) {
      const { wait: _, ...one } = request(`m${index}`, 'mutex', `t${index}`, { kind: 'mutex' }, 100)
      await provider.leases.acquire([one])
    }
    expect(store.space('lockstep').locks.size).toBeGreaterThan(900)
    await clock.advance(200)
    for (let index = 0; index < 3_000; index += 1) await provider.leases.release([])
    expect(store.space('lockstep').locks.size).toBe(0)
  })

  it('keeps a bounded history', async () => {
    const { store, provider } = open()
    for (let index = 0; index < 3_000; index += 1) {
      const { wait: _, ...one } = request(`m${index % 1_500}`, 'mutex', `t${index}`, { kind: 'mutex' }, 100)
      for (let again = 0; again < 20; again += 1) {
        await provider.leases.acquire([one])
        await provider.leases.release([one])
      }
    }
    const { history } = store.space('lockstep')
    expect(history.size).toBeLessThanOrEqual(1_000)
    for (const events of history.values()) expect(events.length).toBeLessThanOrEqual(32)
  })

  it('refuses after close, and listens no longer', async () => {
    const { store, provider } = open()
    await provider.leases.listen('a', { onNotice: () => {}, onGap: () => {} })
    await provider.close()
    await provider.close()
    expect(store.space('lockstep').listeners.size).toBe(0)
    await expect(provider.leases.acquire([])).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
    await expect(provider.health.probe()).rejects.toMatchObject({ code: 'PROVIDER_UNAVAILABLE' })
  })
})

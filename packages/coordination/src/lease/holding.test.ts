import { seededRandom } from '@lockstep/base'
import { type VirtualClock, virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { CoordinationProvider } from '../coordination-provider.ts'
import { coordinator } from '../coordinator.ts'
import { LeaseLost, ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'
import type { Lease } from './lease.ts'
import type { LeaseEvent } from './lease-events.ts'

const TTL_MS = 3_000

/** A holder whose clock can be stopped and set, and whose way to the store can be cut. */
function bench() {
  const time = virtualClock()
  const store = memoryStore()
  const inner = memoryProvider({ clock: time, store })
  const link = { cut: false, renewals: [] as number[] }
  const provider: CoordinationProvider = {
    ...inner,
    leases: {
      ...inner.leases,
      renew: async (leases) => {
        link.renewals.push(leases.length)
        if (link.cut) throw new ProviderUnavailable({ provider: 'memory', doing: 'cut' })
        return inner.leases.renew(leases)
      },
    },
  }
  const clock = time.view()
  const locks = coordinator({ provider, clock, random: seededRandom(1), ttlMs: TTL_MS, name: 'holder' })
  const events: LeaseEvent[] = []
  locks.observe((event) => events.push(event))
  return { time, clock, locks, link, events, registry: inner.registry, inner }
}

/** Runs `work` while virtual time passes. */
async function during<T>(time: VirtualClock, work: Promise<T>, ms = 0): Promise<T> {
  await time.advance(ms)
  return work
}

function reasonOf(lease: Lease): string | undefined {
  const { reason } = lease.signal
  return LeaseLost.is(reason) ? reason.details.reason : undefined
}

describe('a held lease', () => {
  it('is renewed for as long as it is held, and not a moment longer', async () => {
    const { time, locks, link, events, registry } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    await time.advance(TTL_MS * 5)
    expect(lease.signal.aborted).toBe(false)
    expect(lease.remainingMs()).toBeGreaterThan(TTL_MS / 2)
    expect(await during(time, lease.release())).toBe('released')
    expect(await registry.read('a')).toBeUndefined()
    const renewals = link.renewals.length
    await time.advance(TTL_MS * 2)
    expect(link.renewals).toHaveLength(renewals)
    expect(lease.signal.aborted).toBe(false)
    expect(events.map((event) => event.type)).toEqual(['asked', 'granted', 'released'])
  })

  it('shares its renewals with the others: few calls for many leases', async () => {
    const { time, locks, link } = bench()
    await during(time, Promise.all(Array.from({ length: 500 }, (_, index) => locks.mutex(`m${index}`).acquire())))
    await time.advance(TTL_MS)
    const sum = link.renewals.reduce((total, each) => total + each, 0)
    expect(sum).toBeGreaterThanOrEqual(1_000)
    expect(link.renewals.length).toBeLessThan(80)
  })

  it('is lost before it can have expired when no renewal comes through', async () => {
    const { time, locks, link, registry, events } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const sentAt = time.monotonic()
    link.cut = true
    let lostAt = 0
    lease.signal.addEventListener('abort', () => {
      lostAt = time.monotonic()
    })
    await time.advance(TTL_MS)
    expect(reasonOf(lease)).toBe('expired')
    expect(lostAt - sentAt).toBeLessThan(TTL_MS)
    expect(lostAt - sentAt).toBeGreaterThan(TTL_MS * 0.9)
    expect(() => lease.assertHeld()).toThrow(LeaseLost)
    expect(await lease.release()).toBe('lost')
    expect(events.at(-1)).toMatchObject({ type: 'lost', reason: 'expired' })
    // What may still stand in the store is given back, so that nobody waits for it.
    expect(await registry.read('a')).toBeUndefined()
  })

  it('survives a store that is away for less than its life', async () => {
    const { time, locks, link, events } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    await time.advance(TTL_MS / 4)
    link.cut = true
    await time.advance(TTL_MS / 2)
    link.cut = false
    await time.advance(TTL_MS * 2)
    expect(lease.signal.aborted).toBe(false)
    expect(events.some((event) => event.type === 'renewed-late')).toBe(true)
  })

  it('is lost when the store says that it is not ours', async () => {
    const { time, locks, inner } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const [holder] = (await inner.registry.read('a'))!.holders
    await inner.leases.release([{ name: 'a', token: holder!.token, kind: 'mutex' }])
    await time.advance(TTL_MS / 2)
    expect(reasonOf(lease)).toBe('taken')
  })

  it('says on release that it was lost unnoticed, without an alarm', async () => {
    const { time, locks, inner } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const [holder] = (await inner.registry.read('a'))!.holders
    await inner.leases.release([{ name: 'a', token: holder!.token, kind: 'mutex' }])
    expect(await during(time, lease.release())).toBe('lost')
    expect(lease.signal.aborted).toBe(false)
    const failed = locks.mutex('b').run(async () => {
      const [held] = (await inner.registry.read('b'))!.holders
      await inner.leases.release([{ name: 'b', token: held!.token, kind: 'mutex' }])
    })
    await expect(during(time, failed)).rejects.toMatchObject({ code: 'LEASE_LOST', details: { reason: 'taken' } })
  })

  it('is lost when the process was stopped for longer than it lives', async () => {
    const { time, clock, locks } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    clock.pause()
    await time.advance(TTL_MS * 2)
    expect(() => lease.assertHeld()).toThrow(/stalled/) // before any timer has had a turn
    clock.resume()
    await time.advance(1)
    expect(reasonOf(lease)).toBe('stalled')
  })

  it('is renewed at once after a stop that it survived', async () => {
    const { time, clock, locks, link } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    clock.pause()
    await time.advance(TTL_MS * 0.8)
    expect(link.renewals).toEqual([])
    clock.resume()
    await time.advance(1)
    expect(link.renewals).toEqual([1])
    expect(lease.signal.aborted).toBe(false)
  })

  it('is lost when the machine slept for longer than it lives, although the monotonic clock stood still', async () => {
    const { time, clock, locks } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    clock.setSkew(TTL_MS * 2)
    expect(() => lease.assertHeld()).toThrow(/stalled/)
  })

  it('counts a short sleep against what is left of it, and asks at once', async () => {
    const { time, clock, locks, link } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const before = lease.remainingMs()
    clock.setSkew(TTL_MS / 3)
    expect(before - lease.remainingMs()).toBeCloseTo(TTL_MS / 3, 0)
    await time.advance(1)
    expect(link.renewals).toEqual([1])
    expect(lease.remainingMs()).toBeGreaterThan(TTL_MS * 0.9)
  })

  it('does not mind a wall clock that was set back', async () => {
    const { time, clock, locks } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const before = lease.remainingMs()
    clock.setSkew(-86_400_000)
    expect(lease.remainingMs()).toBe(before)
  })

  it('ends by itself when it is not to be renewed, and is not renewed to verify it', async () => {
    const { time, locks, link, registry } = bench()
    const lease = await during(time, locks.mutex('a').acquire({ renew: false }))
    await time.advance(TTL_MS / 2)
    expect(await lease.verify()).toBe(true)
    await time.advance(TTL_MS / 2)
    expect(link.renewals).toEqual([])
    expect(reasonOf(lease)).toBe('expired')
    expect(await lease.verify()).toBe(false)
    expect(await registry.read('a')).toBeUndefined()
  })

  it('counts a verification as a renewal', async () => {
    const { time, locks } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    await time.advance(900)
    const before = lease.remainingMs()
    expect(await during(time, lease.verify())).toBe(true)
    expect(lease.remainingMs()).toBeGreaterThan(before)
  })

  it('is not held any more in the first moment of its release', async () => {
    const { time, locks } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const released = lease.release()
    expect(lease.remainingMs()).toBe(0)
    expect(() => lease.assertHeld()).toThrow(/released/)
    expect(lease.release()).toBe(released)
    expect(await during(time, released)).toBe('released')
  })

  it('goes on elsewhere after detach, and is cared for here no longer', async () => {
    const { time, locks, link, registry } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const ticket = JSON.parse(JSON.stringify(lease.detach()))
    expect(() => lease.detach()).toThrow(LeaseLost)
    expect(await lease.release()).toBe('released')
    expect((await registry.read('a'))!.holders).toHaveLength(1)
    expect(link.renewals).toEqual([])
    const again = await during(time, locks.attach(ticket))
    expect(again.fence).toBe(lease.fence)
    await time.advance(TTL_MS * 2)
    expect(again.signal.aborted).toBe(false)
    await expect(locks.attach({ ...ticket, fence: 'many' })).rejects.toMatchObject({ code: 'INVALID_OPTION' })
    expect(await during(time, again.release())).toBe('released')
  })

  it('is given back by close, which aborts its signal and leaves nothing', async () => {
    const { time, locks, registry, inner } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    const other = await during(time, locks.readWrite('b').read.acquire())
    await during(time, locks.close())
    expect(reasonOf(lease)).toBe('closed')
    expect(reasonOf(other)).toBe('closed')
    expect(await lease.release()).toBe('lost')
    expect((await registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
    await expect(locks.mutex('a').acquire()).rejects.toMatchObject({ code: 'COORDINATOR_CLOSED' })
    await inner.close()
  })

  it('can be told to yield, and only then says so', async () => {
    const { time, locks, registry } = bench()
    const lease = await during(time, locks.mutex('a').acquire())
    expect(lease.yieldSignal.aborted).toBe(false)
    await during(time, registry.requestYield('a', { reason: 'deploy', by: 'ops' }))
    expect(lease.yieldSignal.reason).toBe('deploy')
    expect(lease.signal.aborted).toBe(false)
    await during(time, registry.break('a', { reason: 'stuck', by: 'ops' }))
    expect(reasonOf(lease)).toBe('revoked')
  })

  it('does not let an observer that throws reach its holder', async () => {
    const { time, locks } = bench()
    locks.observe(() => {
      throw new Error('observer')
    })
    const lease = await during(time, locks.mutex('a').acquire())
    expect(await during(time, lease.release())).toBe('released')
  })
})

import { seededRandom } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { coordinator } from '../coordinator.ts'
import { ProviderUnavailable } from '../errors.ts'
import { memoryProvider } from '../memory/memory-provider.ts'
import { memoryStore } from '../memory/memory-store.ts'

function bench() {
  const time = virtualClock()
  const store = memoryStore()
  const inner = memoryProvider({ clock: time, store })
  const link = { loseReplies: false }
  const leases: typeof inner.leases = {
    ...inner.leases,
    acquireTogether: async (requests) => {
      const reply = await inner.leases.acquireTogether(requests)
      if (link.loseReplies) throw new ProviderUnavailable({ provider: 'memory', doing: 'test' })
      return reply
    },
  }
  const one = coordinator({ provider: { ...inner, leases }, clock: time, random: seededRandom(1), name: 'one' })
  const two = coordinator({ provider: memoryProvider({ clock: time, store }), clock: time, random: seededRandom(2) })
  const finish = async <T>(work: Promise<T>, ms = 100): Promise<T> => {
    work.catch(() => {})
    await time.advance(ms)
    return work
  }
  return { time, one, two, link, registry: inner.registry, finish }
}

describe('several locks at once', () => {
  it('gives each resource the fence of its own lock, and takes them in the order of their names', async () => {
    const { one, finish, registry } = bench()
    const all = one.all([one.semaphore('pool', 3).permits(2), one.mutex('b'), one.readWrite('a').read])
    expect(all.name).toBe('a + b + pool')
    const lease = await finish(all.acquire())
    expect([...lease.fences.keys()]).toEqual(['a', 'b', 'pool'])
    expect((await registry.read('b'))!.holders[0]!.fence).toBe(lease.fences.get('b'))
    expect((await registry.read('pool'))!.holders[0]!.share).toMatchObject({ weight: 2 })
    expect(await finish(lease.release())).toBe('released')
    expect((await registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
  })

  it('takes none when one is held, and leaves nothing', async () => {
    const { one, two, finish, registry } = bench()
    await finish(two.mutex('b').acquire())
    const all = one.all([one.mutex('a'), one.mutex('b'), one.mutex('c')])
    expect(await finish(all.tryAcquire())).toMatchObject({ ok: false, reason: 'held' })
    expect(await finish(all.tryAcquire({ waitMs: 50 }))).toMatchObject({ ok: false, reason: 'timeout' })
    const locks = (await registry.list({ prefix: '', limit: 10 })).locks
    expect(locks.map(({ name, waitingCount }) => [name, waitingCount])).toEqual([['b', 0]])
  })

  it('waits for the one that is held', async () => {
    const { one, two, finish } = bench()
    const held = await finish(two.mutex('b').acquire())
    const waiting = one.all([one.mutex('c'), one.mutex('b'), one.mutex('a')]).acquire()
    await finish(Promise.resolve())
    await finish(held.release())
    const lease = await waiting
    lease.assertHeld()
    expect(lease.fences.size).toBe(3)
  })

  it('aborts its signal with the first that is lost', async () => {
    const { one, finish, registry } = bench()
    const lease = await finish(one.all([one.mutex('a'), one.mutex('b')]).acquire())
    expect(lease.signal.aborted).toBe(false)
    await finish(registry.break('b', { reason: 'test', by: 'test' }))
    expect(lease.signal.reason).toMatchObject({ code: 'LEASE_LOST', details: { name: 'b', reason: 'revoked' } })
    expect(lease.remainingMs()).toBe(0)
    expect(await finish(lease.release())).toBe('lost')
    expect(await registry.read('a')).toBeUndefined()
  })

  it('does not answer with a lock that it lost while it waited for the next', async () => {
    const { one, two, finish, registry } = bench()
    const held = await finish(two.mutex('b').acquire())
    const waiting = one.all([one.mutex('a'), one.mutex('b')]).acquire()
    waiting.catch(() => {})
    await finish(Promise.resolve())
    await finish(registry.break('a', { reason: 'test', by: 'test' }))
    await finish(held.release())
    await expect(waiting).rejects.toMatchObject({ code: 'LEASE_LOST', details: { name: 'a' } })
    await finish(Promise.resolve())
    expect((await registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
  })

  it('leaves no ghost when the reply was lost', async () => {
    const { one, link, finish, registry } = bench()
    link.loseReplies = true
    await expect(finish(one.all([one.mutex('a'), one.mutex('b')]).acquire())).rejects.toSatisfy(ProviderUnavailable.is)
    expect((await registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
  })

  it('counts a re-entrant lock that the caller is already under', async () => {
    const { one, finish, registry } = bench()
    const mutex = one.mutex('a', { reentrant: true })
    const work = mutex.run(async (outer) => {
      const lease = await one.all([mutex, one.mutex('b')]).acquire()
      expect(lease.fences.get('a')).toBe(outer.fence)
      expect(await lease.release()).toBe('released')
      outer.assertHeld()
    })
    await finish(work)
    expect((await registry.list({ prefix: '', limit: 10 })).locks).toEqual([])
  })

  it('runs work under all of them, or says who is in the way', async () => {
    const { one, two, finish } = bench()
    const all = one.all([one.mutex('a'), one.mutex('b')])
    expect(await finish(all.run((lease) => lease.fences.size))).toBe(2)
    await finish(two.mutex('a').acquire({ meta: 'nightly' }))
    expect(await finish(all.runIfFree(() => 1))).toMatchObject({ ran: false, holder: { meta: 'nightly' } })
  })

  it('refuses what cannot be one', () => {
    const { one, two } = bench()
    const refused = expect.objectContaining({ code: 'INVALID_OPTION' })
    expect(() => one.all([])).toThrow(refused)
    expect(() => one.all([one.mutex('a'), one.mutex('a')])).toThrow(refused)
    expect(() => one.all([two.mutex('a')])).toThrow(refused)
  })
})

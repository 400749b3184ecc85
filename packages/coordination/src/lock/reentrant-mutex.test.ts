import { seededRandom, sleep } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { coordinator } from '../coordinator.ts'
import { LeaseLost } from '../errors.ts'
import type { Lease } from '../lease/lease.ts'
import { memoryProvider } from '../memory/memory-provider.ts'

function bench() {
  const time = virtualClock()
  const inner = memoryProvider({ clock: time })
  let calls = 0
  const counted = <A, R>(call: (argument: A) => R) => {
    return (argument: A): R => {
      calls += 1
      return call(argument)
    }
  }
  const leases = { ...inner.leases, acquire: counted(inner.leases.acquire), release: counted(inner.leases.release) }
  const locks = coordinator({ provider: { ...inner, leases }, clock: time, random: seededRandom(1), name: 'one' })
  const mutex = locks.mutex('m', { reentrant: true })
  /** Lets time pass until `work` is done. */
  const finish = async <T>(work: Promise<T>, ms = 1_000): Promise<T> => {
    work.catch(() => {})
    await time.advance(ms)
    return work
  }
  return { time, locks, mutex, registry: inner.registry, finish, calls: () => calls }
}

describe('a re-entrant mutex', () => {
  it('is entered again without a call to the store', async () => {
    const { mutex, finish, calls } = bench()
    const fences = await finish(
      mutex.run(async (outer) => {
        const inside: bigint[] = [outer.fence]
        for (let depth = 0; depth < 5; depth += 1) await mutex.run(async (lease) => inside.push(lease.fence))
        await using again = await mutex.acquire()
        inside.push(again.fence)
        const tried = await mutex.runIfFree((lease) => inside.push(lease.fence))
        expect(tried.ran).toBe(true)
        return inside
      }),
    )
    expect(new Set(fences).size).toBe(1)
    expect(calls()).toBe(2)
  })

  it('keeps apart two tasks that run side by side under another lock', async () => {
    const { time, locks, mutex, finish } = bench()
    let inside = 0
    let most = 0
    const enter = (): Promise<void> =>
      mutex.run(async () => {
        inside += 1
        most = Math.max(most, inside)
        await sleep(time, 10)
        inside -= 1
      })
    await finish(locks.mutex('outer', { reentrant: true }).run(() => Promise.all([enter(), enter(), enter()])))
    expect(most).toBe(1)
  })

  it('stays locked until the last hand has let go, also when that outlives the scope', async () => {
    const { time, mutex, registry, finish } = bench()
    let hand: Lease | undefined
    await finish(
      mutex.run(async () => {
        hand = await mutex.acquire()
      }),
    )
    expect((await registry.read('m'))!.holders).toHaveLength(1)
    hand!.assertHeld()
    await time.advance(60_000)
    hand!.assertHeld()
    expect(await finish(hand!.release())).toBe('released')
    expect(await registry.read('m')).toBeUndefined()
  })

  it('lets nobody in through a scope that has ended', async () => {
    const { time, mutex, finish, registry } = bench()
    let late: Promise<unknown> = Promise.resolve()
    await finish(
      mutex.run(async () => {
        late = sleep(time, 50).then(() => mutex.tryAcquire())
      }),
      10,
    )
    const other = await finish(mutex.acquire(), 10)
    expect(await finish(late)).toMatchObject({ ok: false, reason: 'held' })
    await finish(other.release())
    expect(await registry.read('m')).toBeUndefined()
  })

  it('refuses to be entered again after the lease was lost', async () => {
    const { time, mutex, finish, registry } = bench()
    let inner: unknown
    const outer = mutex.run(async (lease) => {
      await registry.break('m', { reason: 'test', by: 'test' })
      await sleep(time, 1)
      expect(lease.signal.aborted).toBe(true)
      inner = await mutex.acquire().catch((error: unknown) => error)
    })
    await expect(finish(outer)).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(LeaseLost.is(inner)).toBe(true)
  })

  it('is silent to a hand that has let go, and tells the others', async () => {
    const { time, mutex, finish, registry } = bench()
    let early: Lease | undefined
    const outer = mutex.run(async (lease) => {
      early = await mutex.acquire()
      expect(early.signal.aborted).toBe(false)
      await early.release()
      expect(await early.release()).toBe('released')
      expect(() => early!.assertHeld()).toThrow(/released/)
      expect(() => lease.assertHeld()).not.toThrow()
      await registry.break('m', { reason: 'test', by: 'test' })
      await sleep(time, 1)
      expect(lease.signal.aborted).toBe(true)
    })
    await expect(finish(outer)).rejects.toMatchObject({ code: 'LEASE_LOST' })
    expect(early!.signal.aborted).toBe(false)
  })

  it('can be handed to another process only by its only hand', async () => {
    const { mutex, locks, finish } = bench()
    const ticket = await finish(
      mutex.run(async (lease) => {
        const inner = await mutex.acquire()
        expect(() => lease.detach()).toThrow(/entered again/)
        await inner.release()
        return lease.detach()
      }),
    )
    const attached = await finish(locks.attach(ticket))
    expect(String(attached.fence)).toBe(ticket.fence)
  })

  it('checks its options inside as well as outside', async () => {
    const { mutex, finish } = bench()
    const outer = mutex.run(() => mutex.acquire({ ttlMs: 1 }))
    await expect(finish(outer)).rejects.toMatchObject({ code: 'INVALID_OPTION' })
  })
})

import type { Coordinator, Lock } from '@lockstep/coordination'
import { expect } from 'vitest'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { busy, errorOf, held, lossOf, type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

const mutexes = (of: Coordinator, ...names: string[]): Lock[] => names.map((name) => of.mutex(name))

function multiLockExamples(example: Example<PrimitiveBench>): void {
  example('takes all of its locks, each with its fence, and releases all', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const locks = [one.mutex('c'), one.readWrite('a').write, one.semaphore('b', 3).permits(2)]
    const lease = await one.all(locks).acquire()
    expect([...lease.fences.keys()].sort()).toEqual(['a', 'b', 'c'])
    for (const fence of lease.fences.values()) expect(fence).toBeGreaterThan(0n)
    lease.assertHeld()
    expect(await lease.verify()).toBe(true)
    busy(await two.mutex('c').tryAcquire())
    busy(await two.readWrite('a').read.tryAcquire())
    busy(await two.semaphore('b', 3).tryAcquire({ weight: 2 }))
    expect(await lease.release()).toBe('released')
    for (const lock of [two.mutex('c'), two.readWrite('a').write, two.semaphore('b', 3).permits(3)])
      held(await lock.tryAcquire())
  })

  example('takes nothing when one is not to be had', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const inTheWay = await two.mutex('b').acquire()
    busy(await one.all(mutexes(one, 'a', 'b', 'c')).tryAcquire())
    expect(await one.all(mutexes(one, 'a', 'b', 'c')).runIfFree(() => 1)).toMatchObject({ ran: false })
    held(await two.mutex('a').tryAcquire())
    held(await two.mutex('c').tryAcquire())
    await inTheWay.release()
  })

  example('gives up in time with nothing in its hands', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    await two.mutex('b').acquire()
    expect(await errorOf(one.all(mutexes(one, 'a', 'b', 'c')).acquire({ waitMs: 120 }))).toMatchObject({
      code: 'LOCK_TIMEOUT',
    })
    await b.until('a and c are free', async () => {
      const { locks } = await b.harness.provider.registry.list({ prefix: '', limit: 10 })
      return locks.every((lock) => lock.name === 'b' && lock.waitingCount === 0)
    })
  })

  example('waits until it can have all of them', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const inTheWay = [await two.mutex('a').acquire(), await two.mutex('b').acquire()]
    const pending = one.all(mutexes(one, 'b', 'a')).run((lease) => lease.fences.size)
    await b.waiting('a', 1)
    for (const each of inTheWay) await each.release()
    expect(await pending).toBe(2)
  })

  example('does not deadlock with others that want the same in another order', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    let inside = 0
    const visit = (of: Coordinator, names: string[]): Promise<void> =>
      of.all(mutexes(of, ...names)).run(async () => {
        inside += 1
        expect(inside).toBe(1)
        await b.harness.elapse(1)
        inside -= 1
      })
    await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        i % 2 === 0 ? visit(one, ['a', 'b', 'c']) : visit(two, i % 3 === 0 ? ['c', 'b', 'a'] : ['b', 'c', 'a']),
      ),
    )
    expect(await b.harness.provider.registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
  })

  example('is lost as a whole when one of its locks is', async (b) => {
    const one = await b.coordinator()
    const lease = await one.all(mutexes(one, 'a', 'b')).acquire()
    await b.harness.provider.registry.break('b', { reason: 'contract', by: 'somebody' })
    expect(await lossOf(b, lease)).toMatchObject({ code: 'LEASE_LOST' })
    expect(() => lease.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
    expect(await lease.verify()).toBe(false)
    await lease.release()
    expect(await b.harness.provider.registry.list({ prefix: '', limit: 10 })).toEqual({ locks: [] })
  })
}

/** Several locks as one, on any provider. */
export function multiLockContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: multi-lock contract`, open, options, primitiveBench, {
    'all or none': multiLockExamples,
  })
}

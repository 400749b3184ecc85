import { expect } from 'vitest'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { busy, errorOf, held, type PrimitiveBench, primitiveBench } from './primitive-bench.ts'

const again = { reentrant: true } as const

function reentrantExamples(example: Example<PrimitiveBench>): void {
  example('lets whoever runs under the lock in again, with the same fence', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const lock = one.mutex('orders', again)
    await lock.run(async (outer) => {
      await lock.run(async (inner) => {
        expect(inner.fence).toBe(outer.fence)
        inner.assertHeld()
        const third = held(await one.mutex('orders', again).tryAcquire())
        expect(third.fence).toBe(outer.fence)
        await third.release()
      })
      outer.assertHeld()
      busy(await two.mutex('orders').tryAcquire())
    })
    await held(await two.mutex('orders').tryAcquire()).release()
  })

  example('keeps the lock until the outermost has left, however the inner ones end', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const lock = one.mutex('orders', again)
    await lock.run(async (outer) => {
      const failure = new Error('inner')
      expect(
        await errorOf(
          lock.run(() => {
            throw failure
          }),
        ),
      ).toBe(failure)
      const inner = await lock.acquire()
      expect(await inner.release()).toBe('released')
      await inner.release()
      await Promise.all([lock.run(() => b.harness.elapse(3)), lock.run(() => b.harness.elapse(1))])
      outer.assertHeld()
      expect(await outer.verify()).toBe(true)
      busy(await two.mutex('orders').tryAcquire())
    })
    held(await two.mutex('orders').tryAcquire())
  })

  example('keeps out other work of the same process', async (b) => {
    const one = await b.coordinator()
    const lock = one.mutex('orders', again)
    let isInside = false
    const enter = (): Promise<void> =>
      lock.run(async () => {
        expect(isInside).toBe(false)
        isInside = true
        await b.harness.elapse(2)
        isInside = false
      })
    await Promise.all([enter(), enter(), enter()])
  })

  example('keeps out work that was begun under the lock and outlives it', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const lock = one.mutex('orders', again)
    let goOn = (): void => undefined
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    let late: Promise<unknown> = Promise.resolve()
    await lock.run(() => {
      late = gate.then(() => lock.tryAcquire())
    })
    const other = await two.mutex('orders').acquire()
    goOn()
    busy((await late) as Awaited<ReturnType<typeof lock.tryAcquire>>)
    await other.release()
  })

  example('does not let the same work in twice unless that was asked for', async (b) => {
    const one = await b.coordinator()
    await one.mutex('orders').run(async () => {
      busy(await one.mutex('orders').tryAcquire())
      await expect(one.mutex('orders').acquire({ waitMs: 50 })).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' })
    })
  })

  example('ends the inner holders with the lease of the outermost', async (b) => {
    const one = await b.coordinator()
    const lock = one.mutex('orders', again)
    const thrown = errorOf(
      lock.run(() =>
        lock.run(async (inner) => {
          await b.harness.provider.registry.break('orders', { reason: 'contract', by: 'somebody' })
          await b.until('the inner holder is told', () => inner.signal.aborted)
          expect(() => inner.assertHeld()).toThrow(expect.objectContaining({ code: 'LEASE_LOST' }))
        }),
      ),
    )
    expect(await thrown).toMatchObject({ code: 'LEASE_LOST' })
  })
}

/** A mutex that lets its own work in again, on any provider. */
export function reentrantContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: re-entrant mutex contract`, open, options, primitiveBench, {
    're-entry': reentrantExamples,
  })
}

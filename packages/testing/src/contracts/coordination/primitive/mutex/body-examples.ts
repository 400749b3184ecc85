import { expect } from 'vitest'
import type { Example } from '../../contract.ts'
import { busy, errorOf, held, lossOf, type PrimitiveBench } from '../primitive-bench.ts'

export function bodyExamples(example: Example<PrimitiveBench>): void {
  example('runs work under the lock and releases it when the work is done', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const result = await one.mutex('orders').run(async (lease) => {
      lease.assertHeld()
      busy(await two.mutex('orders').tryAcquire())
      return lease.fence
    })
    expect(typeof result).toBe('bigint')
    held(await two.mutex('orders').tryAcquire())
  })

  example('releases the lock when the work fails, and throws what the work threw', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    const failure = new Error('the work failed')
    const thrown = errorOf(
      one.mutex('orders').run(async () => {
        throw failure
      }),
    )
    expect(await thrown).toBe(failure)
    const synchronous = errorOf(
      one.mutex('orders').run(() => {
        throw failure
      }),
    )
    expect(await synchronous).toBe(failure)
    held(await two.mutex('orders').tryAcquire())
  })

  example('throws when the lease was lost before the work ended well', async (b) => {
    const one = await b.coordinator()
    const thrown = errorOf(
      one.mutex('orders').run(async (lease) => {
        await b.harness.provider.registry.break('orders', { reason: 'contract', by: 'somebody' })
        await lossOf(b, lease)
      }),
    )
    expect(await thrown).toMatchObject({ code: 'LEASE_LOST' })
  })

  example('does not hide the failure of work that lost its lease', async (b) => {
    const one = await b.coordinator()
    const failure = new Error('the work failed')
    const thrown = errorOf(
      one.mutex('orders').run(async (lease) => {
        await b.harness.provider.registry.break('orders', { reason: 'contract', by: 'somebody' })
        await lossOf(b, lease)
        throw failure
      }),
    )
    expect(await thrown).toBe(failure)
  })

  example('runs work only when the lock is free, and otherwise says who has it', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    expect(await one.mutex('orders').runIfFree(() => 7)).toEqual({ ran: true, value: 7 })
    const lease = await one.mutex('orders').acquire()
    let ran = 0
    const result = await two.mutex('orders').runIfFree(() => {
      ran += 1
    })
    expect(result).toMatchObject({ ran: false, holder: { nodeId: one.id } })
    expect(ran).toBe(0)
    await lease.release()
  })

  example('releases at the end of a block', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator()]
    {
      await using lease = await one.mutex('orders').acquire()
      lease.assertHeld()
      await using refused = await two.mutex('orders').tryAcquire()
      expect(refused.ok).toBe(false)
    }
    held(await two.mutex('orders').tryAcquire())
  })
}

import { expect } from 'vitest'
import { type Bench, expectRising, mutex, PAST_SHORT, permits, reader, SHORT, writer } from '../bench.ts'
import type { Example } from '../contract.ts'

const why = { reason: 'contract', by: 'somebody' }

export function fenceExamples(example: Example<Bench>): void {
  example('raises the fence with every grant', async (b) => {
    const fences: bigint[] = []
    for (let i = 0; i < 20; i += 1) {
      const held = mutex('orders')
      fences.push(await b.take(held))
      await b.release(held)
    }
    expectRising(fences)
  })

  example('sets aside as many fences as were asked for', async (b) => {
    const many = mutex('orders', { fenceCount: 50 })
    const first = await b.take(many)
    await b.release(many)
    const next = mutex('orders', { fenceCount: 3 })
    const second = await b.take(next)
    expect(second).toBeGreaterThanOrEqual(first + 50n)
    await b.provider.registry.break('orders', why)
    expect(await b.take(mutex('orders'))).toBeGreaterThanOrEqual(second + 3n)
  })

  example('sets aside no more fences when it is asked again for what was granted', async (b) => {
    const held = mutex('orders', { fenceCount: 1_000 })
    const fence = await b.take(held)
    expect(await b.take(held)).toBe(fence)
    expect(await b.take({ ...held, fenceCount: 1 })).toBe(fence)
  })

  example('raises the fence over the end of a lease', async (b) => {
    const first = await b.take(mutex('orders', { ttlMs: SHORT, fenceCount: 4 }))
    await b.harness.elapse(PAST_SHORT)
    expect(await b.take(mutex('orders'))).toBeGreaterThanOrEqual(first + 4n)
  })

  example('raises the fence when the same token takes again what had ended', async (b) => {
    const held = mutex('orders', { ttlMs: SHORT })
    const first = await b.take(held)
    await b.harness.elapse(PAST_SHORT)
    expect(await b.take(held)).toBeGreaterThan(first)
  })

  example('raises the fence over a break', async (b) => {
    const fences: bigint[] = []
    for (let i = 0; i < 3; i += 1) {
      fences.push(await b.take(mutex('orders')))
      await b.provider.registry.break('orders', why)
    }
    expectRising(fences)
  })

  example('raises the fence of a name that is used as one kind after the other', async (b) => {
    const fences: bigint[] = []
    for (const each of [
      mutex('orders', { fenceCount: 5 }),
      writer('orders', { fenceCount: 5 }),
      permits('orders', 1, 2, { fenceCount: 5 }),
      mutex('orders', { fenceCount: 5 }),
    ]) {
      fences.push(await b.take(each))
      await b.release(each)
    }
    for (const [i, fence] of fences.entries()) if (i > 0) expect(fence).toBeGreaterThanOrEqual(fences[i - 1]! + 5n)
  })

  example('gives a writer a higher fence than everybody before it', async (b) => {
    const first = writer('orders')
    const fences = [await b.take(first)]
    await b.release(first)
    const readers = [reader('orders'), reader('orders')]
    for (const each of readers) {
      const fence = await b.take(each)
      expect(fence).toBeGreaterThanOrEqual(fences[0]!)
      fences.push(fence)
    }
    for (const each of readers) await b.release(each)
    const last = await b.take(writer('orders'))
    for (const fence of fences) expect(last).toBeGreaterThan(fence)
  })

  example('raises the fence over a store that lost everything', async (b) => {
    const first = await b.take(mutex('orders', { fenceCount: 10 }))
    await b.harness.flush!()
    const next = mutex('orders')
    const second = await b.take(next)
    expect(second).toBeGreaterThanOrEqual(first + 10n)
    await b.harness.flush!()
    expect(await b.take(writer('orders'))).toBeGreaterThan(second)
  })

  example('raises the fence over a killed and restarted server', async (b) => {
    const first = await b.take(mutex('orders', { ttlMs: SHORT, fenceCount: 10 }))
    await b.harness.crash!()
    await b.harness.restart!()
    await b.harness.elapse(PAST_SHORT)
    await b.until('the store answers again', () =>
      b.ask(mutex('other', { ttlMs: SHORT })).then(
        () => true,
        () => false,
      ),
    )
    expect(await b.take(mutex('orders'))).toBeGreaterThanOrEqual(first + 10n)
  })

  example('refuses while the store is away, and never guesses', async (b) => {
    const held = mutex('orders')
    await b.take(held)
    await b.harness.crash!()
    const { leases } = b.provider
    const refused = { code: 'PROVIDER_UNAVAILABLE' }
    await expect(leases.acquire([mutex('orders')])).rejects.toMatchObject(refused)
    await expect(leases.renew([{ ...held, ttlMs: 1_000 }])).rejects.toMatchObject(refused)
    await expect(leases.release([held])).rejects.toMatchObject(refused)
    await b.harness.restart!()
    await b.until('the store answers again', () =>
      b.ask(mutex('other')).then(
        () => true,
        () => false,
      ),
    )
  })
}

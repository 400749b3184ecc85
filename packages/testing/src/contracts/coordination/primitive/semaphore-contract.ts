import { expect } from 'vitest'
import { type ContractOptions, contract, type Example } from '../contract.ts'
import type { OpenCoordination } from '../harness.ts'
import { busy, held, lossOf, type PrimitiveBench, primitiveBench, SHORT_TTL } from './primitive-bench.ts'

function semaphoreExamples(example: Example<PrimitiveBench>): void {
  example('lets in as many as there are permits, over all processes', async (b) => {
    const locks = await Promise.all(Array.from({ length: 3 }, async () => (await b.coordinator()).semaphore('pool', 3)))
    let [inside, most] = [0, 0]
    const fences = new Set<bigint>()
    await Promise.all(
      Array.from({ length: 18 }, (_, i) =>
        locks[i % 3]!.run(async ({ fence }) => {
          inside += 1
          most = Math.max(most, inside)
          fences.add(fence)
          await b.harness.elapse(3)
          inside -= 1
        }),
      ),
    )
    expect(most).toBe(3)
    expect(fences.size).toBe(18)
    expect(await locks[0]!.available()).toBe(3)
  })

  example('counts by weight and says how many are left', async (b) => {
    const [one, two] = [(await b.coordinator()).semaphore('pool', 5), (await b.coordinator()).semaphore('pool', 5)]
    expect(await one.available()).toBe(5)
    const heavy = await one.acquire({ weight: 3 })
    expect(await two.available()).toBe(2)
    busy(await two.tryAcquire({ weight: 3 }))
    const light = held(await two.tryAcquire({ weight: 2 }))
    expect(await one.available()).toBe(0)
    await heavy.release()
    expect(await one.available()).toBe(3)
    await light.release()
  })

  example('refuses at once what can never be had', async (b) => {
    const one = (await b.coordinator()).semaphore('pool', 2)
    await expect(one.acquire({ weight: 3 })).rejects.toMatchObject({ code: 'TOO_MANY_PERMITS', details: { max: 2 } })
    await expect(one.tryAcquire({ weight: 3 })).rejects.toMatchObject({ code: 'TOO_MANY_PERMITS' })
  })

  example('does not let those who want little past one who wants much', async (b) => {
    const [one, two, three] = [await b.coordinator(), await b.coordinator(), await b.coordinator()]
    const order: string[] = []
    const first = await one.semaphore('pool', 3).acquire()
    const heavy = two.semaphore('pool', 3).run(() => void order.push('heavy'), { weight: 3 })
    await b.waiting('pool', 1)
    busy(await three.semaphore('pool', 3).tryAcquire())
    const light = three.semaphore('pool', 3).run(() => void order.push('light'))
    await b.waiting('pool', 2)
    await first.release()
    await Promise.all([heavy, light])
    expect(order).toEqual(['heavy', 'light'])
  })

  example('grows for everybody, and lets in at once those who fit', async (b) => {
    const [one, two] = [(await b.coordinator()).semaphore('pool', 1), (await b.coordinator()).semaphore('pool', 1)]
    const first = await one.acquire()
    const pending = two.acquire()
    await b.waiting('pool', 1)
    await one.resize(2)
    const second = await pending
    expect(await one.available()).toBe(0)
    await Promise.all([first.release(), second.release()])
    expect(await two.available()).toBe(2)
  })

  example('shrinks without taking anything away', async (b) => {
    const [one, two] = [(await b.coordinator()).semaphore('pool', 3), (await b.coordinator()).semaphore('pool', 3)]
    const leases = [await one.acquire(), await one.acquire()]
    await two.resize(1)
    for (const lease of leases) expect(await lease.verify()).toBe(true)
    expect(await one.available()).toBe(0)
    await leases[0]!.release()
    busy(await two.tryAcquire())
    await leases[1]!.release()
    expect(await one.available()).toBe(1)
    await expect(one.acquire({ weight: 2 })).rejects.toMatchObject({ code: 'TOO_MANY_PERMITS' })
  })

  example('gets permits back from those who died', async (b) => {
    const [one, two] = [await b.coordinator(), await b.coordinator({ askAgainMs: 100 })]
    const lease = await one.semaphore('pool', 1).acquire({ ttlMs: SHORT_TTL, renew: false })
    const next = await two.semaphore('pool', 1).acquire()
    expect(lease.signal.aborted).toBe(true)
    expect(await next.verify()).toBe(true)
  })

  example('tells every holder of a break', async (b) => {
    const one = (await b.coordinator()).semaphore('pool', 2)
    const leases = [await one.acquire(), await one.acquire()]
    await b.harness.provider.registry.break('pool', { reason: 'contract', by: 'somebody' })
    for (const lease of leases) expect(await lossOf(b, lease)).toMatchObject({ details: { reason: 'revoked' } })
  })
}

/** A semaphore as its users see it, on any provider. */
export function semaphoreContract(provider: string, open: OpenCoordination, options: ContractOptions = {}): void {
  contract<PrimitiveBench>(`${provider}: semaphore contract`, open, options, primitiveBench, {
    permits: semaphoreExamples,
  })
}

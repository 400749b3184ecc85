import { expect } from 'vitest'
import type { Example } from '../../contract.ts'
import { errorOf, held, type PrimitiveBench } from '../primitive-bench.ts'

/** Whether the call throws or rejects is the same to those who await it. */
const refusal = (call: () => unknown): Promise<unknown> => errorOf((async () => call())())

export function inputExamples(example: Example<PrimitiveBench>): void {
  example('refuses names that cannot be names', async (b) => {
    const one = await b.coordinator()
    const bad: unknown[] = ['', 'x'.repeat(513), '漢'.repeat(342), 'a\u0000b', 'a\nb', '\u007f', 7, undefined]
    for (const name of bad)
      for (const build of [
        () => one.mutex(name as string).tryAcquire(),
        () => one.readWrite(name as string).read.tryAcquire(),
        () => one.semaphore(name as string, 2).tryAcquire(),
      ])
        expect(await refusal(build), String(name).slice(0, 10)).toMatchObject({ code: 'INVALID_LOCK_NAME' })
    for (const name of ['x', 'x'.repeat(512), '名前 {b} : %', 'é'.repeat(512)])
      await held(await one.mutex(name).tryAcquire()).release()
  })

  example('refuses times, priorities and notes out of bounds', async (b) => {
    const one = await b.coordinator()
    const lock = one.mutex('orders')
    const bad = [
      { ttlMs: 49 },
      { ttlMs: 86_400_001 },
      { ttlMs: Number.NaN },
      { waitMs: -1 },
      { waitMs: Number.NaN },
      { priority: 1_001 },
      { priority: -1_001 },
      { priority: 0.5 },
      { meta: 'x'.repeat(5_000) },
      { meta: { self: 1n } },
    ]
    for (const options of bad)
      expect(await refusal(() => lock.tryAcquire(options)), JSON.stringify(Object.keys(options))).toMatchObject({
        code: expect.stringMatching(/^(INVALID_OPTION|NOT_JSON)$/),
      })
    for (const max of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(await refusal(() => one.semaphore('pool', max).tryAcquire())).toMatchObject({ code: 'INVALID_OPTION' })
    for (const weight of [0, -1, 1.5])
      expect(await refusal(() => one.semaphore('pool', 3).tryAcquire({ weight }))).toMatchObject({
        code: 'INVALID_OPTION',
      })
    expect(await refusal(() => one.all([]).tryAcquire())).toMatchObject({ code: 'INVALID_OPTION' })
    expect(await b.harness.provider.registry.list({ prefix: '', limit: 5 })).toEqual({ locks: [] })
  })

  example('takes the shortest and the longest time there may be', async (b) => {
    const one = await b.coordinator()
    for (const ttlMs of [50, 86_400_000]) {
      const lease = held(await one.mutex(`orders ${ttlMs}`).tryAcquire({ ttlMs }))
      expect(lease.remainingMs()).toBeLessThanOrEqual(ttlMs)
      await lease.release()
    }
  })
}

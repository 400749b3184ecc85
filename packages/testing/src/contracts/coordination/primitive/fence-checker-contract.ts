import { describe, expect, it } from 'vitest'
import { errorOf } from './primitive-bench.ts'

/** Something that a fence guards. */
export interface FencedResource {
  /** Writes under `fence`; rejects with `STALE_FENCE` when a later holder was there. */
  write(resource: string, fence: bigint, value: string): Promise<void>
  read(resource: string): Promise<string | undefined>
  close(): Promise<void>
}

const stale = { code: 'STALE_FENCE' }

/** What every checker of fences at a resource does. `open` answers an empty one. */
export function fenceCheckerContract(checker: string, open: () => Promise<FencedResource>): void {
  describe(`${checker}: fence checker contract`, () => {
    const example = (sentence: string, run: (resource: FencedResource) => Promise<void>): void => {
      it(sentence, async () => {
        const resource = await open()
        try {
          await run(resource)
        } finally {
          await resource.close()
        }
      })
    }

    example('takes the first write, and any with the same or a later fence', async (r) => {
      for (const [fence, value] of [
        [7n, 'one'],
        [7n, 'two'],
        [8n, 'three'],
        [1_000n, 'four'],
      ] as const) {
        await r.write('orders', fence, value)
        expect(await r.read('orders')).toBe(value)
      }
    })

    example('refuses an earlier fence and keeps what was written', async (r) => {
      await r.write('orders', 10n, 'kept')
      expect(await errorOf(r.write('orders', 9n, 'late'))).toMatchObject(stale)
      expect(await errorOf(r.write('orders', 1n, 'later'))).toMatchObject(stale)
      expect(await r.read('orders')).toBe('kept')
      await r.write('orders', 10n, 'again')
      expect(await r.read('orders')).toBe('again')
    })

    example('tells fences apart that differ in their last digit, however large', async (r) => {
      const large = 9_007_199_254_740_993n // 2^53 + 1: as a double it is its neighbour
      await r.write('orders', large, 'kept')
      expect(await errorOf(r.write('orders', large - 1n, 'late'))).toMatchObject(stale)
      expect(await r.read('orders')).toBe('kept')
      await r.write('orders', large + 1n, 'next')
      expect(await errorOf(r.write('orders', large, 'late'))).toMatchObject(stale)
    })

    example('does not compare fences as texts', async (r) => {
      await r.write('orders', 10n, 'ten')
      expect(await errorOf(r.write('orders', 9n, 'nine'))).toMatchObject(stale)
      await r.write('orders', 100n, 'hundred')
      expect(await r.read('orders')).toBe('hundred')
    })

    example('keeps resources apart, whatever they are called', async (r) => {
      const names = ['orders', 'orders:1', 'orders 1', '{orders}', 'ö', "it's", '%']
      for (const [i, name] of names.entries()) await r.write(name, BigInt(100 - i), name)
      for (const name of names) expect(await r.read(name)).toBe(name)
    })

    example('lets the latest of many win that write at once', async (r) => {
      const fences = Array.from({ length: 30 }, (_, i) => BigInt(((i * 7) % 30) + 1))
      const outcomes = await Promise.all(
        fences.map((fence) =>
          r.write('orders', fence, `${fence}`).then(
            () => 'taken',
            (error: unknown) => {
              expect(error).toMatchObject(stale)
              return 'refused'
            },
          ),
        ),
      )
      expect(await r.read('orders')).toBe('30')
      expect(outcomes[fences.indexOf(30n)]).toBe('taken')
    })
  })
}

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUCKET_COUNT, bucketOf, KeySpace } from './key-space.ts'

describe('keys', () => {
  it('never meet between two prefixes, kinds or names', () => {
    const text = fc.string({ minLength: 1, maxLength: 6, unit: fc.constantFrom('a', 'b', ':', '0') })
    const name = fc.string({ maxLength: 8, unit: fc.constantFrom('a', ':', '{', '}', 'b', 'lock', 'queue', '0') })
    fc.assert(
      fc.property(text, text, name, name, (onePrefix, otherPrefix, oneName, otherName) => {
        fc.pre(onePrefix !== otherPrefix || oneName !== otherName)
        const keys = (prefix: string, of: string): string[] => {
          const space = new KeySpace(prefix)
          const bucket = bucketOf(of)
          const own = [space.lock, space.queue, space.places, space.history, space.holders, space.max]
          const common =
            onePrefix === otherPrefix ? [] : [...space.indexes, space.members, space.memberEnds, space.channel]
          return [...own.map((key) => key.call(space, bucket, of)), ...common]
        }
        const other = new Set(keys(otherPrefix, otherName))
        expect(keys(onePrefix, oneName).filter((key) => other.has(key))).toEqual([])
      }),
    )
  })

  it('say where the name begins, in bytes', () => {
    const space = new KeySpace('präfix')
    const key = Buffer.from(space.lock(7, 'näme'))
    expect(key.subarray(space.nameFrom - 1).toString()).toBe('näme')
  })

  it('spread over the buckets', () => {
    const counts = new Array<number>(BUCKET_COUNT).fill(0)
    for (let i = 0; i < 3_200; i += 1) counts[bucketOf(`order:${i}`)]! += 1
    expect(Math.min(...counts)).toBeGreaterThan(100)
    expect(Math.max(...counts)).toBeLessThan(400)
  })

  it('put a name into the same bucket for ever', () => {
    expect(['', 'a', 'orders', 'päckchen/🔒'].map(bucketOf)).toMatchInlineSnapshot(`
      [
        9,
        0,
        2,
        8,
      ]
    `)
  })
})

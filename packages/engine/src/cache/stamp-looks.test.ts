import { deferred, systemClock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { StampLooks } from './stamp-looks.ts'

describe('StampLooks', () => {
  it('asks once for all that come in a turn, and again for those that come while it is answered', async () => {
    const asked: (readonly string[])[] = []
    const answers = [deferred<ReadonlyMap<string, string>>(), deferred<ReadonlyMap<string, string>>()]
    const stamps = (_: string, ids: readonly string[]) => {
      asked.push(ids)
      return answers[asked.length - 1]!.promise
    }
    const looks = new StampLooks({ stamps }, systemClock)
    const first = [looks.look('t', 'a'), looks.look('t', 'b'), looks.look('t', 'a')]
    await new Promise((resolve) => setTimeout(resolve, 5))
    const later = [looks.look('t', 'a'), looks.look('t', 'c')]
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(asked).toEqual([['a', 'b']])
    answers[0]!.resolve(new Map([['a', '1']]))
    expect((await Promise.all(first)).map(({ stamp }) => stamp)).toEqual(['1', undefined, '1'])
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(asked).toEqual([
      ['a', 'b'],
      ['a', 'c'],
    ])
    answers[1]!.resolve(new Map([['a', '2']]))
    const [again, unknown] = await Promise.all(later)
    expect([again?.stamp, unknown?.stamp]).toEqual(['2', undefined])
  })

  it('never answers with what was asked before the reader came', async () => {
    const clock = systemClock
    const stamps = async () => {
      await new Promise((resolve) => setTimeout(resolve, 3))
      return new Map([['a', 'x']])
    }
    const looks = new StampLooks({ stamps }, clock)
    const readers = Array.from({ length: 20 }, async (_, i) => {
      await new Promise((resolve) => setTimeout(resolve, i))
      const cameAt = clock.monotonic()
      const { askedAt } = await looks.look('t', 'a')
      return askedAt >= cameAt
    })
    expect(await Promise.all(readers)).toEqual(Array(20).fill(true))
  })

  it('goes on after a question that failed, and tells only those who asked it', async () => {
    let count = 0
    const stamps = async () => {
      count += 1
      if (count === 1) throw new Error('away')
      return new Map([['a', 'x']])
    }
    const looks = new StampLooks({ stamps }, systemClock)
    await expect(looks.look('t', 'a')).rejects.toThrow('away')
    expect((await looks.look('t', 'a')).stamp).toBe('x')
  })
})

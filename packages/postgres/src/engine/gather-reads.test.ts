import { deferred } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { gatherReads } from './gather-reads.ts'

/** Answers when it is told to. */
function heldReads() {
  const asked: {
    readonly keys: readonly string[]
    readonly answer: (found: ReadonlyMap<string, string>) => void
    readonly fail: (error: Error) => void
  }[] = []
  const read = gatherReads<string>((keys) => {
    const { promise, resolve, reject } = deferred<ReadonlyMap<string, string>>()
    asked.push({ keys, answer: resolve, fail: reject })
    return promise
  })
  return { asked, read }
}

describe('reads that are gathered', () => {
  it('leave at once while few are under way, and together when more come', async () => {
    const { asked, read } = heldReads()
    const answers = ['a', 'b', 'c', 'd', 'c'].map(read)
    expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['b']])
    asked[0]!.answer(new Map([['a', 'A']]))
    await expect(answers[0]).resolves.toBe('A')
    await expect.poll(() => asked.length).toBe(3)
    expect(asked[2]!.keys).toEqual(['c', 'd'])
    asked[1]!.answer(new Map())
    asked[2]!.answer(new Map([['c', 'C']]))
    expect(await Promise.all(answers)).toEqual(['A', undefined, 'C', undefined, 'C'])
  })

  it('are not answered by what left before they were asked for', async () => {
    const { asked, read } = heldReads()
    const first = read('a')
    const second = read('a')
    asked[0]!.answer(new Map([['a', 'old']]))
    asked[1]!.answer(new Map([['a', 'new']]))
    expect([await first, await second]).toEqual(['old', 'new'])
  })

  it('fail with those that they were sent with, and no others', async () => {
    const { asked, read } = heldReads()
    const answers = [read('a'), read('b')]
    asked[0]!.fail(new Error('away'))
    asked[1]!.answer(new Map([['b', 'B']]))
    await expect(answers[0]).rejects.toThrow('away')
    expect(await answers[1]).toBe('B')
  })
})

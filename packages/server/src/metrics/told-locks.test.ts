import type { LockStats } from '@lockstep/coordination'
import { describe, expect, it } from 'vitest'
import { contendedOf, OTHER_LOCKS, toldLocks } from './told-locks.ts'

const durations = (count: number, mean: number) => ({ count, mean, p50: mean, p95: mean, p99: mean, max: mean })
const stats = (pattern: string, granted: number, refused = 0): LockStats => ({
  ...{ pattern, asked: granted + refused, granted, refused, timedOut: 0, failed: 0, released: granted, lost: 0 },
  ...{ lateRenewals: 0, contention: refused / (granted + refused), waitMs: durations(granted, granted) },
  holdMs: durations(granted, 1),
})
const names = (all: readonly LockStats[]): string[] => all.map(({ pattern }) => pattern)

describe('locks that have lines of their own', () => {
  it('keep them when others are asked for more', () => {
    const told = toldLocks(2)
    expect(names(told([stats('a', 3), stats('b', 2)]))).toEqual(['a', 'b'])
    expect(names(told([stats('c', 9), stats('a', 3), stats('b', 2)]))).toEqual(['a', 'b', OTHER_LOCKS])
  })

  it('are as many as there is room for, and nobody is left out of the sums', () => {
    const told = toldLocks(2)
    const all = [stats('a', 8), stats('b', 4), stats('c', 3, 1), stats('d', 1, 3)]
    const [, , rest] = told(all)
    expect(rest).toMatchObject({ pattern: OTHER_LOCKS, asked: 8, granted: 4, refused: 4, contention: 0.5 })
    expect(contendedOf(rest!)).toBe(4)
    expect(rest!.waitMs).toMatchObject({ count: 4, mean: (3 * 3 + 1) / 4, p99: 3 })
  })

  it('do not name what has no name', () => {
    expect(names(toldLocks(2)([stats(OTHER_LOCKS, 9), stats('a', 1), stats('b', 1)]))).toEqual(['a', 'b', OTHER_LOCKS])
  })
})

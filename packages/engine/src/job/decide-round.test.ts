import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decideRound, type Round } from './decide-round.ts'
import { all, any, atLeast, onFailure } from './dependency.ts'

const HOUR_MS = 3_600_000
let ids = 0
const end = (scheduleId: string, status = 'completed') => ({ scheduleId, instanceId: `i${++ids}`, status })

/** Tells one end after another; answers which of them fired. */
function tell(after: ReturnType<typeof all>, ends: readonly [job: string, atMs: number, status?: string][]): number[] {
  let round: Round | undefined
  return ends.flatMap(([job, atMs, status], index) => {
    const decided = decideRound({ ...after, withinMs: HOUR_MS }, round, end(job, status), atMs)
    round = decided.round
    return decided.fires ? [index] : []
  })
}

describe('rounds', () => {
  it('fire when the set is large enough, and once', () => {
    expect(
      tell(all('a', 'b'), [
        ['a', 0],
        ['a', 1],
        ['b', 2],
        ['b', 3],
        ['a', 4],
      ]),
    ).toEqual([2, 4])
    expect(
      tell(any('a', 'b'), [
        ['a', 0],
        ['b', 1],
        ['b', 2],
      ]),
    ).toEqual([0, 2])
    expect(
      tell(atLeast(2, 'a', 'b', 'c'), [
        ['a', 0],
        ['b', 1],
        ['c', 2],
        ['a', 3],
        ['c', 4],
      ]),
    ).toEqual([1, 4])
    expect(
      tell(onFailure('a'), [
        ['a', 0],
        ['a', 1, 'faulted'],
        ['a', 2, 'cancelled'],
      ]),
    ).toEqual([1, 2])
  })

  it('count nothing that did not end as asked, or that nobody asked for', () => {
    expect(
      tell(all('a', 'b'), [
        ['a', 0],
        ['b', 1, 'faulted'],
        ['c', 2],
      ]),
    ).toEqual([])
  })

  it('begin anew when their time is over', () => {
    expect(
      tell(all('a', 'b'), [
        ['a', 0],
        ['b', HOUR_MS],
        ['a', HOUR_MS + 1],
      ]),
    ).toEqual([2])
  })

  it('never fire on a set that is too small, and never twice for one set', () => {
    const ends = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(3 * HOUR_MS)), { maxLength: 40 })
    fc.assert(
      fc.property(ends, fc.integer({ min: 1, max: 3 }), (told, count) => {
        let round: Round | undefined
        const fired = new Set<string>()
        for (const [job, at] of told.sort((x, y) => x[1] - y[1])) {
          const decided = decideRound({ ...atLeast(count, 'a', 'b', 'c'), withinMs: HOUR_MS }, round, end(job), at)
          round = decided.round
          if (!decided.fires) continue
          expect(round!.parents.length).toBe(count)
          expect(fired.has(round!.id)).toBe(false)
          fired.add(round!.id)
        }
      }),
    )
  })
})

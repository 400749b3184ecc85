import { describe, expect, it } from 'vitest'
import { recently } from './recently.ts'

function setUp() {
  const state = { now: 0, worst: 0 }
  const read = recently(
    { monotonic: () => state.now },
    () => ({ worst: state.worst }),
    () => {
      state.worst = 0
    },
  )
  /** The worst that a reading tells at a second, after `seen` came in its window. */
  const at = (second: number, seen = 0): number => {
    state.now = second * 1_000
    state.worst = Math.max(state.worst, seen)
    return read().worst
  }
  return at
}

describe('figures of lately', () => {
  it('rise at once, and fall when two minutes were good', () => {
    const at = setUp()
    expect([at(15, 1), at(30, 9), at(45)]).toEqual([1, 9, 9])
    expect([at(60), at(75, 2), at(120, 2)]).toEqual([9, 9, 9])
    expect([at(135, 3), at(180, 3)]).toEqual([3, 3])
    expect([at(195), at(240), at(255)]).toEqual([3, 3, 0])
  })

  it('rise after a long good time as they do after a short one', () => {
    const at = setUp()
    for (let second = 15; second <= 36_000; second += 15) expect(at(second, 1)).toBe(1)
    expect(at(36_015, 8)).toBe(8)
  })

  it('are not taken from a window that has only begun', () => {
    const at = setUp()
    at(60, 2)
    expect([at(61, 7), at(69, 7), at(70, 7)]).toEqual([2, 2, 7])
  })
})

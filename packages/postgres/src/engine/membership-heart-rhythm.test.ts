import { describe, expect, it } from 'vitest'
import { HeartRhythm } from './membership-heart-rhythm.ts'

function rhythm() {
  let now = 1_000
  const heart = new HeartRhythm({ heartbeatMs: 100, ttlMs: 400, now: () => now })
  return {
    after: (ms: number, pulse: number): boolean => {
      now += ms
      return heart.mayBeat(pulse)
    },
  }
}

describe('the rhythm of a heart', () => {
  it('goes on while the main loop turns', () => {
    const { after } = rhythm()
    expect([1, 2, 3, 4, 5, 6, 7, 8].map((pulse) => after(100, pulse))).not.toContain(false)
  })

  it('goes on while the loop is stuck for less than the life, and stops before that is over', () => {
    const { after } = rhythm()
    expect(after(100, 1)).toBe(true)
    expect([after(100, 1), after(100, 1), after(100, 1), after(100, 1)]).toEqual([true, true, true, false])
    expect(after(100, 2)).toBe(true)
  })

  it('waits for the loop to turn after the process was suspended', () => {
    const { after } = rhythm()
    expect(after(100, 1)).toBe(true)
    expect([after(5_000, 1), after(100, 1), after(100, 2)]).toEqual([false, false, true])
  })

  it('takes a pulse of before the suspension for nothing new', () => {
    const { after } = rhythm()
    expect(after(100, 1)).toBe(true)
    expect([after(5_000, 2), after(100, 2), after(100, 3)]).toEqual([false, false, true])
  })
})

import { describe, expect, it } from 'vitest'
import type { Execution } from './executions.ts'
import { idleFolds, timeScale } from './time-scale.ts'

const run = (segments: Execution['segments']): Execution => ({
  ...{ key: 'a', activity: 'a', status: 'completed', attempts: 1, facts: [], output: null },
  ...{ outcome: undefined, error: undefined, wait: undefined },
  begunAt: segments[0]!.from,
  endedAt: segments.at(-1)!.to,
  segments,
})

describe('the scale of a timeline', () => {
  it('is linear where nothing is folded', () => {
    const { place, momentAt } = timeScale(1_000, 2_000, [])
    expect([place(1_000), place(1_250), place(2_000)]).toEqual([0, 25, 100])
    expect(momentAt(25)).toBe(1_250)
    expect([place(0), place(9_000)]).toEqual([0, 100])
  })

  it('gives a fold little width, whatever its length, and the rest to what is left', () => {
    const day = 86_400_000
    const { place, momentAt } = timeScale(0, day + 200, [{ from: 100, to: day + 100 }])
    expect(place(100)).toBeCloseTo(47.5)
    expect(place(day + 100)).toBeCloseTo(52.5)
    expect(place(day + 200)).toBeCloseTo(100)
    expect(momentAt(place(day + 150))).toBeCloseTo(day + 150)
  })

  it('leaves room behind the present', () => {
    expect(timeScale(0, 100, [], 96).place(100)).toBe(96)
  })

  it('folds long waits, and nothing in which a step ran', () => {
    const waited = run([
      { kind: 'running', from: 0, to: 500 },
      { kind: 'suspended', from: 500, to: 60_000 },
      { kind: 'running', from: 60_000, to: 61_000 },
    ])
    expect(idleFolds([waited], 0, 61_000)).toEqual([{ from: 500, to: 60_000 }])
    const beside = run([{ kind: 'running', from: 20_000, to: 50_000 }])
    expect(idleFolds([waited, beside], 0, 61_000)).toEqual([
      { from: 500, to: 20_000 },
      { from: 50_000, to: 60_000 },
    ])
  })

  it('folds up to the present what goes on waiting', () => {
    const waits = run([
      { kind: 'running', from: 0, to: 100 },
      { kind: 'suspended', from: 100 },
    ])
    expect(idleFolds([waits], 0, 90_000)).toEqual([{ from: 100, to: 90_000 }])
  })

  it('folds nothing short', () => {
    const brief = run([
      { kind: 'running', from: 0, to: 10 },
      { kind: 'suspended', from: 10, to: 1_500 },
    ])
    expect(idleFolds([brief], 0, 1_500)).toEqual([])
  })
})

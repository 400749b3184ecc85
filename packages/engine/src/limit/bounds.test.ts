import { describe, expect, it } from 'vitest'
import type { Fact } from '../journal/fact.ts'
import { Bounds } from './bounds.ts'
import { resolveEngineLimits } from './engine-limits.ts'
import { FailureWindow } from './failure-window.ts'

const fact = (output: string): Fact => ({ kind: 'completed', step: 'a', outcome: 'done', output })

describe('the bounds of an instance', () => {
  it('hold for the facts of a burst, which a rest ends', () => {
    const bounds = new Bounds(resolveEngineLimits({ stepsPerBurst: 3 }))
    for (const seq of [1, 2]) bounds.count(fact(''), seq, () => 0)
    bounds.rested()
    for (const seq of [3, 4]) bounds.count(fact(''), seq, () => 0)
    expect(bounds.breach).toBeUndefined()
    bounds.count(fact(''), 5, () => 0)
    expect(bounds.breach).toMatchObject({ code: 'LIMIT_BURST' })
  })

  it('hold for its whole journal', () => {
    const bounds = new Bounds(resolveEngineLimits({ stepsPerInstance: 100 }))
    bounds.count(fact(''), 99, () => 0)
    expect(bounds.breach).toBeUndefined()
    bounds.count(fact(''), 100, () => 0)
    expect(bounds.breach).toMatchObject({ code: 'LIMIT_STEPS' })
  })

  it('hold for what it keeps, and measure that now and then', () => {
    let measured = 0
    let size = 0
    const measure = (): number => {
      measured += 1
      return size
    }
    const bounds = new Bounds(resolveEngineLimits({ stateBytes: 8_000 }))
    for (let seq = 1; seq <= 100; seq += 1) {
      size += 60
      bounds.count(fact('x'.repeat(58)), seq, measure)
    }
    expect(bounds.breach).toBeUndefined()
    expect(measured).toBeLessThan(10)
    for (let seq = 101; seq <= 200 && bounds.breach === undefined; seq += 1) {
      size += 60
      bounds.count(fact('x'.repeat(58)), seq, measure)
    }
    expect(bounds.breach).toMatchObject({ code: 'LIMIT_STATE' })
    expect(size).toBeLessThan(8_000 * 1.25)
  })

  it('are checked when they are given', () => {
    expect(resolveEngineLimits({}, 3).depth).toBe(3)
    expect(() => resolveEngineLimits({ fanOut: 0 })).toThrow('limits.fanOut')
    expect(() => resolveEngineLimits({ steps: 3 } as never)).toThrow('limits.steps')
    expect(() => resolveEngineLimits({ stateBytes: 1e12 })).toThrow('limits.stateBytes')
  })
})

describe('the failures that a breaker counts', () => {
  it('are those of its window', () => {
    const window = new FailureWindow(0)
    const policy = { failures: 3, windowMs: 100 }
    expect([0, 50, 101, 120].map((now) => window.add(now, policy))).toEqual([false, false, false, true])
  })
})

import { describe, expect, it } from 'vitest'
import { consumersText, runningText, schedulesText } from './retract-words.ts'

const consumer = (id: string, current = true) => ({ id, name: id.toUpperCase(), version: 2, current })

describe('whom a retraction hits', () => {
  it('counts what runs', () => {
    expect(runningText({ value: 1, exact: true }, 3)).toBe('1 of version 3 runs now')
    expect(runningText({ value: 10_000, exact: false }, 3)).toBe('10,000+ of version 3 run now')
  })

  it('names schedules, the first few of many', () => {
    expect(schedulesText([])).toBe('No schedule starts it')
    const many = Array.from({ length: 6 }, (_, n) => ({ id: `s${n}`, name: n === 0 ? 'Nightly' : null }))
    expect(schedulesText(many)).toBe('Schedules that come to nothing: Nightly, s1, s2, s3, s4 and more')
  })

  it('names workflows that run it, those apart that do so in an older version alone', () => {
    expect(consumersText([])).toEqual(['No drawn workflow runs it; functions do not say beforehand whom they run'])
    expect(consumersText([consumer('a'), consumer('b', false), consumer('c')])).toEqual([
      'Workflows that run it, and fail at that step: A, C',
      'Only an older version runs it: B',
    ])
    const many = Array.from({ length: 6 }, (_, n) => consumer(`w${n}`))
    expect(consumersText(many)).toEqual(['Workflows that run it, and fail at that step: W0, W1, W2, W3, W4 and more'])
  })
})

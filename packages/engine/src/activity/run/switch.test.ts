import { describe, expect, it } from 'vitest'
import { runSwitch } from './switch.ts'

const by = (outcome: string, condition: boolean) => ({ outcome, condition })
const is = (outcome: string, equals: null | number | string | object) => ({ outcome, equals: equals as never })

describe('a switch', () => {
  it('takes the first case that fits, or default', () => {
    expect(runSwitch({ cases: [by('a', false), by('b', true), by('c', true)] })).toMatchObject({ outcome: 'b' })
    expect(runSwitch({ cases: [by('a', false)] })).toEqual({ kind: 'completed', outcome: 'default' })
  })

  it('compares values, not identities, and tells null from nothing', () => {
    const cases = [is('zero', 0), is('text', '1'), is('object', { a: [1, { b: 2 }], c: 3 }), is('none', null)]
    expect(runSwitch({ value: { c: 3, a: [1, { b: 2 }] }, cases })).toMatchObject({ outcome: 'object' })
    expect(runSwitch({ value: 1, cases })).toMatchObject({ outcome: 'default' })
    expect(runSwitch({ value: '1', cases })).toMatchObject({ outcome: 'text' })
    expect(runSwitch({ value: null, cases })).toMatchObject({ outcome: 'none' })
    expect(runSwitch({ value: false, cases })).toMatchObject({ outcome: 'default' })
  })

  it('takes every case that fits when asked to, each outcome once', () => {
    const cases = [by('a', true), by('b', false), is('c', 1), by('a', true)]
    expect(runSwitch({ mode: 'all', value: 1, cases })).toEqual({
      kind: 'completed',
      outcome: 'a',
      outcomes: ['a', 'c'],
    })
    expect(runSwitch({ mode: 'all', value: 2, cases: cases.slice(1, 3) })).toEqual({
      kind: 'completed',
      outcome: 'default',
    })
  })
})

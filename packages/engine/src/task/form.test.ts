import { describe, expect, it } from 'vitest'
import { checkForm, FORM_LIMIT, formProblem } from './form.ts'

describe('forms', () => {
  it('are JSON schemas of a bounded size', () => {
    expect(formProblem({ type: 'object' })).toBeUndefined()
    expect(formProblem(true)).toBeUndefined()
    expect(formProblem('text')).toContain('JSON schema')
    expect(formProblem([])).toContain('JSON schema')
    expect(formProblem({ type: 'unknown' })).toContain('no JSON schema')
    expect(formProblem({ description: 'x'.repeat(FORM_LIMIT) })).toContain('ask for less')
  })

  it('say of each field what to do about it, and change nothing', () => {
    const form = {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'number', default: 1 }, c: { enum: ['x', 'y'] } },
      additionalProperties: false,
    }
    const data = { b: 1, c: 'z', d: 1 }
    expect(checkForm(form, data)).toEqual([
      { pointer: '/a', text: 'is missing: fill it in' },
      { pointer: '', text: 'has no field "b": remove it' },
      { pointer: '', text: 'has no field "d": remove it' },
      { pointer: '/c', text: 'must be one of "x","y"' },
    ])
    expect(data).toEqual({ b: 1, c: 'z', d: 1 })
    expect(checkForm(null, data)).toEqual([])
    expect(checkForm(form, { a: 1, b: 2 })).toHaveLength(1)
  })

  it('names at most twenty problems', () => {
    const form = { type: 'array', items: { type: 'string' } }
    expect(
      checkForm(
        form,
        Array.from({ length: 100 }, (_, n) => n),
      ),
    ).toHaveLength(20)
  })

  it('does not repeat a long list or a long name to whoever sends what is wrong', () => {
    const form = { enum: Array.from({ length: 5_000 }, (_, n) => `choice-${n}`) }
    expect(checkForm(form, 'other')[0]!.text.length).toBeLessThan(1_100)
    const closed = { type: 'object', additionalProperties: false }
    expect(checkForm(closed, { ['x'.repeat(100_000)]: 1 })[0]!.text.length).toBeLessThan(1_100)
  })
})

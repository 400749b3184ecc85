import { describe, expect, it } from 'vitest'
import { formOf, memberOf, standardOf, withMember } from './form-of.ts'

const schema = {
  type: 'object',
  required: ['reason'],
  properties: {
    amount: { type: 'number', default: 3 },
    reason: { type: 'string', title: 'Why' },
    tags: { type: 'array' },
  },
}

describe('the form of a schema', () => {
  it('has a field for each member, begins with what is given, and keeps the places of members', () => {
    const form = formOf(schema)
    expect(form.fields.map(({ name, title, kind }) => [name, title, kind])).toEqual([
      ['reason', 'Why', 'text'],
      ['amount', undefined, 'number'],
      ['tags', undefined, 'json'],
    ])
    const given = standardOf(form)
    expect(given).toEqual({ amount: 3 })
    const full = withMember(form, withMember(form, given, 'reason', 'lunch'), 'amount', 4)
    expect(JSON.stringify(full)).toBe('{"amount":4,"reason":"lunch"}')
    expect(withMember(form, full, 'reason', undefined)).toEqual({ amount: 4 })
    expect(memberOf(form, full, 'reason')).toBe('lunch')
    expect(memberOf(form, full, 'toString')).toBeUndefined()
  })

  it('is one field where one value is asked for, and none where nothing is', () => {
    const single = formOf({ type: 'string', enum: ['a', 'b'], default: 'b' })
    expect(single.fields.map(({ kind, required }) => [kind, required])).toEqual([['choice', true]])
    expect(standardOf(single)).toBe('b')
    expect(withMember(single, 'b', 'value', 'a')).toBe('a')
    for (const nothing of [null, undefined, {}, true, 'x']) expect(formOf(nothing).fields).toEqual([])
  })
})

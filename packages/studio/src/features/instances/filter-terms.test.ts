import { describe, expect, it } from 'vitest'
import { bulkFault, readTerm, suggestions, termsOf, termText } from './filter-terms.ts'

describe('terms of a filter', () => {
  it.each([
    ['status=faulted', { name: 'status', value: 'faulted' }],
    ['status: faulted', { name: 'status', value: 'faulted' }],
    ['createdAt>=-1h', { name: 'createdAt[gte]', value: '-1h' }],
    ['createdAt[lt]=2026-03-29', { name: 'createdAt[lt]', value: '2026-03-29' }],
    ['input.customer.id=42', { name: 'input.customer.id', value: '42' }],
    ['correlation="a b"', { name: 'correlation', value: 'a b' }],
  ])('%s', (text, term) => expect(readTerm(text)).toEqual(term))

  it.each(['faulted', 'colour=red', 'createdAt=-1h', 'input.=1', ''])('refuses %s with the fix', (text) => {
    expect(readTerm(text)).toMatchObject({ fault: expect.stringMatching(/./) })
  })

  it('are read from the address, and nothing else is', () => {
    const search = { status: 'faulted', cursor: 'abc', 'createdAt[gte]': '-1h', selected: 'x', 'input.a': '1' }
    expect(termsOf(search).map(termText)).toEqual(['status: faulted', 'createdAt ≥ 1h ago', 'input.a: 1'])
  })

  it('are suggested by what was typed', () => {
    expect(suggestions('sta', [])).toEqual(['status='])
    expect(suggestions('status=faulted,sus', [])).toEqual(['status=faulted,suspended'])
    expect(suggestions('definition=or', ['order', 'parcel'])).toEqual(['definition=order'])
  })

  it('say when all that match cannot be acted upon', () => {
    expect(bulkFault({ status: 'faulted' })).toBeUndefined()
    expect(bulkFault({ 'input.a': '1' })).toMatch(/input\.a/)
    expect(bulkFault({ definition: 'a,b' })).toMatch(/one workflow/)
  })
})

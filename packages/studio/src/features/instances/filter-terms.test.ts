import { describe, expect, it } from 'vitest'
import { readTerms, suggestions, termsOf, termText } from './filter-terms.ts'

describe('terms of a filter', () => {
  it('are those of the API, one or many at a time', () => {
    const parameters = { status: 'faulted', 'createdAt[gte]': '-1h' }
    expect(readTerms('status: faulted createdAt>=-1h')).toEqual({ parameters })
    expect(readTerms('colour=red')).toMatchObject({ fault: expect.stringMatching(/^colour=red: use status/) })
  })

  it('are read from the address, and nothing else is', () => {
    const search = { status: 'faulted', cursor: 'abc', 'createdAt[gte]': '-1h', selected: 'x', 'input.a': '1' }
    expect(termsOf(search).map(termText)).toEqual(['status: faulted', 'createdAt ≥ 1h ago', 'input.a: 1'])
  })

  it('are suggested by what was typed', () => {
    expect(suggestions('stat', [])).toEqual(['status='])
    expect(suggestions('started', [])).toEqual(['startedAt>=-1h'])
    expect(suggestions('status=faulted,sus', [])).toEqual(['status=faulted,suspended'])
    expect(suggestions('definition=or', ['order', 'parcel'])).toEqual(['definition=order'])
  })
})

import { describe, expect, it } from 'vitest'
import { costOf } from './fixtures/cost.fixture.ts'
import { nearestName, suggestion } from './nearest-name.ts'

describe('the nearest name', () => {
  it.each([
    ['wait-for-evnt', 'wait-for-event'],
    ['Delay', 'delay'],
    ['lgo', undefined],
    ['lo', 'log'],
    ['completely-different', undefined],
  ])('to %s is %s', (name, expected) => {
    expect(nearestName(name, ['delay', 'log', 'wait-for-event'])).toBe(expected)
  })

  it('makes a sentence, or none', () => {
    expect(suggestion('dely', ['delay'])).toBe('. Did you mean "delay"?')
    expect(suggestion('x', [])).toBe('')
  })

  it('is not looked for among thousands for each of thousands', () => {
    const known = Array.from({ length: 5_000 }, (_, n) => `${'a'.repeat(56)}x${n}`)
    const look = (): void => {
      for (let n = 0; n < 200; n += 1) nearestName(`${'a'.repeat(50)}zzzzzzz${n}`, known)
    }
    expect(costOf(look)).toBeLessThan(50)
    expect(nearestName('b'.repeat(100_000), ['b'.repeat(99_999)])).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'
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
})

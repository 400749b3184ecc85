import { describe, expect, it } from 'vitest'
import { sentence } from './sentence.ts'
import { waitWords } from './wait-words.ts'

describe('words of the API for people', () => {
  it.each([
    ['resetCircuitBreaker', 'Reset circuit breaker'],
    ['createApiKey', 'Create API key'],
    ['half-open', 'Half-open'],
    ['joined', 'Joined'],
  ])('%s', (word, shown) => {
    expect(sentence(word)).toBe(shown)
  })

  it('says what is waited for', () => {
    expect([waitWords('event', 'approved'), waitWords('human', 'ask'), waitWords('timer', '')]).toEqual([
      'event approved',
      'a person, at ask',
      'timer',
    ])
  })
})

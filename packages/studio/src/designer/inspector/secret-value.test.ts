import { describe, expect, it } from 'vitest'
import { secretIn, toSecret, withSecret } from './secret-value.ts'

describe('a secret in the place of a text', () => {
  it('is its name, and what comes before its value', () => {
    expect(secretIn({ $secret: 'token', prefix: 'Bearer ' })).toEqual({ name: 'token', prefix: 'Bearer ' })
    expect(toSecret({ name: 'token', prefix: '' })).toEqual({ $secret: 'token' })
    expect(toSecret({ name: 'token', prefix: 'Bearer ' })).toEqual({ $secret: 'token', prefix: 'Bearer ' })
  })

  it('is nothing else', () => {
    for (const value of ['token', undefined, { $secret: 7 }, { $secret: 'a', more: 1 }, { secret: 'a' }, ['a']])
      expect(secretIn(value)).toBeUndefined()
  })

  it('is put into an object, as credentials of a request first', () => {
    const first = withSecret('headers', { accept: 'a' }, 'token')
    expect(first).toEqual({ accept: 'a', authorization: { $secret: 'token', prefix: 'Bearer ' } })
    expect(withSecret('headers', first, 'other')).toEqual({ ...first, other: { $secret: 'other' } })
    expect(withSecret('query', undefined, 'key')).toEqual({ key: { $secret: 'key' } })
  })
})

import { describe, expect, it } from 'vitest'
import { defineError, errorCode, isRetryable, TimedOut } from '../index.ts'

const LockLost = defineError('LOCK_LOST', { retryable: true }, (d: { name: string }) => `Lost lock "${d.name}"`)

describe('defineError', () => {
  it('makes errors with code, details, message and cause', () => {
    const cause = new Error('why')
    const error = new LockLost({ name: 'orders' }, { cause })
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({
      code: 'LOCK_LOST',
      details: { name: 'orders' },
      message: 'Lost lock "orders"',
      name: 'LOCK_LOST',
      cause,
    })
    expect(isRetryable(error)).toBe(true)
  })

  it('recognises an error of another copy of the module by its code', () => {
    const copy = defineError('LOCK_LOST', { retryable: true }, (d: { name: string }) => d.name)
    expect(LockLost.is(new copy({ name: 'x' }))).toBe(true)
    expect(LockLost.is(new TimedOut({ what: 'x', afterMs: 1 }))).toBe(false)
    expect(LockLost.is('LOCK_LOST')).toBe(false)
  })

  it('reads codes of foreign errors, and none where there is none', () => {
    expect(errorCode(Object.assign(new Error('x'), { code: 'ECONNRESET' }))).toBe('ECONNRESET')
    expect(errorCode(new Error('x'))).toBeUndefined()
    expect(errorCode(undefined)).toBeUndefined()
    expect(errorCode({ code: 23505 })).toBeUndefined()
  })

  it('has no cause unless one was given', () => {
    expect('cause' in new LockLost({ name: 'x' })).toBe(false)
  })
})

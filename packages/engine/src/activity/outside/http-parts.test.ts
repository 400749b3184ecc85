import { describe, expect, it } from 'vitest'
import { bodyOf } from './http-body.ts'
import { headersOf, idempotencyHeader } from './http-headers.ts'
import { parseResponse } from './http-response-body.ts'
import { isWorthRepeating, matchesStatus, retryAfterMs } from './http-status.ts'
import { targetUrl } from './http-url.ts'

const holdsSecret = (text: string) => text.includes('s3cret')
const text = (bytes: Uint8Array | undefined) => bytes && Buffer.from(bytes).toString()
const response = (body: string | Uint8Array, type?: string) => ({
  status: 200,
  headers: type === undefined ? {} : { 'content-type': type },
  body: Buffer.from(body as string),
  url: new URL('http://x'),
})

describe('the parts of a request', () => {
  it('are a body by what it is', () => {
    const made = (value: Parameters<typeof bodyOf>[0], type?: string) => {
      const { body, contentType } = bodyOf(value, type)
      return [text(body), contentType]
    }
    expect(made(undefined)).toEqual([undefined, undefined])
    expect(made('plain')).toEqual(['plain', 'text/plain; charset=utf-8'])
    expect(made({ a: [1] })).toEqual(['{"a":[1]}', 'application/json'])
    expect(made(null)).toEqual(['null', 'application/json'])
    expect(made({ a: 'x y', b: [1, 2] }, 'application/x-www-form-urlencoded')[0]).toBe('a=x+y&b=1&b=2')
  })

  it('are headers, and those that hold a secret are known', () => {
    expect(headersOf({ Authorization: 'Bearer s3cret', 'X-Count': 3 }, holdsSecret)).toEqual({
      headers: { authorization: 'Bearer s3cret', 'x-count': '3' },
      sensitive: ['authorization'],
    })
  })

  it('are never secrets that data has named', () => {
    const given = { a: { secret: 'token' } }
    expect(() => headersOf(given, holdsSecret)).toThrow(/through an expression/)
    expect(() => targetUrl({ secret: 'token' }, holdsSecret)).toThrow(/through an expression/)
  })

  it.each([
    [{ host: 'evil' }],
    [{ 'Transfer-Encoding': 'chunked' }],
    [{ 'content-length': '0' }],
    [{ 'a b': 'x' }],
    [{ 'a\r\nb': 'x' }],
    [{ a: 'x\r\nb: y' }],
    [{ a: 'x\0' }],
    [{ a: '\u2028' }],
  ])('are never headers such as %j', (headers) => {
    expect(() => headersOf(headers as never, holdsSecret)).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ faultCode: 'INVALID_INPUT' }) }),
    )
  })

  it('have a key that every header can hold', () => {
    expect(idempotencyHeader('0190:step[3]')).toBe('0190:step[3]')
    expect(idempotencyHeader('schritt ä')).toMatch(/^[0-9a-f]{64}$/)
  })
})

describe('an answer', () => {
  it('is read by its content type', () => {
    expect(parseResponse(response('{"a":1}', 'application/json; charset=utf-8'))).toEqual({
      body: { a: 1 },
      encoding: 'json',
    })
    expect(parseResponse(response('{"a":1}', 'application/problem+json'))).toEqual({ body: { a: 1 }, encoding: 'json' })
    expect(parseResponse(response('\ufeff[]', 'application/json'))).toEqual({ body: [], encoding: 'json' })
    expect(parseResponse(response('{', 'application/json'))).toHaveProperty('reason')
    expect(parseResponse(response('<a/>', 'application/xml'))).toEqual({ body: '<a/>', encoding: 'text' })
    expect(parseResponse(response(Buffer.from([0xe4]), 'text/plain; charset=iso-8859-1'))).toEqual({
      body: 'ä',
      encoding: 'text',
    })
    expect(parseResponse(response('x', 'text/plain; charset=martian'))).toEqual({ body: 'x', encoding: 'text' })
    expect(parseResponse(response('x'))).toEqual({ body: 'x', encoding: 'text' })
    expect(parseResponse(response(Buffer.from([0xff])))).toEqual({ body: '/w==', encoding: 'base64' })
    expect(parseResponse(response('x', 'image/png'))).toEqual({ body: 'eA==', encoding: 'base64' })
    expect(parseResponse(response('', 'application/json'))).toEqual({ body: null, encoding: 'none' })
  })

  it('is expected, or not', () => {
    expect([204, 301].map((status) => matchesStatus(status, undefined))).toEqual([true, false])
    expect([200, 404, 405].map((status) => matchesStatus(status, [200, '404']))).toEqual([true, true, false])
    expect([404, 500].map((status) => matchesStatus(status, '4xx'))).toEqual([true, false])
    expect([400, 408, 409, 425, 429, 500, 501, 502, 503, 504].filter(isWorthRepeating)).toEqual([
      408, 425, 429, 500, 502, 503, 504,
    ])
  })

  it('says when to come back', () => {
    expect(retryAfterMs('120', 0)).toBe(120_000)
    expect(retryAfterMs('Thu, 01 Jan 1970 00:01:00 GMT', 30_000)).toBe(30_000)
    expect(retryAfterMs('Thu, 01 Jan 1970 00:00:00 GMT', 30_000)).toBe(0)
    expect(retryAfterMs('999999999', 0)).toBe(86_400_000)
    expect(retryAfterMs('soon', 0)).toBeUndefined()
    expect(retryAfterMs(undefined, 0)).toBeUndefined()
  })
})

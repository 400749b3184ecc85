import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MASKED, SecretMask } from './secret-mask.ts'

const maskOf = (...values: readonly string[]): SecretMask => {
  const mask = new SecretMask()
  for (const value of values) mask.add(value)
  return mask
}

const VALUE = 'p@Ss w0rd!/+\'"\\é€<*>'

describe('a mask', () => {
  it.each([
    ['as it is', (v: string) => `before ${v} after`],
    ['twice', (v: string) => v + v],
    ['inside JSON text', (v: string) => JSON.stringify({ a: v })],
    ['inside JSON text inside JSON text', (v: string) => JSON.stringify({ a: JSON.stringify({ b: v }) })],
    ['in a URL', (v: string) => `https://x.org/?q=${encodeURIComponent(v)}`],
    ['in a URL, in lower case', (v: string) => encodeURIComponent(v).replace(/%../g, (each) => each.toLowerCase())],
    ['in a URL, whole', (v: string) => encodeURI(v)],
    [
      'in a URL, with more escapes',
      (v: string) => encodeURIComponent(v).replace('!', '%21').replace("'", '%27').replace('*', '%2A'),
    ],
    [
      'in a form of another writer',
      (v: string) =>
        encodeURIComponent(v).replaceAll('%20', '+').replace('!', '%21').replace("'", '%27').replace('*', '%2A'),
    ],
    ['in JSON that hides slashes', (v: string) => JSON.stringify(v).replaceAll('/', '\\/')],
    [
      'in JSON of ASCII alone',
      (v: string) => JSON.stringify(v).replace(/[é€]/g, (s) => `\\u${s.charCodeAt(0).toString(16).padStart(4, '0')}`),
    ],
    [
      'on a page',
      (v: string) => v.replace('<', '&lt;').replace('>', '&gt;').replace('"', '&quot;').replace("'", '&#39;'),
    ],
    ['in a form', (v: string) => new URLSearchParams({ a: v }).toString()],
    ['as base64', (v: string) => Buffer.from(v).toString('base64')],
    ['as base64url', (v: string) => Buffer.from(v).toString('base64url')],
    ['as the password of Basic', (v: string) => Buffer.from(`ann:${v}`).toString('base64')],
    ['as the user of Basic', (v: string) => Buffer.from(`${v}:`).toString('base64')],
    ['as hex', (v: string) => Buffer.from(v).toString('hex')],
    ['as HEX', (v: string) => Buffer.from(v).toString('hex').toUpperCase()],
  ])('takes a value out that stands there %s', (_, show) => {
    const text = show(VALUE)
    const masked = maskOf(VALUE).text(text)
    expect(masked).toContain(MASKED)
    for (const piece of [VALUE, encodeURIComponent(VALUE), Buffer.from(VALUE).toString('hex')])
      expect(masked).not.toContain(piece)
  })

  it('leaves no base64 of a value, whatever stands around it', () => {
    const bytes = fc.uint8Array({ maxLength: 12 })
    fc.assert(
      fc.property(fc.string({ minLength: 12, maxLength: 40 }), bytes, bytes, (value, before, after) => {
        const whole = Buffer.concat([before, Buffer.from(value), after])
        const masked = maskOf(value).text(whole.toString('base64'))
        expect(Buffer.from(masked.replaceAll(MASKED, ''), 'base64').includes(value)).toBe(false)
        expect(masked).toContain(MASKED)
      }),
    )
  })

  it('takes out what makes a URL secret, and lines of a key', () => {
    const url = 'https://ann:p%40ssw0rd@hooks.example.org/services/T0000000000000000/x?token=a%20long%20token&v=1'
    const parts = ['p@ssw0rd', 'a long token', 'a+long+token', 'T0000000000000000', 'token=a%20long%20token&v=1']
    for (const part of parts) expect(maskOf(url).text(`got ${part} back`)).toBe(`got ${MASKED} back`)
    expect(maskOf(url).text('hooks.example.org')).toBe('hooks.example.org')
    const pem = '-----BEGIN KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQ\n-----END KEY-----'
    expect(maskOf(pem).text('at MIIEvQIBADANBgkqhkiG9w0BAQ')).toBe(`at ${MASKED}`)
  })

  it('goes through plain data: members, their names, numbers', () => {
    const mask = maskOf('canary-1', '1234567890')
    const masked = mask.json({ list: ['x canary-1'], 'canary-1': { n: 1_234_567_890, other: 12 } })
    expect(masked).toEqual({ list: [`x ${MASKED}`], [MASKED]: { n: MASKED, other: 12 } })
  })

  it('gives back the very value that holds none', () => {
    const value = { a: [1, 'x', { b: null }] }
    expect(maskOf('canary').json(value)).toBe(value)
    expect(new SecretMask().json(value)).toBe(value)
  })

  it('takes the beginning of a value out where text was cut off', () => {
    const value = 'canary-0123456789-abcdefghij'
    for (let length = 8; length < value.length; length += 1)
      expect(maskOf(value).text('x'.repeat(2_000) + value.slice(0, length))).not.toContain(value.slice(0, 8))
  })

  it('leaves short values alone rather than everything else', () => {
    expect(maskOf('a', '').text('a banana')).toBe('a banana')
  })
})

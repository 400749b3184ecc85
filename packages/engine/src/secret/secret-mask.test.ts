import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { MASKED, SecretMask } from './secret-mask.ts'

const maskOf = (...values: readonly string[]): SecretMask => {
  const mask = new SecretMask()
  for (const value of values) mask.add(value)
  return mask
}

const hexOf = (sign: string, digits: number): string => sign.charCodeAt(0).toString(16).padStart(digits, '0')

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
    ['in capitals', (v: string) => v.toUpperCase()],
    ['in small letters', (v: string) => v.toLowerCase()],
    ['with an escape for every sign of JSON', (v: string) => [...v].map((s) => `\\u${hexOf(s, 4)}`).join('')],
    [
      'with an escape for every byte of a URL',
      (v: string) => [...Buffer.from(v)].map((b) => `%${b.toString(16).padStart(2, '0')}`).join(''),
    ],
    ['with a number for every sign of a page', (v: string) => [...v].map((s) => `&#${s.codePointAt(0)};`).join('')],
    [
      'with a number in HEX for every sign of a page',
      (v: string) => [...v].map((s) => `&#x${hexOf(s, 2).toUpperCase()};`).join(''),
    ],
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

  it('is no oracle: the beginning of a value is text like any other, however long what it ends', () => {
    const value = 'canary-0123456789-abcdefghij'
    for (const guess of [value.slice(0, -1), Buffer.from(value.slice(0, -1)).toString('hex')]) {
      const text = 'x'.repeat(2_000) + guess
      expect(maskOf(value).text(text)).toBe(text)
    }
  })

  it.each([1, 5, 16_384, 17_004, 65_536])('takes out a value of %i characters beside 27 KB of keys', (length) => {
    const value = `canary${'0123456789abcdef'.repeat(4_096).slice(0, length)}`
    const line = (n: number): string => createHash('sha512').update(`${n}`).digest('base64').slice(0, 64)
    const keys = Array.from({ length: 400 }, (_, n) => line(n)).join('\n')
    const mask = maskOf(value, keys)
    for (const form of [value, Buffer.from(value).toString('hex')])
      expect(mask.text(`a ${form} b`)).toBe(`a ${MASKED} b`)
    // Of base64 the last sign may belong to what stands behind it.
    expect(mask.text(Buffer.from(value).toString('base64url'))).toMatch(/^\[secret\].?$/)
    expect(mask.text(`${line(7)} and ${line(399)}`)).toBe(`${MASKED} and ${MASKED}`)
    expect(mask.text(keys)).toBe(MASKED)
  })

  it('takes out all of a text that was made to be slow to look through', () => {
    const mask = maskOf(`${'a'.repeat(60_000)}b`)
    expect(mask.text('a'.repeat(200_000))).toBe(MASKED)
    expect(mask.text('a'.repeat(100))).toBe('a'.repeat(100))
  })

  it('takes the longest where one value begins with another', () => {
    const mask = maskOf('abcd', 'abcdefgh-1', 'abcdefgh-1-and-more')
    expect(mask.text('abcdefgh-1-and-more abcdefgh-1- abcdefgh abc')).toBe(`${MASKED} ${MASKED}- ${MASKED}efgh abc`)
  })

  it('takes numbers out that are a value, however few their digits, and as far as numbers go', () => {
    const mask = maskOf('482913', '12345678901234567890', '73.25')
    const shown = [482_913, -482_913, Number('12345678901234567890'), 73.25, 48_291, 4_829_130]
    expect(mask.json(shown)).toEqual([MASKED, MASKED, MASKED, MASKED, 48_291, 4_829_130])
  })

  it('leaves ordinary numbers alone that a value only looks like', () => {
    const mask = maskOf('0000', '0001', '0042', '2.00', '00.5', '3.50')
    const shown = { count: 0, n: [1, 42, 2, 0.5, 3.5], pin: '0042' }
    expect(mask.json(shown)).toEqual({ count: 0, n: [1, 42, 2, 0.5, 3.5], pin: MASKED })
  })

  it('forgets the number with the value that gives way to newer ones', () => {
    const mask = maskOf('482913', ...Array.from({ length: 255 }, (_, n) => `canary-${n}`))
    expect(mask.json([482_913, 'canary-0'])).toEqual([MASKED, MASKED])
    mask.add('one too many')
    expect(mask.json([482_913, 'canary-0'])).toEqual([482_913, MASKED])
  })

  it('takes up in one go what was added meanwhile, whenever it was', () => {
    const sort = vi.spyOn(Array.prototype, 'sort')
    const mask = new SecretMask()
    for (let n = 0; n < 20; n += 1) mask.add(`canary-${n}-of-many`)
    expect(sort).not.toHaveBeenCalled()
    sort.mockRestore()
    expect(mask.text('a canary-19-of-many b')).toBe(`a ${MASKED} b`)
    mask.add('added later')
    expect([mask.shows('added later'), mask.text('canary-0-of-many')]).toEqual([true, MASKED])
  })

  it('knows no trouble with half of a sign', () => {
    expect(maskOf('canary-\ud83d').text('a canary-\ud83d b')).toBe(`a ${MASKED} b`)
  })

  it('leaves short values alone rather than everything else', () => {
    expect(maskOf('a', '').text('a banana')).toBe('a banana')
  })
})

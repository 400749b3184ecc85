import { systemClock as clock, InvalidOption, systemRandom as random } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { parseRedisUrl, resolveRedisOptions } from './redis-options.ts'

describe('the URL of a Redis server', () => {
  it('is read with its defaults', () => {
    expect(parseRedisUrl('redis://localhost')).toEqual({ host: 'localhost', port: 6379, database: 0 })
    expect(parseRedisUrl('redis://localhost/')).toEqual({ host: 'localhost', port: 6379, database: 0 })
  })

  it('is read with everything in it', () => {
    expect(parseRedisUrl('rediss://us%40er:p%2Fw@[::1]:7000/3')).toEqual({
      host: '::1',
      port: 7000,
      database: 3,
      username: 'us@er',
      password: 'p/w',
      tls: {},
    })
  })

  it.each([
    'nonsense',
    'http://host',
    'redis://',
    'redis://:secret-word@',
    'redis://:secret-word@host/db',
    'redis://:secret-word@host/1/2',
    'redis://:%zzsecret-word@host',
    'redis://:secret-word@host:port',
  ])('is refused without being repeated: %s', (url) => {
    const error = (() => {
      try {
        resolveRedisOptions({ url, clock, random })
      } catch (thrown) {
        return thrown
      }
      return undefined
    })()
    expect(InvalidOption.is(error)).toBe(true)
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('secret-word')
  })
})

describe('options', () => {
  const url = 'redis://:from-url@host'

  it('let a password and TLS settings win over the URL', () => {
    const { source } = resolveRedisOptions({ url, password: 'given', tls: { servername: 'x' }, clock, random })
    expect(source).toEqual({ address: expect.objectContaining({ password: 'given', tls: { servername: 'x' } }) })
    const plain = resolveRedisOptions({ url: 'rediss://host', tls: false, clock, random }).source
    expect(plain).toEqual({ address: { host: 'host', port: 6379, database: 0 } })
  })

  it.each([
    { clock, random },
    { url, prefix: '', clock, random },
    { url, prefix: 'a{b', clock, random },
    { url, prefix: 'a\nb', clock, random },
    { url, connectGraceMs: -1, clock, random },
    { url, silenceMs: 0, clock, random },
    { url, silenceMs: Number.NaN, clock, random },
  ])('that make no sense are refused', (options) => {
    expect(() => resolveRedisOptions(options)).toThrow(expect.objectContaining({ code: 'INVALID_OPTION' }))
  })
})

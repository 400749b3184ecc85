import { describe, expect, it } from 'vitest'
import { readTarget, redirectUrl } from './target.ts'

describe('target of a proxy', () => {
  it('takes host, port and protocol from a URL', () => {
    expect(readTarget('postgres://u:p@db.local:6000/app')).toEqual({
      target: { host: 'db.local', port: 6000 },
      protocol: 'postgres',
    })
    expect(readTarget('postgresql://db.local/app').target.port).toBe(5432)
    expect(readTarget('redis://127.0.0.1')).toEqual({ target: { host: '127.0.0.1', port: 6379 }, protocol: 'redis' })
    expect(readTarget('amqp://[::1]')).toEqual({ target: { host: '::1', port: 5672 } })
  })

  it('follows no protocol inside TLS', () => {
    expect(readTarget('rediss://127.0.0.1:7000').protocol).toBeUndefined()
  })

  it('refuses a URL without a port, and does not repeat its password', () => {
    expect(() => readTarget('gopher://user:hunter2@host')).toThrow(/host and a port/)
    expect(() => readTarget('gopher://user:hunter2@host')).not.toThrow(/hunter2/)
  })

  it('puts the proxy in the place of the server and keeps the rest', () => {
    const proxy = { host: '127.0.0.1', port: 21_000 }
    expect(redirectUrl('postgres://u:p%40@db.local:6000/app?application_name=x', proxy)).toBe(
      'postgres://u:p%40@127.0.0.1:21000/app?application_name=x',
    )
    expect(redirectUrl('postgres:///app?host=/run/sock&port=5', proxy)).toBe('postgres://127.0.0.1:21000/app')
    expect(redirectUrl('redis://h', { host: '::1', port: 1 })).toBe('redis://[::1]:1')
  })
})

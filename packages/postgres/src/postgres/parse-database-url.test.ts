import { InvalidOption } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { parseDatabaseUrl, placeOf } from './parse-database-url.ts'

describe('a database URL', () => {
  it('is read with all its parts', () => {
    expect(parseDatabaseUrl('postgres://m%40e:p%2Fw@db.example:6432/or%20ders?sslmode=verify-full')).toEqual({
      host: 'db.example',
      port: 6432,
      user: 'm@e',
      password: 'p/w',
      database: 'or ders',
      tls: { rejectUnauthorized: true },
    })
  })

  it('may leave out port, password and encryption', () => {
    expect(parseDatabaseUrl('postgresql://me@[::1]/orders')).toEqual({
      host: '::1',
      port: 5432,
      user: 'me',
      database: 'orders',
    })
    expect(parseDatabaseUrl('postgres://me@localhost/orders?sslmode=no-verify').tls).toEqual({
      rejectUnauthorized: false,
    })
  })

  it('may name a socket folder', () => {
    expect(parseDatabaseUrl('postgres://me@localhost/orders?host=/run/postgresql').host).toBe('/run/postgresql')
  })

  it.each([
    ['not a url', /a URL such as/],
    ['mysql://me:hunter2@host/db', /begins with "mysql:"/],
    ['postgres://me:hunter2@host', /database name is missing/],
    ['postgres://:hunter2@host/db', /user is missing/],
    ['postgres:///db', /host is missing|URL such as/],
    ['postgres://me:hunter2@host/db?sslmode=maybe', /sslmode is/],
  ])('%s is refused with a cure and without its password', (url, rule) => {
    const error = thrownBy(() => parseDatabaseUrl(url))
    expect(InvalidOption.is(error)).toBe(true)
    expect((error as Error).message).toMatch(rule)
    expect(JSON.stringify(error) + (error as Error).message).not.toContain('hunter2')
  })

  it('is shown without its password', () => {
    expect(placeOf(parseDatabaseUrl('postgres://me:hunter2@[::1]:5433/orders'))).toBe('[::1]:5433/orders (user me)')
  })
})

function thrownBy(run: () => unknown): unknown {
  try {
    run()
  } catch (error) {
    return error
  }
  throw new Error('expected an error')
}

import { describe, expect, it } from 'vitest'
import { resolveNodeOptions } from './node-options.ts'
import { readEnvironment } from './read-environment.ts'

const KEY = 'q0nKx3Ck9rU4sFv8bWzYt1hJmPl6oEiDgA2R5T7XcVw='

describe('options of what is outside', () => {
  it('come from the environment as texts', async () => {
    const options = resolveNodeOptions(
      readEnvironment({
        LOCKSTEP_OUTBOUND_ALLOW: '10.1.0.0/16, billing.internal',
        LOCKSTEP_OUTBOUND_TENANTS: 'acme, tenb',
        LOCKSTEP_CONNECTIONS: 'reports=postgres://a:b@h/r\n legacy_db=postgresql://h/l?x=1',
        LOCKSTEP_RABBITMQ_URL: 'amqp://a:b@h',
        LOCKSTEP_MAIL_URL: 'smtp://h:25',
        LOCKSTEP_WATCH: 'on',
        LOCKSTEP_SQL_OWN_DATABASE: 'on',
        LOCKSTEP_SECRET_BILLING_TOKEN: 's',
      }),
    )
    expect(options).toMatchObject({
      outboundAllow: ['10.1.0.0/16', 'billing.internal'],
      outboundTenants: ['default', 'acme', 'tenb'],
      connections: { reports: 'postgres://a:b@h/r', legacy_db: 'postgresql://h/l?x=1' },
      ...{ rabbitmqUrl: 'amqp://a:b@h', mailUrl: 'smtp://h:25', watch: true, ownDatabase: true },
    })
    expect(await options.environmentSecrets('billing-token', 'default')).toBe('s')
    expect(await options.environmentSecrets('other', 'default')).toBeUndefined()
    expect(JSON.stringify(options)).not.toContain('"s"')
  })

  it('come from code as values', async () => {
    const { outboundAllow, secrets, watch, ownDatabase } = resolveNodeOptions({
      outbound: { allow: ['::1'] },
      secrets: async (name, tenant) => (name === 'a' ? `code of ${tenant}` : undefined),
    })
    expect([outboundAllow, await secrets('a', 't'), await secrets('b', 't'), watch, ownDatabase]).toEqual([
      ['::1'],
      'code of t',
      undefined,
      false,
      false,
    ])
  })

  it('are for the default tenant, and for those that are named', () => {
    const tenants = (outboundTenants?: string | string[]) =>
      resolveNodeOptions(outboundTenants === undefined ? {} : { outboundTenants }).outboundTenants
    expect(tenants()).toEqual(['default'])
    expect(tenants('')).toEqual(['default'])
    expect(tenants(['acme', 'default'])).toEqual(['default', 'acme'])
    expect(tenants('*')).toEqual(['default', '*'])
  })

  it('have secrets of the environment for the default tenant alone, and none that are settings', async () => {
    const { environmentSecrets } = resolveNodeOptions(
      readEnvironment({ LOCKSTEP_SECRET_TOKEN: 'value', LOCKSTEP_SECRET_KEYS: KEY, LOCKSTEP_SECRET_FILE: '/dev/null' }),
    )
    expect(await environmentSecrets('token', 'default')).toBe('value')
    expect(await environmentSecrets('token', 'other')).toBeUndefined()
    for (const name of ['keys', 'file', 'keys-file', 'token-file'])
      expect(await environmentSecrets(name, 'default')).toBeUndefined()
  })

  it.each([
    [{ rabbitmqUrl: 'http://a:pass@h' }, /"rabbitmqUrl" must be a URL such as amqp:/],
    [{ mailUrl: 'mail.example.org' }, /"mailUrl" must be a URL such as smtp:/],
    [{ outbound: { allow: 'x' } }, /"outbound" must be of the form/],
    [{ outbound: { ownDatabase: true } }, /"outbound" must be of the form/],
    [{ sqlOwnDatabase: 'yes' }, /"sqlOwnDatabase" must be one of on, off/],
    [{ outbound: { deny: [] } }, /"outbound" must be of the form/],
    [{ outboundTenants: 'acme-*' }, /"outboundTenants" must be a list of tenants/],
    [{ outboundTenants: ['acme~test'] }, /"outboundTenants" must be a list of tenants/],
    [{ outboundTenants: { acme: true } }, /"outboundTenants" must be a list of tenants/],
    [{ connections: { 'Bad Name': 'postgres://h' } }, /"connections" must be names/],
    [{ connections: { good: 'mysql://a:pass@h' } }, /"connections.good" must be names/],
    [{ connections: 'nonsense' }, /"connections.nonsense" must be names/],
    [{ connections: 7 }, /"connections" must be names/],
    [{ watch: 'maybe' }, /"watch" must be one of on, off/],
    [{ secretKeys: 'pass@word' }, /"secretKeys" must be keys of 32 random bytes/],
    [{ secrets: 'x' }, /"secrets" must be a function/],
  ])('refuse %j', (raw, message) => {
    expect(() => resolveNodeOptions(raw as never)).toThrow(message)
    expect(() => resolveNodeOptions(raw as never)).not.toThrow(/pass@/)
  })
})

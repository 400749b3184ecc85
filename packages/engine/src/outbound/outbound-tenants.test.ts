import { describe, expect, it } from 'vitest'
import { testTenant } from '../test-run/test-tenant.ts'
import { outboundTenants } from './outbound-tenants.ts'

describe('tenants that may use what the operator configured', () => {
  const some = ['default', 'acme', 'tenb', '*', 'default~', 'Default', '']
  const among = (named?: readonly string[]) => some.filter(outboundTenants(named))

  it('are default, and those that are named', () => {
    expect(among()).toEqual(['default'])
    expect(among(['acme'])).toEqual(['default', 'acme'])
    expect(among(['*'])).toEqual(some)
  })

  it('are the same in test runs', () => {
    const mayUse = outboundTenants(['acme'])
    expect(['default', 'acme', 'tenb'].map(testTenant).map(mayUse)).toEqual([true, true, false])
  })
})

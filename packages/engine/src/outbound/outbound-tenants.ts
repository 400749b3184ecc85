import { DEFAULT_TENANT } from '../start/start-request.ts'
import { realTenant } from '../test-run/test-tenant.ts'

/** In a list of tenants: every one of them. */
const ALL = '*'

/** Whether steps of a tenant may use what the operator configured for steps: those of `default`, and of the tenants that the operator names. */
export function outboundTenants(named: readonly string[] = []): (tenant: string) => boolean {
  const all = named.includes(ALL)
  return (tenant) => all || isDefaultTenant(tenant) || named.includes(realTenant(tenant))
}

/** A test run is of the tenant whose draft it runs. */
export const isDefaultTenant = (tenant: string): boolean => realTenant(tenant) === DEFAULT_TENANT

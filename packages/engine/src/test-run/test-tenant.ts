const MARK = '~test'

/**
 * Where the test runs of a tenant live: beside it, under a name that no principal can have. Its lists, events, incidents, tasks and flow
 * policies are others, so that a test run is never taken for a real one, and no real event reaches it.
 */
export const testTenant = (tenant: string): string => `${tenant}${MARK}`

export const isTestTenant = (tenant: string): boolean => tenant.endsWith(MARK)

/** Whose run it is: secrets and the like are that one's, in a test too. */
export const realTenant = (tenant: string): string => (isTestTenant(tenant) ? tenant.slice(0, -MARK.length) : tenant)

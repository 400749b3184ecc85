/** What a lock of a workflow is called in the store of locks: tenants do not meet there. */
export const lockName = (tenant: string, name: string): string => (tenant === 'default' ? name : `${tenant}/${name}`)

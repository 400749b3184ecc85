import { realTenant } from '../test-run/test-tenant.ts'
import { SecretUnusable } from './errors.ts'

/** Where secrets come from. Documents and journals hold their names only. */
export type Secrets = (name: string, tenant: string) => Promise<string | undefined>

/** Lower case with dashes: what looks like a key or a password does not fit, so that none is written into a document by mistake. */
export const SECRET_NAME = '^[a-z][a-z0-9]*(-[a-z0-9]+)*$'
export const LONGEST_SECRET_NAME = 64

export const noSecrets: Secrets = async () => undefined

export async function requireSecret(secrets: Secrets, name: string, tenant: string): Promise<string> {
  const value = await secrets(name, realTenant(tenant))
  if (value === undefined || value === '')
    throw new SecretUnusable({
      name,
      why: `is not set: set it with "lockstep secret set ${name}", or on the node with ${variableOf(name)}`,
    })
  return value
}

const variableOf = (name: string): string => `LOCKSTEP_SECRET_${name.toUpperCase().replaceAll('-', '_')}`

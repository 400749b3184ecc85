import { realTenant } from '../test-run/test-tenant.ts'
import { SecretUnusable } from './errors.ts'

/** A value that may be sent to some hosts alone; to any where there are none. */
export interface BoundSecret {
  readonly value: string
  readonly hosts: readonly string[]
}

/** Where secrets come from. Documents and journals hold their names only. */
export type Secrets = (name: string, tenant: string) => Promise<string | BoundSecret | undefined>

/** Lower case with dashes: what looks like a key or a password does not fit, so that none is written into a document by mistake. */
export const SECRET_NAME = '^[a-z][a-z0-9]*(-[a-z0-9]+)*$'
export const LONGEST_SECRET_NAME = 64

export const noSecrets: Secrets = async () => undefined

export async function requireSecret(secrets: Secrets, name: string, tenant: string): Promise<BoundSecret> {
  const found = await secrets(name, realTenant(tenant))
  const secret = typeof found === 'string' ? { value: found, hosts: [] } : found
  if (secret === undefined || secret.value === '')
    throw new SecretUnusable({
      name,
      why: `is not set: set it with "lockstep secret set ${name}", or on the node with ${variableOf(name)}`,
    })
  return secret
}

const variableOf = (name: string): string => `LOCKSTEP_SECRET_${name.toUpperCase().replaceAll('-', '_')}`

import { type Access, stillKnown } from '../auth/access.ts'
import type { Permission } from '../auth/permissions.ts'
import { may } from '../auth/principal.ts'
import type { StreamReader } from './live-streams.ts'
import { mayHearAll } from './topic-permissions.ts'

type Opened = Pick<StreamReader, 'headers' | 'address'>

/** Whether who opened a stream of events may still be told all of it. */
export async function mayStillRead(access: Access, { headers, address: ip, filter }: StreamReader): Promise<boolean> {
  const principal = await stillKnown(access, { method: 'GET', headers, ip })
  return principal !== undefined && mayHearAll(principal, filter)
}

/** Whether who opened something long is still of the tenant, and still has the permission that it took. */
export async function mayStillDo(
  access: Access,
  { headers, address: ip }: Opened,
  tenant: string,
  permission: Permission,
): Promise<boolean> {
  const principal = await stillKnown(access, { method: 'GET', headers, ip })
  return principal !== undefined && principal.tenant === tenant && may(principal, permission)
}

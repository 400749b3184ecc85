import { Forbidden } from './errors.ts'
import type { Permission } from './permissions.ts'
import { may, type Principal } from './principal.ts'

/** For operations that do two things: what the door did not ask for. */
export function requirePermission(principal: Principal, permission: Permission): void {
  if (!may(principal, permission)) throw new Forbidden({ who: principal.name, permission: `permission ${permission}` })
}

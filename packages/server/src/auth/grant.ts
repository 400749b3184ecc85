import { DEFAULT_TENANT } from '@lockstep/engine'
import { InvalidRequest } from '../problem/request-errors.ts'
import { Forbidden } from './errors.ts'
import type { Permission } from './permissions.ts'
import { grantedTo, type Principal } from './principal.ts'
import { type Role, rolePermissions } from './roles.ts'

/** What somebody wants to give to a key or a user. */
export interface Grant {
  readonly role: Role
  readonly permissions?: readonly string[] | undefined
  readonly tenant?: string | undefined
}

/** Nobody hands out more than they have, nor to another tenant, unless they run the whole cluster. Answers the tenant. */
export function requireGrantable(giver: Principal, { role, permissions, tenant = giver.tenant }: Grant): string {
  const beyond = permissions?.find((each) => !rolePermissions[role].has(each as never))
  if (beyond !== undefined) {
    const text = `"permissions" narrows what the role may do, and ${role} has no ${beyond}: remove it, or choose another role`
    throw new InvalidRequest({ errors: [{ in: 'body', field: '/permissions', text }] })
  }
  requireAll(giver, grantedTo(role, permissions), 'which would be handed on')
  if (tenant !== giver.tenant && giver.tenant !== DEFAULT_TENANT)
    throw new Forbidden({
      who: giver.name,
      permission: 'a principal of the default tenant, because it is for another one',
    })
  return tenant
}

/** Who may do less than somebody can neither take them over nor away. What the store has of a role that is no more counts for nothing. */
export function requireOver(
  caller: Principal,
  target: { readonly role: string; readonly permissions?: readonly string[] | undefined },
): void {
  requireAll(caller, grantedTo(target.role, target.permissions), 'which the other one has')
}

function requireAll({ name, permissions }: Principal, wanted: ReadonlySet<Permission>, why: string): void {
  for (const each of wanted)
    if (!permissions.has(each)) throw new Forbidden({ who: name, permission: `permission ${each}, ${why}` })
}

import { DEFAULT_TENANT } from '@lockstep/engine'
import { InvalidRequest } from '../problem/request-errors.ts'
import { Forbidden } from './errors.ts'
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
  for (const each of grantedTo(role, permissions))
    if (!giver.permissions.has(each))
      throw new Forbidden({ who: giver.name, permission: `permission ${each}, which would be handed on` })
  if (tenant !== giver.tenant && giver.tenant !== DEFAULT_TENANT)
    throw new Forbidden({
      who: giver.name,
      permission: 'a principal of the default tenant, because it is for another one',
    })
  return tenant
}

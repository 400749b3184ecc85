import { DEFAULT_TENANT } from '@lockstep/engine'
import { isPermission, type Permission, type RoutePermission } from './permissions.ts'
import { isRole, type Role, rolePermissions } from './roles.ts'

/** Who a request comes from, as far as it was proven. The tenant of everything that it does is this one's. */
export interface Principal {
  readonly kind: 'anonymous' | 'key' | 'user' | 'token'
  /** Unique among all principals; stands in the audit log. */
  readonly id: string
  readonly name: string
  readonly tenant: string
  readonly role: Role | undefined
  readonly permissions: ReadonlySet<Permission>
}

/** Everybody, where nobody is asked: `none`, on loopback only. */
export const everybody: Principal = {
  kind: 'anonymous',
  id: 'anonymous',
  name: 'anonymous',
  tenant: DEFAULT_TENANT,
  role: 'admin',
  permissions: rolePermissions.admin,
}

/** Somebody who proved nothing, on routes that are for anybody. */
export const nobody: Principal = { ...everybody, id: 'nobody', name: 'nobody', role: undefined, permissions: new Set() }

/** What a role may do, narrowed to `only` where it was given. Names that are not ours grant nothing. */
export function grantedTo(role: string, only: readonly string[] | undefined): ReadonlySet<Permission> {
  if (!isRole(role)) return new Set()
  if (only === undefined) return rolePermissions[role]
  return new Set(only.filter(isPermission).filter((each) => rolePermissions[role].has(each)))
}

/** Who others are told did it; nobody where nobody was asked who they are. */
export const authorOf = ({ kind, name }: Principal): string | undefined => (kind === 'anonymous' ? undefined : name)

export function may(principal: Principal, permission: RoutePermission): boolean {
  if (permission === 'public') return true
  if (permission === 'signed-in') return principal.id !== nobody.id
  if (permission === 'as-published') return false // nobody, until it is known which workflow it is
  return principal.permissions.has(permission)
}

/** The tenant that lists of keys, users and audit entries are bound to; those who run the whole cluster see all. */
export const boundTenant = ({ tenant }: Principal): string | undefined =>
  tenant === DEFAULT_TENANT ? undefined : tenant

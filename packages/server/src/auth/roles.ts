import { type Permission, permissions } from './permissions.ts'

/** Each may do what the one before it may, and more. */
export const roles = ['viewer', 'operator', 'designer', 'admin'] as const

export type Role = (typeof roles)[number]

export const isRole = (text: unknown): text is Role => (roles as readonly unknown[]).includes(text)

/** Who did what, and how nodes are set up, is for those who run them. */
const ADMIN_READS: readonly Permission[] = ['audit:read', 'settings:read']
const viewer: readonly Permission[] = permissions.filter(
  (each) => each.endsWith(':read') && !ADMIN_READS.includes(each),
)

/** Keeps what was built running. */
const operator: readonly Permission[] = [
  ...viewer,
  'instances:start',
  'instances:resume',
  'instances:operate',
  'events:publish',
  'tasks:work',
  'tasks:decide',
  'incidents:resolve',
  'schedules:operate',
  'flow:operate',
  'locks:release',
  'cluster:operate',
  'store:examine',
]

/** Builds. */
const designer: readonly Permission[] = [
  ...operator,
  'definitions:write',
  'definitions:publish',
  'schedules:write',
  'flow:write',
]

export const rolePermissions: Readonly<Record<Role, ReadonlySet<Permission>>> = {
  viewer: new Set(viewer),
  operator: new Set(operator),
  designer: new Set(designer),
  admin: new Set(permissions),
}

/** The most of several roles; `undefined`: none of them is one of ours. */
export function highestRole(names: readonly unknown[]): Role | undefined {
  return roles.findLast((role) => names.includes(role))
}

import type { Door } from '../../packages/server/src/auth/guard.ts'
import { permissions, type RoutePermission } from '../../packages/server/src/auth/permissions.ts'
import { type Role, rolePermissions, roles } from '../../packages/server/src/auth/roles.ts'

const API = '/api/v1'
const mark = (allowed: boolean): string => (allowed ? 'yes' : '')

/** The part of docs/reference/permissions.md behind `<!-- generated -->`, from the doors of a server that has everything. */
export function permissionTables(doors: readonly Door[]): string {
  const held = permissions.map(
    (each) => `| \`${each}\` | ${roles.map((role) => mark(rolePermissions[role].has(each))).join(' | ')} |`,
  )
  const head = `| route | permission | reach | ${roles.join(' | ')} |\n|---|---|---|${roles.map(() => '---|').join('')}`
  const shown = shownDoors(doors)
  const inside = shown.filter(({ url }) => url.startsWith(`${API}/`)).map((door) => row(door, API.length))
  const outside = shown.filter(({ url }) => !url.startsWith(`${API}/`)).map((door) => row(door, 0))
  return `
## What each role may

| permission | ${roles.join(' | ')} |
|---|${roles.map(() => '---|').join('')}
${held.join('\n')}

## What each route asks for

Behind \`${API}\`:

${head}
${inside.sort().join('\n')}

Outside of it:

${head}
${outside.sort().join('\n')}
`
}

/** HEAD asks for what GET does. */
export const shownDoors = (doors: readonly Door[]): readonly Door[] => doors.filter(({ method }) => method !== 'HEAD')

function row({ method, url, permission, reach }: Door, from: number): string {
  const path = url.slice(from).replaceAll(/:(\w+)/g, '{$1}')
  const where = permission === 'public' ? '' : reach === 'cluster' ? 'cluster' : 'tenant'
  const allowed = roles.map((role) => allowedText(role, permission!))
  return `| \`${method} ${path}\` | \`${permission}\` | ${where} | ${allowed.join(' | ')} |`
}

const allowedText = (role: Role, permission: RoutePermission): string =>
  permission === 'as-published' && !isAllowed(role, permission) ? 'open ones' : mark(isAllowed(role, permission))

/** Of what is as its author published it: those that ask for a permission. */
export const isAllowed = (role: Role, permission: RoutePermission): boolean =>
  permission === 'public' ||
  permission === 'signed-in' ||
  rolePermissions[role].has(permission === 'as-published' ? 'instances:start' : permission)

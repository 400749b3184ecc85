import { permissions } from '../../packages/server/src/auth/permissions.ts'
import { rolePermissions, roles } from '../../packages/server/src/auth/roles.ts'
import type { AnyRoute } from '../../packages/server/src/route/route.ts'

/** The part of docs/reference/permissions.md behind `<!-- generated -->`. */
export function permissionTables(routes: readonly AnyRoute[]): string {
  const mark = (allowed: boolean): string => (allowed ? 'yes' : '')
  const held = permissions.map(
    (each) => `| \`${each}\` | ${roles.map((role) => mark(rolePermissions[role].has(each))).join(' | ')} |`,
  )
  const rows = [...routes]
    .map((route) => {
      const { method, path, permission, reach } = route
      const allowed = roles.map((role) => mark(isAllowed(role, permission)))
      const where = reach === 'cluster' ? 'cluster' : 'tenant'
      return `| \`${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}\` | \`${permission}\` | ${where} | ${allowed.join(' | ')} |`
    })
    .sort()
  return `
## What each role may

| permission | ${roles.join(' | ')} |
|---|${roles.map(() => '---|').join('')}
${held.join('\n')}

## What each route asks for

| route | permission | reach | ${roles.join(' | ')} |
|---|---|---|${roles.map(() => '---|').join('')}
${rows.join('\n')}
`
}

export const isAllowed = (role: (typeof roles)[number], permission: AnyRoute['permission']): boolean =>
  permission === 'public' || permission === 'signed-in' || rolePermissions[role].has(permission)

import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@lockstep/base'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccess } from '../../packages/server/src/auth/access.ts'
import { guardRoutes } from '../../packages/server/src/auth/guard.ts'
import { rolePermissions, roles } from '../../packages/server/src/auth/roles.ts'
import { apiRoutes } from '../../packages/server/src/routes/index.ts'
import { openSecuredApi, type SecuredApi } from './open-secured-api.ts'
import { isAllowed, permissionTables } from './permission-table.ts'

const file = fileURLToPath(new URL('../../docs/reference/permissions.md', import.meta.url))
const MARK = '<!-- generated -->\n'

describe('the table of permissions', () => {
  it('is what the routes and the roles say', () => {
    const [head = ''] = readFileSync(file, 'utf8').split(MARK)
    const wanted = `${head}${MARK}${permissionTables(apiRoutes)}`
    if (process.env.LOCKSTEP_WRITE_PAGES === '1') writeFileSync(file, wanted)
    expect(readFileSync(file, 'utf8')).toBe(wanted)
  })

  it('grows from role to role, and the last one has everything', () => {
    for (const [at, role] of roles.entries())
      for (const permission of rolePermissions[roles[at - 1] ?? role])
        expect(rolePermissions[role].has(permission)).toBe(true)
    expect(rolePermissions.admin.size).toBeGreaterThan(rolePermissions.designer.size)
    expect([...rolePermissions.viewer].every((each) => each.endsWith(':read'))).toBe(true)
  })

  it('has every changing route behind more than being signed in', () => {
    const open = apiRoutes.filter(
      ({ method, permission }) => method !== 'GET' && (permission === 'public' || permission === 'signed-in'),
    )
    expect(open.map(({ name }) => name).sort()).toEqual(['closeSession', 'openSession', 'useResumeToken'])
  })
})

describe('a route without a permission', () => {
  it('stops the boot, and is named', () => {
    const app = Fastify()
    const logger = { debug() {}, info() {}, warn() {}, error() {}, area: () => logger }
    const check = guardRoutes(app, openAccess(undefined, { logger, basePath: '' }), systemClock)
    app.get('/closed', { config: { permission: 'cluster:read' } }, async () => 'x')
    expect(check).not.toThrow()
    app.get('/forgotten', async () => 'x')
    expect(check).toThrow(expect.objectContaining({ code: 'ROUTE_WITHOUT_PERMISSION' }))
    expect(check).toThrow(/GET \/forgotten.*Add "permission"/)
  })
})

describe('each role at each route', () => {
  let api: SecuredApi
  let keys: Record<string, string>
  beforeAll(async () => {
    api = await openSecuredApi()
    keys = Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await api.keyOf(role)])))
  })
  afterAll(() => api[Symbol.asyncDispose]())

  const pathOf = (path: string): string => path.replaceAll(/:\w+/g, 'nothing-of-this-name')

  it.each(apiRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))('%s', async (_, route) => {
    const { method, permission } = route
    const path = pathOf(route.path) + (route.stream ? '?follow=false' : '')
    const stranger = await api.send({ method, path })
    if (permission === 'public') expect(stranger.status).not.toBe(403)
    else expect([stranger.status, stranger.body.code]).toEqual([401, 'UNAUTHENTICATED'])
    for (const role of roles) {
      const { status, body } = await api.send({ method, path, as: keys[role] })
      if (isAllowed(role, permission)) expect([role, status === 403 || status >= 500]).toEqual([role, false])
      else expect([role, status, body.code]).toEqual([role, 403, 'FORBIDDEN'])
    }
  })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemClock } from '@lockstep/base'
import Fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccess } from '../../packages/server/src/auth/access.ts'
import { type Door, guardRoutes } from '../../packages/server/src/auth/guard.ts'
import { type Role, rolePermissions, roles } from '../../packages/server/src/auth/roles.ts'
import { NodeMetrics } from '../../packages/server/src/metrics/node-metrics.ts'
import { apiRoutes } from '../../packages/server/src/routes/index.ts'
import { openIssuer, type TestIssuer } from './issuer.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'
import { isAllowed, permissionTables, shownDoors } from './permission-table.ts'

const file = fileURLToPath(new URL('../../docs/reference/permissions.md', import.meta.url))
const MARK = '<!-- generated -->\n'
const API = '/api/v1'

let api: SecuredApi
let issuer: TestIssuer
let studio: string
let keys: Record<string, string>
beforeAll(async () => {
  studio = await studioFolder()
  issuer = await openIssuer()
  const oidc = { issuer: issuer.url, audience: 'lockstep', clientId: 'studio' }
  const publicUrl = 'https://workflows.example.org'
  const corsOrigins = ['https://app.example.org']
  const metrics = new NodeMetrics(systemClock).registry
  api = await openSecuredApi({ auth: 'oidc', oidc, publicUrl, corsOrigins }, { studio, metrics })
  keys = Object.fromEntries(await Promise.all(roles.map(async (role) => [role, await api.keyOf(role)])))
})
afterAll(async () => {
  await api?.[Symbol.asyncDispose]()
  issuer?.close()
  await rm(studio, { recursive: true, force: true })
})

/** As the build of Studio leaves it, as far as names go. */
async function studioFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'lockstep-studio-'))
  await cp(new URL('../../packages/studio/src/public', import.meta.url), folder, { recursive: true })
  await mkdir(path.join(folder, 'assets'))
  await writeFile(path.join(folder, 'assets', 'nothing-of-this-name'), 'here')
  await writeFile(path.join(folder, 'index.html'), '<!doctype html><head></head>')
  return folder
}

describe('the table of permissions', () => {
  it('is what the doors of a server and the roles say', () => {
    const [head = ''] = readFileSync(file, 'utf8').split(MARK)
    const wanted = `${head}${MARK}${permissionTables(api.app.doors)}`
    if (process.env.LOCKSTEP_WRITE_PAGES === '1') writeFileSync(file, wanted)
    expect(readFileSync(file, 'utf8')).toBe(wanted)
  })

  it('has every operation that is described, and nothing behind the version that is not', () => {
    const described = [...apiRoutes.map(({ method, path }) => `${method} ${API}${path}`), `GET ${API}/openapi.json`]
    const there = shownDoors(api.app.doors).map(({ method, url }) => `${method} ${url}`)
    expect(there.filter((each) => each.includes(` ${API}/`)).sort()).toEqual(described.sort())
  })

  it('grows from role to role, and the last one has everything', () => {
    for (const [at, role] of roles.entries())
      for (const permission of rolePermissions[roles[at - 1] ?? role])
        expect(rolePermissions[role].has(permission)).toBe(true)
    expect(rolePermissions.admin.size).toBeGreaterThan(rolePermissions.designer.size)
    expect([...rolePermissions.viewer].every((each) => each.endsWith(':read'))).toBe(true)
  })

  it('gives no role the first of two permissions without the second', () => {
    const pairs = [
      ['definitions:publish', 'definitions:write'],
      ['definitions:write', 'instances:start'],
      ['schedules:write', 'instances:start'],
      ['schedules:operate', 'instances:start'],
    ] as const
    for (const role of roles)
      for (const [first, second] of pairs)
        expect([role, first, rolePermissions[role].has(first) && !rolePermissions[role].has(second)]).toEqual([
          ...[role, first, false],
        ])
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

describe('each role outside of the version', () => {
  let from = 0
  const outside = (): readonly Door[] => shownDoors(api.app.doors).filter(({ url }) => !url.startsWith(`${API}/`))
  const ask = async (method: string, url: string, key?: string) => {
    const answer = await api.app.inject({
      method: method as 'GET',
      url,
      remoteAddress: `10.5.${Math.floor(++from / 250)}.${from % 250}`, // how often one address may try is another test's matter
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(method === 'GET' ? {} : { 'content-type': url.startsWith('/resume') ? FORM : 'application/json' }),
      },
      ...(method === 'GET' ? {} : { payload: url.startsWith('/resume') ? 'outcome=yes' : '1' }),
    })
    const isProblem = String(answer.headers['content-type']).startsWith('application/problem+json')
    return { status: answer.statusCode, code: isProblem ? answer.json().code : undefined }
  }
  const FORM = 'application/x-www-form-urlencoded'
  const callers = (): readonly (readonly [who: string, key: string | undefined])[] => [
    ['a stranger', undefined],
    ...Object.entries(keys),
  ]

  it('finds every door that is for everybody open, whoever comes', async () => {
    const open = outside().filter(({ permission }) => permission === 'public')
    expect(open.length).toBeGreaterThan(30)
    for (const { method, url } of open)
      for (const [who, key] of callers()) {
        const told = await ask(method, url.replaceAll(/:\w+|\*/g, 'nothing-of-this-name'), key)
        const isClosed = told.code === 'UNAUTHENTICATED' || told.code === 'FORBIDDEN'
        expect([url, who, isClosed, told.status >= 500]).toEqual([url, who, false, false])
      }
  })

  it('finds the others closed to whom the table says, other tenants too where it is about the cluster', async () => {
    const closed = outside().filter(({ permission }) => permission !== 'public' && permission !== 'as-published')
    expect(closed.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /metrics'])
    const elsewhere = await api.keyOf('admin', { tenant: 'elsewhere' })
    const without = await api.keyOf('admin', { permissions: ['instances:read'] })
    for (const { method, url, permission } of closed) {
      expect(await ask(method, url)).toEqual({ status: 401, code: 'UNAUTHENTICATED' })
      expect(await ask(method, url, elsewhere)).toEqual({ status: 403, code: 'FORBIDDEN' })
      expect(await ask(method, url, without)).toEqual({ status: 403, code: 'FORBIDDEN' })
      for (const role of roles)
        expect((await ask(method, url, keys[role])).status).toBe(isAllowed(role, permission!) ? 200 : 403)
    }
  })

  it('reaches workflows as their authors published them, by every method', async () => {
    const doors = outside().filter(({ permission }) => permission === 'as-published')
    expect(doors.map(({ url }) => url)).toEqual(doors.map(() => '/workflows/*'))
    for (const { method } of doors) {
      for (const auth of ['public', 'required']) {
        const name = `${auth}-${method.toLowerCase()}`
        const body = {
          id: name,
          activities: [
            { id: 'in', type: 'http-endpoint', inputs: { path: `/${name}`, methods: [method], auth, mode: 'sync' } },
            { id: 'out', type: 'http-response', inputs: { body: 'here' } },
          ],
          connections: [{ from: 'in', to: 'out' }],
        }
        const saved = await api.send({ method: 'PUT', path: `/workflow-definitions/${name}`, as: BOOTSTRAP_KEY, body })
        expect([name, saved.status]).toEqual([name, 201])
      }
      for (const [who, key] of callers()) {
        expect([method, who, (await ask(method, `/workflows/public-${method.toLowerCase()}`, key)).status]).toEqual([
          ...[method, who, 200],
        ])
        const told = await ask(method, `/workflows/required-${method.toLowerCase()}`, key)
        const wanted = key === undefined ? 401 : isAllowed(who as Role, 'as-published') ? 200 : 403
        expect([method, who, told.status]).toEqual([method, who, wanted])
      }
    }
  })

  it('tells other origins what they may before anybody says who they are, and nothing else', async () => {
    const headers = { origin: 'https://app.example.org', 'access-control-request-method': 'POST' }
    const answer = await api.app.inject({ method: 'OPTIONS', url: `${API}/workflow-instances`, headers })
    expect([answer.statusCode, answer.body]).toEqual([204, ''])
  })
})

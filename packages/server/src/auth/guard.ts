/**
 * The one door. Every route says in its `config` what it asks of its caller; one that says nothing stops the boot. Who comes without the
 * right is turned away before a body is read.
 */
import type { Clock } from '@lockstep/base'
import { DEFAULT_TENANT } from '@lockstep/engine'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { tell } from '../audit/audited.ts'
import type { Access } from './access.ts'
import { Forbidden, RouteWithoutPermission, Unauthenticated } from './errors.ts'
import type { RoutePermission } from './permissions.ts'
import { may, nobody, type Principal } from './principal.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any handler runs. */
    principal: Principal
  }
  interface FastifyContextConfig {
    permission?: RoutePermission
    /** `cluster`: it is about all tenants at once, hence for principals of the default one only. */
    reach?: 'cluster' | undefined
    /** Its name in the audit log. */
    operation?: string
  }
}

/** Must come before the routes it is to guard. The answer is asked once all of them are there. */
export function guardRoutes(app: FastifyInstance, access: Access, clock: Clock): () => void {
  const open: string[] = []
  app.decorateRequest('principal', null as never) // the framework refuses to share an object among requests
  app.addHook('onRoute', ({ config, method, url }) => {
    if (config?.permission === undefined && method !== 'OPTIONS') open.push(`${[method].flat().join('|')} ${url}`)
  })
  app.addHook('onRequest', async (request) => {
    request.principal = nobody
    const { permission, reach, operation = '' } = request.routeOptions.config
    if (permission === 'public' && operation === '') return // what every stranger may see is not worth a look at who it is
    const principal = await access.identify(request)
    if (principal === undefined) {
      if (permission !== 'public') throw new Unauthenticated({})
      access.checkSite(request)
      return
    }
    request.principal = principal
    const missing = missingFrom(principal, permission, reach)
    if (missing === undefined) return
    await tellRefused(access, request, operation, clock.now())
    throw new Forbidden({ who: principal.name, permission: missing })
  })
  return () => {
    if (open.length > 0) throw new RouteWithoutPermission({ routes: open })
  }
}

function missingFrom(
  principal: Principal,
  permission: RoutePermission | undefined,
  reach: 'cluster' | undefined,
): string | undefined {
  if (permission === undefined || !may(principal, permission)) return `permission ${permission ?? 'that nobody has'}`
  return reach === 'cluster' && principal.tenant !== DEFAULT_TENANT
    ? 'a principal of the default tenant, because it is about the whole cluster'
    : undefined
}

async function tellRefused(access: Access, request: FastifyRequest, operation: string, at: number): Promise<void> {
  if (access.kept === undefined || request.method === 'GET' || request.method === 'HEAD') return
  const { audit: trail, nodeName: node } = access.kept
  const { principal } = request
  await tell({ trail, mode: 'behind', operation, principal, request, at, node, secret: false }, 'FORBIDDEN', 403)
}

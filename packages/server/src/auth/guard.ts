/**
 * The one door. Every route says in its `config` what it asks of its caller; one that says nothing stops the boot. Who comes without the
 * right is turned away before a body is read.
 */
import type { Clock } from '@lockstep/base'
import { DEFAULT_TENANT } from '@lockstep/engine'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tell } from '../audit/audited.ts'
import { hook, type MaybeLater } from '../route/hook.ts'
import type { Access } from './access.ts'
import { Forbidden, RouteWithoutPermission, Unauthenticated } from './errors.ts'
import type { RoutePermission } from './permissions.ts'
import { may, nobody, type Principal } from './principal.ts'
import { requireHttpsOf } from './require-https.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before any handler runs. */
    principal: Principal
  }
  interface FastifyContextConfig {
    permission?: RoutePermission
    /** `cluster`: it is about all tenants at once, hence for principals of the default one only. */
    reach?: 'cluster' | undefined
    /** Its path is a credential. */
    opens?: true | undefined
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
  const letIn = (
    request: FastifyRequest,
    reply: FastifyReply,
    { permission, reach, operation = '' }: FastifyContextConfig,
    principal: Principal | undefined,
  ): MaybeLater => {
    access.requests?.take(callerOf(principal, request), reply)
    if (principal === undefined) {
      if (permission !== 'public') throw new Unauthenticated({})
      return access.checkSite(request)
    }
    request.principal = principal
    const missing = missingFrom(principal, permission, reach)
    if (missing === undefined) return undefined
    return tellRefused(access, request, operation, clock.now()).then(() => {
      throw new Forbidden({ who: principal.name, permission: missing })
    })
  }
  app.addHook(
    'onRequest',
    hook((request, reply) => {
      request.principal = nobody
      const { config } = request.routeOptions // made anew at each look
      const { permission, opens, operation = '' } = config
      if (opens && access.requireHttps) requireHttpsOf(request)
      if (permission === 'public' && operation === '') return undefined // what every stranger may see is not worth a look at who it is
      const known = access.identify(request)
      return known instanceof Promise
        ? known.then((each) => letIn(request, reply, config, each))
        : letIn(request, reply, config, known)
    }),
  )
  return () => {
    if (open.length > 0) throw new RouteWithoutPermission({ routes: open })
  }
}

/** Everybody is the same principal where nobody is asked: then addresses are all that tells them apart. */
const callerOf = (principal: Principal | undefined, { ip }: FastifyRequest): string =>
  principal === undefined || principal.kind === 'anonymous' ? `address ${ip}` : principal.id

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

/**
 * The one door. Every route says in its `config` what it asks of its caller; one that says nothing stops the boot. Who comes without the
 * right is turned away before a body is read.
 */
import { type Clock, errorCode } from '@lockstep/base'
import { DEFAULT_TENANT } from '@lockstep/engine'
import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tell } from '../audit/audited.ts'
import { networkOf } from '../hardening/network-of.ts'
import { toProblem } from '../problem/to-problem.ts'
import { hook, type MaybeLater } from '../route/hook.ts'
import type { Access } from './access.ts'
import { CrossSite, Forbidden, RateLimited, RouteWithoutPermission, Unauthenticated } from './errors.ts'
import type { RoutePermission } from './permissions.ts'
import { may, nobody, type Principal } from './principal.ts'
import { requireHttpsOf } from './require-https.ts'
import { isSafe } from './same-site.ts'
import { identifyVisitor, type Visitors } from './visitors.ts'

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
    /** Of a route for anybody: who comes is counted, and perhaps asked who they are. */
    visitors?: Visitors | undefined
    /** Media types of bodies, where they are not JSON alone. */
    accepts?: readonly string[] | undefined
    /** Its name in the audit log. */
    operation?: string
  }
  interface FastifyInstance {
    /** Every way in that there is. */
    readonly doors: readonly Door[]
  }
}

export interface Door {
  readonly method: string
  /** Its whole path. */
  readonly url: string
  /** Absent: nobody said, which stops the boot. */
  readonly permission: RoutePermission | undefined
  readonly reach: 'cluster' | undefined
}

/** Must come before the routes it is to guard. The answer is asked once all of them are there. */
export function guardRoutes(app: FastifyInstance, access: Access, clock: Clock): () => void {
  const doors: Door[] = []
  app.decorate('doors', doors)
  app.decorateRequest('principal', null as never) // the framework refuses to share an object among requests
  app.addHook('onRoute', ({ config, method, url }) => {
    for (const each of [method].flat())
      doors.push({ method: each, url, permission: config?.permission, reach: config?.reach })
  })
  const letIn = (
    request: FastifyRequest,
    reply: FastifyReply,
    { permission, reach }: FastifyContextConfig,
    principal: Principal | undefined,
  ): void => {
    request.principal = principal ?? nobody
    access.requests?.take(callerOf(principal, request), reply)
    if (principal === undefined) {
      if (permission !== 'public') throw new Unauthenticated({})
      return access.checkSite(request)
    }
    const missing = missingFrom(principal, permission, reach)
    if (missing !== undefined) throw new Forbidden({ who: principal.name, permission: missing })
  }
  const visit = (request: FastifyRequest, reply: FastifyReply, principal: Principal | undefined): void => {
    request.principal = principal ?? nobody
    access.requests?.take(callerOf(principal, request), reply)
  }
  const meet = (request: FastifyRequest, reply: FastifyReply): MaybeLater => {
    request.principal = nobody
    const { config } = request.routeOptions // made anew at each look
    const { permission, opens, visitors, operation = '' } = config
    if (opens && access.requireHttps) requireHttpsOf(request)
    if (visitors !== undefined) {
      const known = identifyVisitor(access, visitors, request)
      return known instanceof Promise ? known.then((each) => visit(request, reply, each)) : visit(request, reply, known)
    }
    if (permission === 'public' && operation === '') return undefined // what every stranger may see is not worth a look at who it is
    const known = access.identify(request)
    return known instanceof Promise
      ? known.then((each) => letIn(request, reply, config, each))
      : letIn(request, reply, config, known)
  }
  const turnAway = (request: FastifyRequest, error: unknown): never => {
    tellRefused(access, request, error, clock.now())
    throw error
  }
  app.addHook(
    'onRequest',
    hook((request, reply) => {
      try {
        const later = meet(request, reply)
        return later instanceof Promise ? later.catch((error: unknown) => turnAway(request, error)) : undefined
      } catch (error) {
        return turnAway(request, error)
      }
    }),
  )
  return () => {
    const open = doors.filter(({ permission }) => permission === undefined)
    if (open.length > 0) throw new RouteWithoutPermission({ routes: open.map(({ method, url }) => `${method} ${url}`) })
  }
}

/** Everybody is the same principal where nobody is asked: then addresses are all that tells them apart. */
const callerOf = (principal: Principal | undefined, { ip }: FastifyRequest): string =>
  principal === undefined || principal.kind === 'anonymous' ? `address ${networkOf(ip)}` : principal.id

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

/** Only what would have changed something. A known caller who comes too often is no news: one entry for each request would be a flood. */
function tellRefused(access: Access, request: FastifyRequest, error: unknown, at: number): void {
  const { operation = '', opens } = request.routeOptions.config
  if (access.kept === undefined || operation === '' || isSafe(request.method)) return
  const principal = (CrossSite.is(error) ? error.details.by : undefined) ?? request.principal
  const isStrangersFlood = RateLimited.is(error) && principal === nobody
  if (!isStrangersFlood && ![Unauthenticated, CrossSite, Forbidden].some((each) => each.is(error))) return
  const { audit: trail, nodeName: node } = access.kept
  void tell(
    { trail, mode: 'behind', operation, principal, request, at, node, opens: opens === true, secret: false, note: {} },
    errorCode(error)!,
    toProblem(error).status,
  )
}

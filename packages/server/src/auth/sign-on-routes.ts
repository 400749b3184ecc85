/** The way of a browser: `/auth/oidc/start` leads to the provider, `/auth/oidc/callback` comes back and ends in a session. */
import { errorCode, errorMessage, type Logger } from '@lockstep/base'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { tell } from '../audit/audited.ts'
import { networkOf } from '../hardening/network-of.ts'
import { sayPage } from '../resume-page/page-html.ts'
import type { Access, KeptAccess } from './access.ts'
import { RateLimited, SignInFailed } from './errors.ts'
import { nobody, type Principal } from './principal.ts'
import { isLoopback } from './same-site.ts'
import { newSessionToken, sessionHash } from './session-cookie.ts'

const open = { config: { permission: 'public', visitors: 'counted' } } as const
const POLICY = "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
/** A path of this server and nothing that leads elsewhere. */
const PATH = /^\/(?![/\\])[\x21-\x7e]{0,2000}$/
/** The provider is asked again after so long: by then it may know better. */
const LONGEST_MS = 12 * 3_600_000

export interface SignOnRoutes {
  readonly access: Access
  readonly basePath: string
  readonly publicUrl: string | undefined
  readonly now: () => number
  readonly logger: Logger
}

export function signOnRoutes(app: FastifyInstance, { access, basePath, publicUrl, now, logger }: SignOnRoutes): void {
  const { kept } = access
  app.get('/auth/options', open, (_request, reply) =>
    reply.header('cache-control', 'no-store').send({ auth: access.auth, singleSignOn: kept?.signOn !== undefined }),
  )
  const signOn = kept?.signOn
  if (kept === undefined || signOn === undefined) return
  const { flow, states } = signOn
  const redirectUri = (request: FastifyRequest): string => {
    const { host = '' } = request.headers
    if (publicUrl !== undefined) return `${publicUrl}/auth/oidc/callback`
    if (!isLoopback(host.replace(/:\d+$/, ''))) throw new SignInFailed({}) // nobody chooses by a header where codes go
    return `http://${host}${basePath}/auth/oidc/callback`
  }
  const refuse = (reply: FastifyReply, error: unknown): FastifyReply => {
    logger.info('single sign-on refused', { code: errorCode(error) ?? 'UNKNOWN', reason: reasonOf(error) })
    const status = RateLimited.is(error) ? 429 : SignInFailed.is(error) ? 403 : 503
    const text =
      status === 403
        ? 'The sign-in did not work, or you have no role here. Go back to Studio and try again, or ask whoever runs it.'
        : 'It cannot be done at the moment. Try again in a minute.'
    return reply
      .code(status)
      .type('text/html; charset=utf-8')
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-store' })
      .header('set-cookie', states.clear())
      .send(sayPage('You are not signed in', text, `${basePath}/resume/style.css`))
  }

  app.get<{ Querystring: { to?: unknown } }>('/auth/oidc/start', open, async (request, reply) => {
    try {
      count(kept, request.ip)
      const { to } = request.query
      const { state, cookie } = states.begin(typeof to === 'string' && PATH.test(to) ? to : `${basePath}/`)
      const address = await flow.address(state, redirectUri(request))
      return reply.header('set-cookie', cookie).header('cache-control', 'no-store').redirect(address, 303)
    } catch (error) {
      return refuse(reply, error)
    }
  })

  app.get<{ Querystring: Record<string, unknown> }>('/auth/oidc/callback', open, async (request, reply) => {
    const state = states.read(request.headers.cookie)
    const audit = (principal: Principal, outcome: string, status: number) =>
      tell(
        {
          ...{ trail: kept.audit, mode: 'behind', operation: 'singleSignOn', principal, request },
          ...{ at: now(), node: kept.nodeName, opens: false, secret: true, note: {} },
        },
        outcome,
        status,
      )
    try {
      count(kept, request.ip)
      const principal = await flow.finish(state, request.query, redirectUri(request))
      const token = newSessionToken(kept.random)
      const { id: subject, name, tenant, role } = principal
      const hash = sessionHash(token, kept.secret)
      const session = { subject, name, tenant, role: String(role) }
      await kept.store.issuedSessions.open(hash, session, kept.idleMs, LONGEST_MS)
      await audit(principal, 'done', 303)
      return reply
        .header('set-cookie', [states.clear(), kept.cookie.write(token)])
        .header('cache-control', 'no-store')
        .redirect(state?.to ?? `${basePath}/`, 303)
    } catch (error) {
      await audit(nobody, errorCode(error) ?? 'INTERNAL', 403)
      return refuse(reply, error)
    }
  })
}

function count({ signIns }: KeptAccess, address: string): void {
  const waitMs = signIns.byAddress.ask(networkOf(address))
  if (waitMs > 0) throw new RateLimited({ what: 'attempts to sign in', retryAfterMs: waitMs })
}

const reasonOf = (error: unknown): string =>
  errorMessage(error instanceof Error && error.cause !== undefined ? error.cause : error)

import { type Clock, type Logger, type Random, systemClock, systemRandom } from '@lockstep/base'
import type { AccessStore } from '@lockstep/engine/ports'
import { AuditTrail } from '../audit/audit-trail.ts'
import { type RateLimit, RateLimiter } from '../hardening/rate-limiter.ts'
import { RequestLimit } from '../hardening/request-limit.ts'
import { RouteNotFound } from '../problem/request-errors.ts'
import { Authenticator } from './authenticator.ts'
import { bearerTokens, type OidcOptions } from './bearer-token.ts'
import { RateLimited, Unauthenticated } from './errors.ts'
import { type KnownDevices, knownDevices } from './known-device.ts'
import { type Passwords, passwords } from './password.ts'
import { everybody, type Principal } from './principal.ts'
import { type Asking, type CheckSite, loopbackNameCheck, siteCheck } from './same-site.ts'
import { type SessionCookie, sessionCookie } from './session-cookie.ts'
import { SignOn } from './sign-on.ts'
import { type SignOnStates, signOnStates } from './sign-on-state.ts'

export type AuthMode = 'none' | 'keys' | 'oidc'

/** Who may reach a server, as whom. */
export interface AccessOptions {
  /** `none`: everybody is an admin, which `openHttpServer` refuses off loopback. `oidc`: tokens of an issuer besides keys and users. */
  readonly auth: AuthMode
  readonly store: AccessStore
  /** The same on all nodes of a cluster. A new one ends all sessions. */
  readonly secret: string
  /** A key that is admin from the beginning. */
  readonly bootstrapKey?: string | undefined
  /** With `oidc`. */
  readonly oidc?: OidcOptions | undefined
  /** Where people reach it; https makes cookies secure. */
  readonly publicUrl?: string | undefined
  /** Other origins whose pages may use it. */
  readonly corsOrigins?: readonly string[]
  /** Named in audit entries. */
  readonly nodeName?: string
  /** Whether links that open something are answered over https alone. @default false */
  readonly requireHttps?: boolean
  /** How many requests each caller may send. Absent: as many as they like. */
  readonly rateLimit?: RateLimit | undefined
  /** scrypt's N as a power of two. @default 17 */
  readonly passwordCost?: number
}

/** Ten tries at once, then one every six seconds. */
const SIGN_INS = { burst: 10, perMs: 60_000 }
/** Of a session without a request, and of any session at all. */
const IDLE_MS = 8 * 3_600_000
const LONGEST_MS = 7 * 24 * 3_600_000

/** What requests are admitted by, and what the routes of keys, users and sessions work with. */
export interface Access {
  readonly auth: AuthMode
  /** `undefined`: nothing came that says who it is. */
  identify(request: Asking): Principal | undefined | Promise<Principal | undefined>
  readonly checkSite: CheckSite
  readonly requireHttps: boolean
  /** Absent: nobody is counted. */
  readonly requests: RequestLimit | undefined
  /** Absent: this server keeps no keys, users or audit log. */
  readonly kept: KeptAccess | undefined
  close(): Promise<void>
}

export interface KeptAccess {
  readonly store: AccessStore
  readonly audit: AuditTrail
  readonly nodeName: string
  readonly passwords: Passwords
  readonly cookie: SessionCookie
  readonly devices: KnownDevices
  /** Absent: nobody signs in through an issuer. */
  readonly signOn: { readonly flow: SignOn; readonly states: SignOnStates } | undefined
  readonly secret: string
  readonly idleMs: number
  readonly longestMs: number
  readonly random: Random
  readonly signIns: { readonly byAddress: RateLimiter; readonly byName: RateLimiter; readonly byDevice: RateLimiter }
  /** Resume tokens that open nothing, by address. */
  readonly tokenFailures: RateLimiter
  /** A key that was revoked here counts as revoked here at once. */
  forgetKey(id: string): void
}

export interface AccessEdge {
  readonly clock?: Clock
  readonly random?: Random
  readonly logger: Logger
  /** Path before everything, without a slash at its end. */
  readonly basePath: string
}

export function openAccess(options: AccessOptions | undefined, edge: AccessEdge): Access {
  const publicOrigin = options?.publicUrl === undefined ? undefined : new URL(options.publicUrl).origin
  const site = { publicOrigin, corsOrigins: options?.corsOrigins ?? [] }
  const checkSite = siteCheck(site)
  const kept = options && keptAccess(options, edge)
  const close = async (): Promise<void> => kept?.audit.close()
  const requests = options?.rateLimit && new RequestLimit(edge.clock ?? systemClock, options.rateLimit)
  const common = { checkSite, close, requests, requireHttps: options?.requireHttps === true }
  if (options === undefined || kept === undefined || options.auth === 'none') {
    const checkName = loopbackNameCheck(site)
    return {
      auth: 'none',
      identify: (request) => {
        checkName(request)
        checkSite(request)
        return everybody
      },
      ...common,
      kept,
    }
  }
  const authenticator = new Authenticator({
    ...kept,
    clock: edge.clock ?? systemClock,
    bootstrapKey: options.bootstrapKey,
    tokens: options.auth === 'oidc' && options.oidc !== undefined ? bearerTokens(options.oidc) : undefined,
    checkSite,
  })
  return {
    auth: options.auth,
    identify: (request) => authenticator.identify(request),
    ...common,
    kept: { ...kept, forgetKey: (id) => authenticator.forget(id) },
  }
}

function keptAccess(options: AccessOptions, edge: AccessEdge): KeptAccess {
  const { clock = systemClock, random = systemRandom, logger } = edge
  const { store, secret, nodeName = '', passwordCost } = options
  const secure = options.publicUrl?.startsWith('https:') === true
  const limiter = () => new RateLimiter(clock, SIGN_INS)
  return {
    store,
    audit: new AuditTrail({ store: store.audit, clock, logger: logger.area('audit') }),
    nodeName,
    passwords: passwords(random, passwordCost),
    cookie: sessionCookie({ secure, path: edge.basePath === '' ? '/' : edge.basePath }),
    signOn: signOnOf(options, { secure, path: edge.basePath === '' ? '/' : edge.basePath, clock, random }),
    ...{ secret, idleMs: IDLE_MS, longestMs: LONGEST_MS, random },
    devices: knownDevices(secret, { secure, path: `${edge.basePath}/api/v1/session`, random }),
    signIns: { byAddress: limiter(), byName: limiter(), byDevice: limiter() },
    tokenFailures: limiter(),
    forgetKey: () => {},
  }
}

function signOnOf(
  { auth, oidc, secret }: AccessOptions,
  edge: Parameters<typeof signOnStates>[1],
): KeptAccess['signOn'] {
  if (auth !== 'oidc' || oidc?.clientId === undefined) return undefined
  return { flow: new SignOn({ ...oidc, clientId: oidc.clientId }), states: signOnStates(secret, edge) }
}

/** For the routes of what is kept. */
export function requireKept({ kept }: Access, path: string): KeptAccess {
  if (kept === undefined) throw new RouteNotFound({ method: 'requests to', path })
  return kept
}

/** Who opened something long, as they are now: keys are revoked, sessions end, tokens expire, roles change. */
export async function stillKnown(access: Access, asking: Asking): Promise<Principal | undefined> {
  try {
    return await access.identify({ ...asking, isBeat: true })
  } catch (error) {
    if (Unauthenticated.is(error) || RateLimited.is(error)) return undefined
    throw error
  }
}

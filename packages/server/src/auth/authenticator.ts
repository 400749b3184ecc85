/**
 * Who sent a request. Bearer credentials come first and alone: a wrong one is refused although a good cookie came with it. Failures are
 * counted per address and told to come back later, while what is right is let in: nobody can lock others out. An address that goes on
 * failing does not reach the store any more, but for credentials that were right here before. Every way of failing is answered alike.
 */
import type { Clock } from '@lockstep/base'
import { DEFAULT_TENANT } from '@lockstep/engine'
import type { AccessStore } from '@lockstep/engine/ports'
import { networkOf } from '../hardening/network-of.ts'
import { RateLimiter } from '../hardening/rate-limiter.ts'
import { hashOf, KEY_PREFIX, parseKey, sameHash } from './api-key.ts'
import type { BearerTokens } from './bearer-token.ts'
import { RateLimited, Unauthenticated } from './errors.ts'
import { KnownKeys } from './known-keys.ts'
import { grantedTo, type Principal } from './principal.ts'
import { rolePermissions } from './roles.ts'
import type { Asking, CheckSite } from './same-site.ts'
import { type SessionCookie, sessionHash } from './session-cookie.ts'

export interface AuthenticatorOptions {
  readonly store: AccessStore
  readonly clock: Clock
  /** `LOCKSTEP_API_KEY`. */
  readonly bootstrapKey: string | undefined
  readonly tokens: BearerTokens | undefined
  readonly cookie: SessionCookie
  readonly secret: string
  readonly idleMs: number
  readonly checkSite: CheckSite
}

/** Ten failures at once, one more every six seconds. */
const FAILURES = { burst: 10, perMs: 60_000 }
/** Looks into the store that found nothing: keys and cookies can be made up as fast as they can be sent. */
const LOOKS_IN_VAIN = { burst: 100, perMs: 60_000 }
/** Hashes of credentials that were right; who was forgotten has to be found again. */
const MOST_PROVEN = 10_000
const BEARER = /^Bearer +([\x21-\x7e]+)$/i

const bootstrap: Principal = {
  kind: 'key',
  id: 'key:bootstrap',
  name: 'LOCKSTEP_API_KEY',
  tenant: DEFAULT_TENANT,
  role: 'admin',
  permissions: rolePermissions.admin,
}

export class Authenticator {
  readonly #o: AuthenticatorOptions
  readonly #bootstrapHash: string | undefined
  readonly #failures: RateLimiter
  readonly #inVain: RateLimiter
  readonly #proven = new Set<string>()
  readonly #known: KnownKeys

  constructor(options: AuthenticatorOptions) {
    this.#o = options
    this.#bootstrapHash = options.bootstrapKey === undefined ? undefined : hashOf(options.bootstrapKey)
    this.#failures = new RateLimiter(options.clock, FAILURES)
    this.#inVain = new RateLimiter(options.clock, LOOKS_IN_VAIN)
    this.#known = new KnownKeys(options.store.keys, options.clock)
  }

  /** `undefined`: no credentials at all. Throws `UNAUTHENTICATED` for wrong ones. */
  async identify(request: Asking): Promise<Principal | undefined> {
    const { authorization, cookie } = request.headers
    if (authorization !== undefined) return this.#byBearer(authorization, request.ip)
    const token = this.#o.cookie.read(cookie)
    if (token === undefined) return undefined
    const hash = sessionHash(token, this.#o.secret)
    const idleMs = request.isBeat === true ? 0 : this.#o.idleMs // moves the end of a session on by nothing
    const look = async () => (await this.#local(hash, idleMs)) ?? this.#issued(hash, idleMs)
    const found = await this.#lookUp(request.ip, hash, look)
    if (found !== undefined) this.#o.checkSite(request, found)
    return found // a cookie that has run out is as none
  }

  async #local(hash: string, idleMs: number): Promise<Principal | undefined> {
    const session = await this.#o.store.sessions.touch(hash, idleMs)
    if (session === undefined) return undefined
    const { name, tenant, role } = session.user
    const permissions = grantedTo(role, undefined)
    return { kind: 'user', id: `user:${name}`, name, tenant, role: role as Principal['role'], permissions }
  }

  /** Of those who came through the issuer. */
  async #issued(hash: string, idleMs: number): Promise<Principal | undefined> {
    if (this.#o.tokens === undefined) return undefined
    const found = await this.#o.store.issuedSessions.touch(hash, idleMs)
    if (found === undefined) return undefined
    const { subject: id, name, tenant, role } = found
    return { kind: 'token', id, name, tenant, role: role as Principal['role'], permissions: grantedTo(role, undefined) }
  }

  /** At once on this node; the others forget within seconds by themselves. */
  forget(keyId: string): void {
    this.#known.forget(keyId)
  }

  async #byBearer(header: string, address: string): Promise<Principal> {
    const text = BEARER.exec(header)?.[1]
    const found = text === undefined ? undefined : await this.#find(text, address)
    if (found !== undefined) return found
    const waitMs = this.#failures.ask(networkOf(address))
    if (waitMs > 0) throw new RateLimited({ what: 'failed attempts from this address', retryAfterMs: waitMs })
    throw new Unauthenticated({})
  }

  async #find(text: string, address: string): Promise<Principal | undefined> {
    if (this.#bootstrapHash !== undefined && sameHash(hashOf(text), this.#bootstrapHash)) return bootstrap
    if (!text.startsWith(KEY_PREFIX)) return this.#o.tokens?.verify(text)
    const parsed = parseKey(text)
    if (parsed === undefined) return undefined
    const { id, hash } = parsed
    return this.#lookUp(address, `${id} ${hash}`, () => this.#known.find(id, hash))
  }

  async #lookUp(
    address: string,
    credential: string,
    look: () => Promise<Principal | undefined>,
  ): Promise<Principal | undefined> {
    const isProven = this.#proven.has(credential)
    const waitMs = isProven ? 0 : this.#inVain.ask(networkOf(address), false)
    if (waitMs > 0) throw new RateLimited({ what: 'failed attempts from this address', retryAfterMs: waitMs })
    const found = await look()
    if (found === undefined) {
      this.#proven.delete(credential)
      this.#inVain.ask(networkOf(address))
    } else if (!isProven) {
      if (this.#proven.size >= MOST_PROVEN) this.#proven.clear()
      this.#proven.add(credential)
    }
    return found
  }
}

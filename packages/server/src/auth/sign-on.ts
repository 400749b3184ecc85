/**
 * Signs people in through an OpenID provider: authorization code with PKCE, state and nonce. The ID token is read once, where the code is
 * exchanged; from then on there is a session of our own, like that of a local user, and no token in any browser.
 */
import { timingSafeEqual } from 'node:crypto'
import { errorMessage } from '@lockstep/base'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { ALGORITHMS, type OidcOptions, principalOf, TOLERANCE_S } from './bearer-token.ts'
import { IssuerUnreachable, SignInFailed } from './errors.ts'
import type { Principal } from './principal.ts'
import { challengeOf, type SignOnState } from './sign-on-state.ts'

const EXCHANGE_MS = 10_000
const LONGEST_ANSWER = 100_000

interface Provider {
  readonly authorize: string
  readonly token: string
  readonly keys: ReturnType<typeof createRemoteJWKSet>
}

export class SignOn {
  readonly #o: OidcOptions & { readonly clientId: string }
  #provider: Promise<Provider> | undefined

  constructor(options: OidcOptions & { readonly clientId: string }) {
    this.#o = options
  }

  /** Where the browser goes to. */
  async address({ state, nonce, verifier }: SignOnState, redirectUri: string): Promise<string> {
    const { authorize } = await this.#found()
    const url = new URL(authorize)
    const asked = {
      ...{ response_type: 'code', client_id: this.#o.clientId, redirect_uri: redirectUri },
      ...{ scope: 'openid profile email', state, nonce },
      ...{ code_challenge: challengeOf(verifier), code_challenge_method: 'S256' },
    }
    for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value)
    return url.href
  }

  /** Who came back. Throws `SIGN_IN_FAILED` for everything that is not as it should be. */
  async finish(
    kept: SignOnState | undefined,
    given: { readonly code?: unknown; readonly state?: unknown; readonly iss?: unknown },
    redirectUri: string,
  ): Promise<Principal> {
    const { code, state, iss } = given
    if (kept === undefined || typeof code !== 'string' || typeof state !== 'string') throw new SignInFailed({})
    if (!same(state, kept.state) || (iss !== undefined && iss !== this.#o.issuer)) throw new SignInFailed({})
    const provider = await this.#found()
    const idToken = await this.#exchange(provider, code, kept.verifier, redirectUri)
    const { issuer, clientId, roleClaim, tenantClaim } = this.#o
    const { payload } = await jwtVerify(idToken, provider.keys, {
      ...{ issuer, audience: clientId, algorithms: [...ALGORITHMS], clockTolerance: TOLERANCE_S },
      requiredClaims: ['exp', 'iat', 'sub', 'nonce'],
    }).catch((cause: unknown) => {
      throw new SignInFailed({}, { cause })
    })
    const isOurs = payload.azp === undefined || payload.azp === clientId
    if (typeof payload.nonce !== 'string' || !same(payload.nonce, kept.nonce) || !isOurs) throw new SignInFailed({})
    const principal = principalOf(payload, issuer, roleClaim, tenantClaim)
    if (principal?.role === undefined) throw new SignInFailed({})
    return principal
  }

  async #exchange({ token }: Provider, code: string, verifier: string, redirectUri: string): Promise<string> {
    const { clientId, clientSecret, issuer } = this.#o
    const body = new URLSearchParams({
      ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri },
      ...{ client_id: clientId, code_verifier: verifier },
      ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    })
    const response = await fetch(token, {
      ...{ method: 'POST', body, redirect: 'error', signal: AbortSignal.timeout(EXCHANGE_MS) },
      headers: { accept: 'application/json' },
    }).catch((cause: unknown) => {
      throw new IssuerUnreachable({ issuer, reason: errorMessage(cause) }, { cause })
    })
    const text = (await response.text()).slice(0, LONGEST_ANSWER)
    if (response.status >= 500) throw new IssuerUnreachable({ issuer, reason: `status ${response.status}` })
    const idToken = response.ok ? (parsed(text) as { readonly id_token?: unknown } | undefined)?.id_token : undefined
    if (typeof idToken !== 'string') throw new SignInFailed({})
    return idToken
  }

  #found(): Promise<Provider> {
    this.#provider ??= this.#discover()
    this.#provider.catch(() => {
      this.#provider = undefined // asked again by the next one
    })
    return this.#provider
  }

  async #discover(): Promise<Provider> {
    const { issuer } = this.#o
    try {
      const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
        redirect: 'error',
        signal: AbortSignal.timeout(EXCHANGE_MS),
      })
      const document = (await response.json()) as Readonly<Record<string, unknown>>
      const { authorization_endpoint: authorize, token_endpoint: token, jwks_uri: keys } = document
      if (document.issuer !== issuer || ![authorize, token, keys].every((each) => typeof each === 'string'))
        throw new TypeError('its document names another issuer, or no endpoints')
      return { authorize: String(authorize), token: String(token), keys: createRemoteJWKSet(new URL(String(keys))) }
    } catch (cause) {
      throw new IssuerUnreachable({ issuer, reason: errorMessage(cause) }, { cause })
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function same(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)]
  return one.length === other.length && timingSafeEqual(one, other)
}

/**
 * Access tokens of an OpenID provider. Everything is named beforehand: the issuer, its keys (found through the issuer's own document, never
 * through a header of the token), the audience, the algorithms (asymmetric only) and what must be in it.
 */
import { errorMessage } from '@lockstep/base'
import { DEFAULT_TENANT } from '@lockstep/engine'
import { createRemoteJWKSet, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import { IssuerUnreachable } from './errors.ts'
import { grantedTo, type Principal } from './principal.ts'
import { highestRole } from './roles.ts'

export interface OidcOptions {
  readonly issuer: string
  readonly audience: string
  /** Ours at the issuer; absent: people do not sign in through it. */
  readonly clientId?: string
  /** Absent: the client is public, and PKCE alone proves it. */
  readonly clientSecret?: string
  /** Where roles stand; dots lead into objects. @default 'roles' */
  readonly roleClaim?: string
  /** Where the tenant stands; absent: all tokens are of the default one. */
  readonly tenantClaim?: string
}

export interface BearerTokens {
  /** `undefined`: no token that is good here. Throws `ISSUER_UNREACHABLE` when the issuer's keys cannot be had. */
  verify(token: string): Promise<Principal | undefined>
}

export const ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
]
export const TOLERANCE_S = 30
/** Whatever it says of its end; with it, one that is made in times to come is none either. */
const OLDEST = '366d'
const DISCOVERY_MS = 5_000
const LONGEST_TOKEN = 8_192
const TENANT = /^[a-z0-9][a-z0-9._-]{0,62}$/

export function bearerTokens({ issuer, audience, roleClaim = 'roles', tenantClaim }: OidcOptions): BearerTokens {
  let keys: Promise<ReturnType<typeof createRemoteJWKSet>> | undefined
  const keySet = (): NonNullable<typeof keys> => {
    keys ??= discover(issuer).then((url) =>
      createRemoteJWKSet(url, { timeoutDuration: DISCOVERY_MS, cooldownDuration: 30_000 }),
    )
    keys.catch(() => {
      keys = undefined // asked again with the next token
    })
    return keys
  }
  return {
    verify: async (token) => {
      if (token.length > LONGEST_TOKEN || !isPossible(token)) return undefined
      try {
        const { payload } = await jwtVerify(token, await keySet(), {
          ...{ issuer, audience, algorithms: [...ALGORITHMS], clockTolerance: TOLERANCE_S },
          ...{ requiredClaims: ['exp', 'sub', 'iat'], maxTokenAge: OLDEST },
        })
        return isForAccess(payload) ? principalOf(payload, issuer, roleClaim, tenantClaim) : undefined
      } catch (error) {
        if (isRefusal(error)) return undefined
        throw new IssuerUnreachable({ issuer, reason: errorMessage(error) }, { cause: error })
      }
    },
  }
}

/** Before the issuer is asked for anything: a stranger's noise must not become requests to it. */
function isPossible(token: string): boolean {
  try {
    const { alg, kid, typ, crit } = decodeProtectedHeader(token)
    const access = typ === undefined || /^(application\/)?(at\+)?jwt$/i.test(typ)
    return access && crit === undefined && typeof kid === 'string' && kid !== '' && ALGORITHMS.includes(String(alg))
  } catch {
    return false
  }
}

/** Of an access token, where an issuer writes its kind into its claims: Keycloak as `typ`, Cognito as `token_use`. */
const ACCESS: ReadonlySet<unknown> = new Set([undefined, 'Bearer', 'access'])
/** Of ID tokens and of those that sign somebody out: they tell who somebody is, and open nothing. */
const OF_OTHERS = ['at_hash', 'c_hash', 's_hash', 'events']

/** Where the client has the name of the audience, what was signed for another purpose passes every other check. */
function isForAccess(payload: JWTPayload): boolean {
  const { typ, token_use: use } = payload
  return ACCESS.has(typ) && ACCESS.has(use) && !OF_OTHERS.some((claim) => Object.hasOwn(payload, claim))
}

/** Keys that cannot be had are our trouble, and no verdict on the token. */
const isRefusal = (error: unknown): boolean =>
  error instanceof errors.JOSEError &&
  !(error instanceof errors.JWKSTimeout || error instanceof errors.JWKSInvalid || error.code === 'ERR_JOSE_GENERIC')

async function discover(issuer: string): Promise<URL> {
  const response = await fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, {
    redirect: 'error',
    signal: AbortSignal.timeout(DISCOVERY_MS),
  })
  const document = (await response.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
  if (document.issuer !== issuer || typeof document.jwks_uri !== 'string')
    throw new TypeError(`The document of issuer ${issuer} names another issuer, or no keys`)
  return new URL(document.jwks_uri)
}

/** `undefined`: it names nobody, or no tenant where it has to. */
export function principalOf(
  payload: JWTPayload,
  issuer: string,
  roleClaim = 'roles',
  tenantClaim?: string,
): Principal | undefined {
  const { sub = '' } = payload
  const role = highestRole([claimAt(payload, roleClaim)].flat())
  const tenant = tenantClaim === undefined ? DEFAULT_TENANT : claimAt(payload, tenantClaim)
  // Who is of no tenant is of none: falling back to the default one would open it.
  if (sub === '' || sub.length > 255 || typeof tenant !== 'string' || !TENANT.test(tenant)) return undefined
  const name = [payload.preferred_username, payload.email, sub].find((each) => typeof each === 'string') as string
  return {
    kind: 'token',
    id: `token:${issuer}#${sub}`,
    name: name.slice(0, 255),
    tenant,
    role,
    permissions: role === undefined ? new Set() : grantedTo(role, undefined),
  }
}

function claimAt(payload: JWTPayload, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path] // a claim may itself be a URL with dots
  let value: unknown = payload
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}

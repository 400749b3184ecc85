import { InvalidOption, parseDuration } from '@lockstep/base'
import { type AuthMode, isLoopback, type OidcOptions } from '@lockstep/server'
import { oneOf, onOff } from './one-of.ts'
import type { RawOptions } from './raw-options.ts'

/** Who may reach the server, checked one by one. Whether they are safe together is `requireSafeStart`'s to say. */
export interface AccessSettings {
  readonly auth: AuthMode
  readonly apiKey: string | undefined
  /** Absent: made up once and kept in the store. */
  readonly secret: string | undefined
  readonly oidc: OidcOptions | undefined
  readonly publicUrl: string | undefined
  readonly requireHttps: boolean
  /** Absent: nobody is counted. */
  readonly rateLimit: { readonly burst: number; readonly perMs: number } | undefined
  readonly corsOrigins: readonly string[]
  /** Addresses and networks. */
  readonly trustProxy: readonly string[]
}

const SHORTEST = 32
/** Fewer different characters than this are a placeholder and no secret. */
const FEWEST_CHARACTERS = 10

export function resolveAccessOptions(raw: RawOptions, host: string): AccessSettings {
  const auth = oneOf(raw.auth ?? (isLoopback(host) ? 'none' : 'keys'), 'auth', ['none', 'keys', 'oidc'])
  return {
    auth,
    apiKey: secretText(raw.apiKey, 'apiKey'),
    secret: secretText(raw.secret, 'secret'),
    oidc: auth === 'oidc' ? oidcOf(raw) : undefined,
    publicUrl: webUrl(raw.publicUrl, 'publicUrl')?.href.replace(/\/$/, ''),
    requireHttps: onOff(raw.requireHttps, 'requireHttps'),
    rateLimit: rateLimitOf(raw.rateLimit ?? (auth === 'none' ? 'off' : DEFAULT_RATE)),
    corsOrigins: listOf(raw.corsOrigins).map(originOf),
    trustProxy: listOf(raw.trustProxy).map(proxyOf),
  }
}

const DEFAULT_RATE = '12000/1m'

function rateLimitOf(given: string): AccessSettings['rateLimit'] {
  if (given === 'off') return undefined
  const [, count, per] = /^([1-9]\d{0,8})\/(.+)$/.exec(given.trim()) ?? []
  const perMs = per === undefined ? Number.NaN : durationOf(per)
  if (count === undefined || !(perMs >= 1_000))
    throw new InvalidOption({
      option: 'rateLimit',
      rule: 'off, or a count for a time of 1s or more such as 600/1m',
      value: given,
    })
  return { burst: Number(count), perMs }
}

function durationOf(text: string): number {
  try {
    return parseDuration(text)
  } catch {
    return Number.NaN
  }
}

/** The message never repeats what was given. */
function secretText(given: string | undefined, option: 'apiKey' | 'secret'): string | undefined {
  if (given === undefined || given === '') return undefined
  const isSendable = option === 'secret' || /^[\x21-\x7e]+$/.test(given)
  if (isSendable && Buffer.byteLength(given) >= SHORTEST && new Set(given).size >= FEWEST_CHARACTERS) return given
  const rule = `${SHORTEST} or more random characters without blanks (make some with: openssl rand -hex 32)`
  throw new InvalidOption({ option, rule })
}

function oidcOf(raw: RawOptions): OidcOptions {
  const issuer = webUrl(raw.oidcIssuer, 'oidcIssuer')
  const rule = 'set together with auth oidc'
  if (issuer === undefined) throw new InvalidOption({ option: 'oidcIssuer', rule })
  if (raw.oidcAudience === undefined || raw.oidcAudience === '')
    throw new InvalidOption({ option: 'oidcAudience', rule })
  return {
    // As the issuer writes itself: tokens are compared with it letter by letter.
    issuer: raw.oidcIssuer!,
    audience: raw.oidcAudience,
    ...(raw.oidcClientId ? { clientId: raw.oidcClientId } : {}),
    ...(raw.oidcClientSecret ? { clientSecret: raw.oidcClientSecret } : {}),
    ...(raw.oidcRoleClaim ? { roleClaim: raw.oidcRoleClaim } : {}),
    ...(raw.oidcTenantClaim ? { tenantClaim: raw.oidcTenantClaim } : {}),
  }
}

function webUrl(given: string | undefined, option: 'publicUrl' | 'oidcIssuer'): URL | undefined {
  if (given === undefined || given === '') return undefined
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (
    url === undefined ||
    !/^https?:$/.test(url.protocol) ||
    url.username !== '' ||
    url.search !== '' ||
    url.hash !== ''
  )
    throw new InvalidOption({ option, rule: 'a URL such as https://workflows.example.org', value: given })
  return url
}

function originOf(text: string): string {
  if (URL.canParse(text) && new URL(text).origin === text) return text
  const rule = 'a list of origins such as https://app.example.org, without paths and without *'
  throw new InvalidOption({ option: 'corsOrigins', rule, value: text })
}

const NETWORK = /^(loopback|linklocal|uniquelocal|[0-9a-f.:]+(\/\d{1,3})?)$/i

function proxyOf(text: string): string {
  if (NETWORK.test(text)) return text
  throw new InvalidOption({
    option: 'trustProxy',
    rule: 'a list of addresses and networks such as 10.0.0.0/8',
    value: text,
  })
}

const listOf = (given: readonly string[] | string | undefined): readonly string[] =>
  typeof given === 'string' ? given.split(/[\s,]+/).filter(Boolean) : (given ?? [])

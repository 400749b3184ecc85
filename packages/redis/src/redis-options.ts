import type { ConnectionOptions } from 'node:tls'
import {
  type Clock,
  InvalidOption,
  type Logger,
  type Random,
  silentLogger,
  systemClock,
  systemRandom,
} from '@lockstep/base'
import type { RedisClient } from './connection/redis-client.ts'

export interface RedisProviderOptions {
  /** `redis://[[user][:password]@]host[:port][/database]`, or `rediss://` for TLS. This or `client`. */
  readonly url?: string
  /** A connected client of your own (`@redis/client`, `redis`, `ioredis`). Never closed here; a copy of it listens. This or `url`. */
  readonly client?: RedisClient
  /** Keys and channels begin with it; two prefixes never meet. @default 'lockstep' */
  readonly prefix?: string
  /** Settings of TLS, such as `ca`; `true` for the defaults. @default by the URL */
  readonly tls?: ConnectionOptions | boolean
  /** Wins over the one in the URL. */
  readonly password?: string
  readonly username?: string
  /** @default the machine's own */
  readonly clock?: Clock
  /** @default the machine's own */
  readonly random?: Random
  readonly logger?: Logger
  /** How long calls wait for a connection that is being made or was just lost; later ones are refused at once. @default 1_000 */
  readonly connectGraceMs?: number
  /** How long the server may be silent while something is asked of it; then calls are refused and the connection is replaced. @default 3_000 */
  readonly silenceMs?: number
}

export interface RedisAddress {
  readonly host: string
  readonly port: number
  readonly database: number
  readonly username?: string
  readonly password?: string
  readonly tls?: ConnectionOptions
}

export interface ResolvedOptions {
  readonly source: { readonly address: RedisAddress } | { readonly client: RedisClient }
  readonly prefix: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly connectGraceMs: number
  readonly silenceMs: number
}

export function resolveRedisOptions(options: RedisProviderOptions): ResolvedOptions {
  const { url, client, prefix = 'lockstep', logger = silentLogger } = options
  const { clock = systemClock, random = systemRandom } = options
  const { connectGraceMs = 1_000, silenceMs = 3_000 } = options
  if ((url === undefined) === (client === undefined))
    throw new InvalidOption({ option: 'url', rule: 'given, or else client' })
  // A brace would break the hash tags, and with them what keeps two prefixes apart.
  if (prefix === '' || prefix.length > 128 || /[{}\p{Cc}]/u.test(prefix))
    throw new InvalidOption({
      option: 'prefix',
      rule: '1 to 128 characters without braces and control characters',
      value: prefix,
    })
  if (!(connectGraceMs >= 0))
    throw new InvalidOption({ option: 'connectGraceMs', rule: 'at least 0', value: connectGraceMs })
  if (!(silenceMs >= 50)) throw new InvalidOption({ option: 'silenceMs', rule: 'at least 50', value: silenceMs })
  const source = client === undefined ? { address: withCredentials(parseRedisUrl(url!), options) } : { client }
  return { source, prefix, clock, random, logger: logger.area('redis'), connectGraceMs, silenceMs }
}

const example = 'a URL such as redis://user:password@host:6379/0'

/** The messages never repeat the URL: it holds a password. */
export function parseRedisUrl(text: string): RedisAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw invalidUrl(example)
  if (url.protocol !== 'redis:' && url.protocol !== 'rediss:')
    throw invalidUrl(`${example}; it begins with "${url.protocol}"`)
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  if (host === '') throw invalidUrl(`${example}; the host is missing`)
  const database = url.pathname === '' || url.pathname === '/' ? '0' : url.pathname.slice(1)
  if (!/^\d{1,6}$/.test(database)) throw invalidUrl(`${example}; the database is no number`)
  return {
    host: decoded(host),
    port: url.port === '' ? 6_379 : Number(url.port),
    database: Number(database),
    ...(url.username === '' ? {} : { username: decoded(url.username) }),
    ...(url.password === '' ? {} : { password: decoded(url.password) }),
    ...(url.protocol === 'rediss:' ? { tls: {} } : {}),
  }
}

function withCredentials(address: RedisAddress, { tls, username, password }: RedisProviderOptions): RedisAddress {
  const { tls: _, ...plain } = address
  const secure = tls === undefined ? address.tls : tls === true ? {} : tls === false ? undefined : tls
  return {
    ...plain,
    ...(secure === undefined ? {} : { tls: secure }),
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidUrl(`${example}; a "%" in it is not followed by two hexadecimal digits`)
  }
}

function invalidUrl(rule: string): Error {
  return new InvalidOption({ option: 'url', rule })
}

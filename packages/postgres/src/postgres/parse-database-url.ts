import type { ConnectionOptions } from 'node:tls'
import { InvalidOption } from '@lockstep/base'

export interface DatabaseAddress {
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password?: string
  readonly database: string
  readonly tls?: ConnectionOptions
}

const DEFAULT_PORT = 5432
const example = 'a URL such as postgres://user:password@host:5432/database'

/**
 * Reads a database URL. The messages never repeat it: it holds a password. `sslmode` is `disable` (also when absent),
 * `require`, `verify-ca` or `verify-full` (all three check the certificate), or `no-verify`.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) throw invalid(example)
  if (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') {
    throw invalid(`${example}; it begins with "${url.protocol}"`)
  }
  const host = url.searchParams.get('host') ?? decodeURIComponent(url.hostname).replace(/^\[(.*)\]$/, '$1')
  const database = decodeURIComponent(url.pathname.slice(1))
  const user = decodeURIComponent(url.username)
  if (host === '') throw invalid(`${example}; the host is missing`)
  if (user === '') throw invalid(`${example}; the user is missing`)
  if (database === '' || database.includes('/'))
    throw invalid(`${example}; the database name is missing or holds a "/"`)
  const tls = tlsOf(url.searchParams.get('sslmode') ?? 'disable')
  return {
    host,
    port: url.port === '' ? Number(url.searchParams.get('port') ?? DEFAULT_PORT) : Number(url.port),
    user,
    database,
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    ...(tls === undefined ? {} : { tls }),
  }
}

/** For messages: everything but the password. */
export function placeOf(address: DatabaseAddress): string {
  const host = address.host.includes(':') ? `[${address.host}]` : address.host
  return `${host}:${address.port}/${address.database} (user ${address.user})`
}

function tlsOf(mode: string): ConnectionOptions | undefined {
  switch (mode) {
    case 'disable':
      return undefined
    case 'require':
    case 'verify-ca':
    case 'verify-full':
      return { rejectUnauthorized: true }
    case 'no-verify':
      return { rejectUnauthorized: false }
    default:
      throw invalid('a URL whose sslmode is disable, require, verify-ca, verify-full or no-verify')
  }
}

function invalid(rule: string): Error {
  return new InvalidOption({ option: 'databaseUrl', rule })
}

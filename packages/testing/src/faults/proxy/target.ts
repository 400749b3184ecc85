import { InvalidOption } from '@lockstep/base'

/** A protocol that faults can look into. */
export type Protocol = 'postgres' | 'redis'

export interface Target {
  readonly host: string
  readonly port: number
}

const schemes: Readonly<Record<string, { readonly port: number; readonly protocol?: Protocol }>> = {
  'postgres:': { port: 5432, protocol: 'postgres' },
  'postgresql:': { port: 5432, protocol: 'postgres' },
  'redis:': { port: 6379, protocol: 'redis' },
  'rediss:': { port: 6379 },
  'amqp:': { port: 5672 },
  'http:': { port: 80 },
  'https:': { port: 443 },
}

/** Where a URL points, and the protocol its scheme promises in plain text. */
export function readTarget(target: Target | string): { readonly target: Target; readonly protocol?: Protocol } {
  if (typeof target !== 'string') return { target: { host: target.host, port: target.port } }
  const url = new URL(target)
  const scheme = schemes[url.protocol]
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const port = url.port === '' ? scheme?.port : Number(url.port)
  // The scheme alone is shown: the rest of a URL may hold a password.
  if (host === '' || port === undefined)
    throw new InvalidOption({ option: 'target', rule: 'a URL with a host and a port', value: url.protocol })
  return { target: { host, port }, ...(scheme?.protocol && { protocol: scheme.protocol }) }
}

/** The same URL, through `proxy`. Credentials, database and parameters stay. */
export function redirectUrl(original: string, proxy: Target): string {
  const url = new URL(original)
  // libpq and pg let these parameters win over the authority.
  for (const name of ['host', 'hostaddr', 'port']) url.searchParams.delete(name)
  url.hostname = proxy.host.includes(':') ? `[${proxy.host}]` : proxy.host
  url.port = String(proxy.port)
  return url.href
}

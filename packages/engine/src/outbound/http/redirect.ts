import type { Hop } from './http-exchange.ts'

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
/** Belong to the origin that they were written for. */
const OF_ORIGIN = ['authorization', 'cookie', 'proxy-authorization', 'idempotency-key']
const OF_BODY = ['content-type', 'content-encoding', 'content-language', 'content-location']

export function isRedirect(status: number): boolean {
  return REDIRECTS.has(status)
}

/**
 * What to send after a redirect; `undefined` when there is nowhere to go. As browsers do: 303 always, and 301 and 302 after a POST, become
 * a GET. Headers that hold credentials (`sensitive` names more of them) stay with their origin.
 */
export function nextHop(
  hop: Hop,
  status: number,
  location: string | undefined,
  sensitive: readonly string[],
): Hop | undefined {
  if (location === undefined || !URL.canParse(location, hop.url)) return undefined
  const url = new URL(location, hop.url)
  const becomesGet =
    (status === 303 && hop.method !== 'HEAD') || ((status === 301 || status === 302) && hop.method === 'POST')
  const dropped = new Set([
    ...(url.origin === hop.url.origin ? [] : [...OF_ORIGIN, ...sensitive]),
    ...(becomesGet ? OF_BODY : []),
  ])
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    body: becomesGet ? undefined : hop.body,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped.has(name))),
  }
}

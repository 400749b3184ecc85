import { HttpRedirectRefused } from '../errors.ts'
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
 * a GET. Headers that hold credentials (`sensitive` names more of them) stay with their origin. So does a body, which may hold them too: throws
 * `HTTP_REDIRECT_REFUSED` when another scheme, host or port asks for it, and when a safe way would become an open one.
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
  const body = becomesGet ? undefined : hop.body
  const isElsewhere = url.origin !== hop.url.origin
  const refuse = (why: string): never => {
    throw new HttpRedirectRefused({ from: hop.url.origin, to: url.origin, why })
  }
  if (isElsewhere && body !== undefined) refuse('with the body, which was written for the first of them')
  if (hop.url.protocol === 'https:' && url.protocol === 'http:')
    refuse('where everybody on the way could read it and answer')
  const dropped = new Set([...(!isElsewhere ? [] : [...OF_ORIGIN, ...sensitive]), ...(becomesGet ? OF_BODY : [])])
  return {
    url,
    method: becomesGet ? 'GET' : hop.method,
    body,
    headers: Object.fromEntries(Object.entries(hop.headers).filter(([name]) => !dropped.has(name))),
  }
}

/**
 * Browsers send cookies, and reach loopback, on behalf of any page. A request that changes something must therefore come from our own
 * pages, from a site that was named, or from no browser at all. Browsers say so in headers that pages cannot write.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { BlockList, isIP } from 'node:net'
import { CrossSite } from './errors.ts'
import type { Principal } from './principal.ts'

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Requests that only read. */
export const isSafe = (method: string): boolean => SAFE.has(method)

export interface SiteOptions {
  /** Of LOCKSTEP_PUBLIC_URL. */
  readonly publicOrigin: string | undefined
  readonly corsOrigins: readonly string[]
}

/** What can be told of a request before its body is read. */
export interface Asking {
  readonly method: string
  readonly headers: IncomingHttpHeaders
  /** Where it came from, behind the proxies that are trusted. */
  readonly ip: string
  /** Asked again for something that is open for long: no sign of life of whoever opened it. */
  readonly isBeat?: boolean
}

/** Throws `CROSS_SITE_REQUEST`, which names `by`: whose cookie it came with. */
export type CheckSite = (request: Asking, by?: Principal) => void

/** For requests whose right comes from where they are sent from: a cookie, or loopback. Bearer tokens need none of this. */
export function siteCheck({ publicOrigin, corsOrigins }: SiteOptions): CheckSite {
  const named = new Set([...corsOrigins, ...(publicOrigin === undefined ? [] : [publicOrigin])])
  return ({ method, headers }, by) => {
    if (isSafe(method)) return
    const { origin, host = '' } = headers
    const site = headers['sec-fetch-site']
    if (origin !== undefined) {
      if (named.has(origin) || hostOf(origin) === host) return
      // Pages that tell nobody where they are, as those behind a link, send none that could be compared.
      if (origin === 'null' && site === 'same-origin') return
      throw new CrossSite({ why: `its Origin is ${origin.slice(0, 80)}`, by })
    }
    if (site === undefined || site === 'same-origin' || site === 'none') return
    throw new CrossSite({ why: `Sec-Fetch-Site is ${String(site).slice(0, 20)}`, by })
  }
}

/** Where nobody is asked who they are, a page could still reach us under a name of its own that leads to loopback. */
export function loopbackNameCheck({ publicOrigin }: SiteOptions): CheckSite {
  const publicHost = publicOrigin === undefined ? undefined : hostOf(publicOrigin)
  let lastGood: string | undefined
  return ({ headers: { host = '' } }) => {
    if (host === lastGood) return
    if (host === publicHost || isLoopback(host.replace(/:\d+$/, ''))) {
      lastGood = host
      return
    }
    throw new CrossSite({ why: `its Host is ${host.slice(0, 80)}, which is no name of loopback` })
  }
}

const hostOf = (origin: string): string | undefined => (URL.canParse(origin) ? new URL(origin).host : undefined)

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8)
loopback.addAddress('::1', 'ipv6')

/** Whether what listens there can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[|\]$/g, '')
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true
  const family = isIP(bare)
  return family !== 0 && loopback.check(bare, family === 6 ? 'ipv6' : 'ipv4')
}

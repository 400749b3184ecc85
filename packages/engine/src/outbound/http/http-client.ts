/**
 * HTTP for steps, which go where the author of a workflow says. Each hop, the first and every redirect: check the URL, resolve its name,
 * check all addresses, connect to one of those, check the socket. Proxy variables of the environment are not read.
 */
import { abortable, type Clock, linkedAbort, TimedOut } from '@lockstep/base'
import { HttpTooManyRedirects, OutboundBlocked } from '../errors.ts'
import { type AllowList, parseAllowList } from './allow-list.ts'
import { allowedAddresses, type ResolveHost, resolveBySystem } from './guard-address.ts'
import { exchange, type Hop, type HttpResponse } from './http-exchange.ts'
import { isRedirect, nextHop } from './redirect.ts'

export interface HttpRequest extends Hop {
  readonly maxBytes: number
  readonly timeoutMs: number
  readonly followRedirects: boolean
  /** Names of headers that hold secrets besides the usual ones. */
  readonly sensitive: readonly string[]
  /** As the URL may be shown in messages. */
  readonly shownUrl: string
  readonly signal: AbortSignal
}

export interface HttpClient {
  /** Answers whatever status came. Throws `HTTP_FAILED`, `HTTP_REDIRECT_REFUSED`, `OUTBOUND_BLOCKED`, `TIMED_OUT` or the reason of the signal. */
  send(request: HttpRequest): Promise<HttpResponse>
}

export interface HttpClientOptions {
  readonly clock: Clock
  readonly allow?: readonly string[]
  readonly ca?: string | undefined
  readonly resolveHost?: ResolveHost
  readonly traceparent?: (() => string | undefined) | undefined
}

const MOST_REDIRECTS = 5

export function httpClient(options: HttpClientOptions): HttpClient {
  const { clock, ca, resolveHost = resolveBySystem } = options
  const allow: AllowList = parseAllowList(options.allow ?? [])

  const travel = async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    const { maxBytes, followRedirects, sensitive } = request
    let hop: Hop = request
    let shownUrl = request.shownUrl
    for (let count = 0; ; count += 1) {
      requireWeb(hop.url)
      const addresses = await abortable(allowedAddresses(hop.url, resolveHost, allow), signal)
      const response = await exchange(hop, addresses, { maxBytes, signal, shownUrl, ca })
      if (!followRedirects || !isRedirect(response.status)) return response
      const next = nextHop(hop, response.status, response.headers.location, sensitive)
      if (next === undefined) return response
      if (count >= MOST_REDIRECTS) throw new HttpTooManyRedirects({ url: request.shownUrl, limit: MOST_REDIRECTS })
      hop = next
      shownUrl = next.url.origin
    }
  }

  return {
    send: async (request) => {
      using abort = linkedAbort(request.signal)
      const late = new TimedOut({ what: `The request to ${request.shownUrl}`, afterMs: request.timeoutMs })
      const timer = clock.schedule(request.timeoutMs, () => abort.abort(late))
      try {
        return await travel(traced(request, options.traceparent?.()), abort.signal)
      } finally {
        timer.cancel()
      }
    },
  }
}

/** What the author says wins. */
function traced(request: HttpRequest, traceparent: string | undefined): HttpRequest {
  const names = Object.keys(request.headers).map((name) => name.toLowerCase())
  if (traceparent === undefined || names.includes('traceparent')) return request
  return { ...request, headers: { ...request.headers, traceparent } }
}

function requireWeb(url: URL): void {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundBlocked({ host: url.host || url.protocol, why: 'only http and https are spoken' })
  if (url.username !== '' || url.password !== '')
    throw new OutboundBlocked({
      host: url.host,
      why: 'its URL holds a user or a password, which belong into a header with a secret',
    })
}

import { type IncomingHttpHeaders, type IncomingMessage, request as plainRequest, type RequestOptions } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { LookupFunction, Socket } from 'node:net'
import { errorCode, errorMessage } from '@lockstep/base'
import { HttpFailed, HttpResponseTooLarge, OutboundBlocked } from '../errors.ts'
import { unmapped } from './address-kind.ts'
import type { HostAddress } from './guard-address.ts'
import { type ReadLimits, readBody } from './read-body.ts'

/** One request to one place. */
export interface Hop {
  readonly method: string
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | undefined
}

export interface HttpResponse {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Uint8Array
  /** Where it came from, after redirects. */
  readonly url: URL
}

export interface ExchangeLimits extends ReadLimits {
  readonly signal: AbortSignal
  readonly ca: string | undefined
}

/** Sends one request to one of `addresses` and reads the whole answer. Each has a connection of its own: a kept one could be gone just when a request that must not be repeated is sent. */
export async function exchange(
  hop: Hop,
  addresses: readonly HostAddress[],
  limits: ExchangeLimits,
): Promise<HttpResponse> {
  const { signal, shownUrl } = limits
  try {
    const response = await send(hop, addresses, limits)
    const body = await readBody(response, hop.method, limits)
    return { status: response.statusCode ?? 0, headers: response.headers, body, url: hop.url }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (OutboundBlocked.is(error) || HttpResponseTooLarge.is(error)) throw error
    throw new HttpFailed({ url: shownUrl, reason: reasonOf(error) }, { cause: error })
  }
}

function send(
  { method, url, headers, body }: Hop,
  addresses: readonly HostAddress[],
  { signal, ca }: ExchangeLimits,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options: RequestOptions & { ca?: string } = {
      method,
      headers: body === undefined ? headers : { ...headers, 'content-length': body.byteLength },
      agent: false,
      lookup: lookupIn(addresses),
      signal,
      ...(ca === undefined ? {} : { ca }),
    }
    const request = url.protocol === 'https:' ? secureRequest(url, options) : plainRequest(url, options)
    request.on('error', reject)
    request.on('response', resolve)
    request.on('socket', (socket) => requireChecked(socket, url, addresses))
    request.end(body)
  })
}

/** Answers with what was checked, whatever the name may lead to by now. */
function lookupIn(addresses: readonly HostAddress[]): LookupFunction {
  return (_, options, callback) => {
    const [first] = addresses
    if (options.all === true) callback(null, [...addresses])
    else callback(null, first!.address, first!.family)
  }
}

/** The last word: what the socket is connected to. */
function requireChecked(socket: Socket, url: URL, addresses: readonly HostAddress[]): void {
  const checked = new Set(addresses.map(({ address }) => unmapped(address)))
  socket.once('connect', () => {
    if (checked.has(unmapped(socket.remoteAddress ?? ''))) return
    socket.destroy(new OutboundBlocked({ host: url.hostname, why: 'the connection led to another address' }))
  })
}

/** Several addresses that all failed are one error without a message. */
function reasonOf(error: unknown): string {
  const errors = error instanceof AggregateError ? error.errors : [error]
  const [first] = errors
  return errorMessage(first) || errorCode(first) || 'the connection was lost'
}

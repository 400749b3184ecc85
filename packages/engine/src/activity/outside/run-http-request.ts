import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { HttpRefused, HttpResponseUnreadable, HttpUnavailable } from '../../outbound/errors.ts'
import type { HttpClient } from '../../outbound/http/http-client.ts'
import type { HttpResponse } from '../../outbound/http/http-exchange.ts'
import type { ActivityContext, CompletedResult } from '../activity-handler.ts'
import { bodyOf } from './http-body.ts'
import { headersOf, idempotencyHeader } from './http-headers.ts'
import { DEFAULT_MAX_BYTES } from './http-request.ts'
import { parseResponse } from './http-response-body.ts'
import { isWorthRepeating, matchesStatus, retryAfterMs } from './http-status.ts'
import { targetUrl } from './http-url.ts'
import { done, durationOf, onItsWay } from './outside-step.ts'

export interface HttpServices {
  readonly http: HttpClient
  /** Epoch milliseconds, for dates in `Retry-After`. */
  readonly now: () => number
}

const DEFAULT_TIMEOUT_MS = 30_000
const LONGEST_EXCERPT = 2_000

export async function runHttpRequest(
  services: HttpServices,
  inputs: JsonObject,
  context: ActivityContext,
): Promise<CompletedResult> {
  const { http } = services
  const { holdsSecret } = context
  const target = targetUrl(inputs.url, holdsSecret)
  addQuery(target.url, inputs.query)
  const given = headersOf(inputs.headers, holdsSecret)
  const { body, contentType } = bodyOf(inputs.body, given.headers['content-type'])
  const response = await http.send({
    method: typeof inputs.method === 'string' ? inputs.method : 'GET',
    url: target.url,
    headers: {
      accept: 'application/json, */*;q=0.8',
      'accept-encoding': 'identity',
      'user-agent': 'lockstep',
      'idempotency-key': idempotencyHeader(context.idempotencyKey),
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...given.headers,
    },
    body,
    maxBytes: typeof inputs.maxBytes === 'number' ? inputs.maxBytes : DEFAULT_MAX_BYTES,
    timeoutMs: durationOf(inputs.timeout, DEFAULT_TIMEOUT_MS),
    followRedirects: inputs.followRedirects !== false,
    sensitive: given.sensitive,
    shownUrl: target.shown,
    signal: onItsWay(context.signal),
  })
  if (matchesStatus(response.status, inputs.expectedStatus)) return done(outputOf(response, target))
  if (inputs.unexpectedStatus === 'outcome' && response.status >= 300)
    return done(outputOf(response, target), `${Math.floor(response.status / 100)}xx`)
  throw unexpected(response, target.shown, services.now(), context)
}

function outputOf(response: HttpResponse, target: { readonly shown: string; readonly holdsSecret: boolean }): Json {
  const { status, headers } = response
  const url = target.holdsSecret ? response.url.origin : response.url.href
  const parsed = parseResponse(response)
  if ('reason' in parsed) throw new HttpResponseUnreadable({ url: target.shown, reason: parsed.reason })
  return { status, headers: Object.fromEntries(Object.entries(headers)) as JsonObject, ...parsed, url }
}

/** The failure of a status that was not expected. What came with it is cut short. */
export function unexpected(
  response: HttpResponse,
  url: string,
  now: number,
  { withoutSecrets }: Pick<ActivityContext, 'withoutSecrets'>,
): Error {
  const { status, headers } = response
  const body = withoutSecrets(Buffer.from(response.body).toString('utf8'))
  const details = { url, status, ...(body === '' ? {} : { body: body.slice(0, LONGEST_EXCERPT) }) }
  if (!isWorthRepeating(status)) return new HttpRefused(details)
  const waitMs = retryAfterMs(headers['retry-after'], now)
  return new HttpUnavailable({ ...details, ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }) })
}

function addQuery(url: URL, query: Json | undefined): void {
  if (!isJsonObject(query)) return
  for (const [name, value] of Object.entries(query)) {
    if (value === null) continue
    for (const each of Array.isArray(value) ? value : [value]) url.searchParams.append(name, String(each))
  }
}

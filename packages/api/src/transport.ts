/** One exchange with a node: address, credential, repetition, problems. Operations and streams are built on it. */
import { type Clock, errorCode, errorMessage, isJsonObject, sleep, systemClock } from '@lockstep/base'
import { ServerProblem, ServerUnreachable } from './errors.ts'
import { waitBeforeRetry } from './retry.ts'

export interface ClientOptions {
  /** Of a node, with its base path: `http://127.0.0.1:4400`. */
  readonly url: string
  /** Sent as bearer token: an API key, or an access token of the issuer. Asked anew for every request when it is a function. */
  readonly apiKey?: string | undefined | (() => string | undefined | Promise<string | undefined>)
  /** Ends everything that is under way. */
  readonly signal?: AbortSignal | undefined
  /** How often a request that was refused with 429 or 503 is sent again, after the time that the server asks for. @default 4 */
  readonly retries?: number
  readonly fetch?: typeof fetch
  readonly clock?: Clock
  /** Told of every exchange. */
  readonly onExchange?: (line: string) => void
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Wanted {
  readonly query?: Query | undefined
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: { readonly type: string; readonly content: string } | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
  /** Whether the answer is wanted as text, though it may be JSON. */
  readonly asText?: boolean
}

export interface Reply<Body> {
  readonly status: number
  readonly body: Body
  /** What `ifMatch` takes. */
  readonly etag: string | undefined
  readonly headers: Headers
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

export interface Transport {
  readonly url: string
  /** Answers below 400 only. @throws ServerProblem, ServerUnreachable, or the reason of the signal */
  send(method: Method, path: string, wanted?: Wanted): Promise<Reply<unknown>>
  /** The answer as it comes in, for streams; whatever its status is. */
  open(method: Method, path: string, wanted?: Wanted): Promise<Response>
}

export function transport(options: ClientOptions): Transport {
  const { url, apiKey, retries = 4, fetch: send = fetch, clock = systemClock, onExchange } = options
  const root = `${url.replace(/\/+$/, '')}/api/v1`

  const open: Transport['open'] = async (method, path, { query = {}, body, text, headers, signal } = {}) => {
    const target = `${root}${path}${queryText(query)}`
    const sent = text?.content ?? (body === undefined ? undefined : JSON.stringify(body))
    const key = typeof apiKey === 'function' ? await apiKey() : apiKey
    const ends = eitherOf(options.signal, signal)
    const response = await send(target, {
      method,
      headers: {
        accept: 'application/json',
        ...(sent === undefined ? {} : { 'content-type': text?.type ?? 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...headers,
      },
      // Followed, a POST would arrive as a GET: something would answer, and nothing would be done.
      redirect: 'manual',
      ...(ends === undefined ? {} : { signal: ends }),
      ...(sent === undefined ? {} : { body: sent }),
    }).catch((error: unknown) => {
      if (ends?.aborted) throw ends.reason
      throw new ServerUnreachable({ url, reason: reasonOf(error) }, { cause: error })
    })
    onExchange?.(`${method} ${target} → ${response.status}`)
    const elsewhere = redirectOf(response, target)
    if (elsewhere !== undefined) throw new ServerUnreachable({ url, reason: elsewhere })
    return response
  }

  return {
    url,
    open,
    send: async (method, path, wanted = {}) => {
      const repeatable = method !== 'POST' || wanted.headers?.['idempotency-key'] !== undefined
      for (let attempt = 0; ; attempt += 1) {
        const response = await open(method, path, wanted)
        const answer = await response.text()
        if (response.status < 400) return replyOf(response, answer, wanted.asText === true, url)
        const problem = problemOf(response, answer, url)
        const { status, headers } = response
        const code = ServerProblem.is(problem) ? problem.details.problem.code : undefined
        const waitMs = waitBeforeRetry({ status, code, retryAfter: headers.get('retry-after') }, attempt, repeatable)
        if (waitMs === undefined || attempt >= retries) throw problem
        await sleep(clock, waitMs, eitherOf(options.signal, wanted.signal))
      }
    },
  }
}

function replyOf(response: Response, answer: string, asText: boolean, url: string): Reply<unknown> {
  const type = response.headers.get('content-type') ?? ''
  if (answer === '' && response.status < 300 && response.status !== 204 && !/yaml/.test(type)) throw notOurs(url)
  if (answer !== '' && !/json|yaml|event-stream/.test(type)) throw notOurs(url)
  const body = answer === '' ? undefined : /json/.test(type) && !asText ? parse(answer, url) : answer
  return { status: response.status, body, etag: response.headers.get('etag') ?? undefined, headers: response.headers }
}

export function problemOf({ status, headers }: Response, answer: string, url: string): Error {
  const problem = /json/.test(headers.get('content-type') ?? '') ? parse(answer, url) : undefined
  if (isProblem(problem)) return new ServerProblem({ status, problem })
  return status === 404 || status === 405 ? notOurs(url) : new ServerUnreachable({ url, reason: `status ${status}` })
}

type ProblemBody = InstanceType<typeof ServerProblem>['details']['problem']

const isProblem = (body: unknown): body is ProblemBody =>
  isJsonObject(body) && typeof body.code === 'string' && typeof body.detail === 'string'

function parse(text: string, url: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notOurs(url)
  }
}

/** What answers speaks HTTP, and something else than we do. */
export const notOurs = (url: string): Error =>
  new ServerUnreachable({ url, reason: 'what answers is not Lockstep: check the address and its base path' })

/** Why the answer is none: somebody sends us elsewhere. Browsers do not tell where. */
function redirectOf({ status, type, headers }: Response, target: string): string | undefined {
  if (type === 'opaqueredirect') return 'it redirects: use the address that it redirects to'
  if (status < 300 || status > 399 || status === 304) return undefined
  const place = headers.get('location')
  if (place === null || !URL.canParse(place, target))
    return `it redirects with status ${status}, and does not say where`
  return `it redirects to ${new URL(place, target).href.replace(/\/api\/v1(\/.*)?$/, '')}: use that address`
}

function queryText(query: Query): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined)
  return said.length === 0 ? '' : `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`
}

const eitherOf = (a: AbortSignal | undefined, b: AbortSignal | undefined): AbortSignal | undefined =>
  a === undefined || b === undefined ? (a ?? b) : AbortSignal.any([a, b])

/** `fetch` hides why behind a cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = errorCode(cause)
  if (code === 'ECONNREFUSED') return 'connection refused'
  return code ?? errorMessage(cause ?? error)
}

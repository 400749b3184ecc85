import { errorCode, errorMessage } from '@lockstep/base'
import { EndedBadly, EXIT, ServerProblem, ServerUnreachable } from '../exit-codes.ts'

// biome-ignore lint/suspicious/noExplicitAny: what the wire carries; the server describes it
export type Body = any

export interface Wanted {
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as it is. */
  readonly text?: { readonly type: string; readonly content: string }
  readonly headers?: Readonly<Record<string, string>>
}

export interface Reply {
  readonly status: number
  readonly body: Body
  readonly etag: string | undefined
}

export interface ApiClient {
  readonly url: string
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, wanted?: Wanted): Promise<Reply>
  /** Items of a list, page by page, at most `limit`. */
  list(path: string, query: NonNullable<Wanted['query']>, limit: number): Promise<readonly Body[]>
}

export interface ClientOptions {
  readonly url: string
  readonly apiKey: string | undefined
  readonly signal: AbortSignal
  /** Told of every exchange. */
  readonly onExchange?: (line: string) => void
}

const PAGE = 200

/** Speaks to a node. Problems become `SERVER_PROBLEM` with the server's own sentence. */
export function apiClient({ url, apiKey, signal, onExchange }: ClientOptions): ApiClient {
  const root = `${url.replace(/\/+$/, '')}/api/v1`
  const call: ApiClient['call'] = async (method, path, { query = {}, body, text, headers } = {}) => {
    const target = `${root}${path}${queryText(query)}`
    const sent = text?.content ?? (body === undefined ? undefined : JSON.stringify(body))
    const response = await fetch(target, {
      method,
      signal,
      headers: {
        accept: 'application/json',
        ...(sent === undefined ? {} : { 'content-type': text?.type ?? 'application/json' }),
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...headers,
      },
      ...(sent === undefined ? {} : { body: sent }),
    }).catch((error: unknown) => {
      if (signal.aborted) throw new EndedBadly({ text: 'interrupted', exitCode: EXIT.interrupted })
      throw new ServerUnreachable({ url, reason: reasonOf(error) }, { cause: error })
    })
    const answer = await response.text()
    onExchange?.(`${method} ${target} → ${response.status}`)
    const type = response.headers.get('content-type') ?? ''
    const parsed: Body = /json/.test(type) && answer !== '' ? parse(answer, url) : answer
    if (response.status >= 400) throw problemOf(response.status, parsed, url)
    if (answer !== '' && !/json|yaml/.test(type)) throw notOurs(url)
    return { status: response.status, body: parsed, etag: response.headers.get('etag') ?? undefined }
  }
  return {
    url,
    call,
    list: async (path, query, limit) => {
      const items: Body[] = []
      let cursor: string | undefined
      do {
        const { body } = await call('GET', path, {
          query: { ...query, limit: Math.min(PAGE, limit - items.length), cursor },
        })
        items.push(...body.items)
        cursor = body.page.next ?? undefined
      } while (cursor !== undefined && items.length < limit)
      return items
    },
  }
}

function queryText(query: NonNullable<Wanted['query']>): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined)
  return said.length === 0 ? '' : `?${new URLSearchParams(said.map(([name, value]) => [name, String(value)]))}`
}

function parse(text: string, url: string): Body {
  try {
    return JSON.parse(text)
  } catch {
    throw notOurs(url)
  }
}

const notOurs = (url: string) =>
  new ServerUnreachable({ url, reason: 'what answers is not Lockstep: check the address and its base path' })

function problemOf(status: number, body: Body, url: string): Error {
  if (typeof body?.code !== 'string')
    return status === 404 || status === 405 ? notOurs(url) : new ServerUnreachable({ url, reason: `status ${status}` })
  return new ServerProblem({ status, problem: body })
}

/** `fetch` hides why behind a cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const code = errorCode(cause)
  if (code === 'ECONNREFUSED') return 'connection refused'
  return code ?? errorMessage(cause ?? error)
}

/** For `catch`: what is not there is no failure. */
export function unlessMissing(error: unknown): undefined {
  if (ServerProblem.is(error) && error.details.status === 404) return undefined
  throw error
}

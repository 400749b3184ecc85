import { apiRoot } from '../browser/place.ts'
import { randomId } from '../browser/random-id.ts'
import { hostNow } from '../browser/time.ts'
import { credential } from './credential.ts'
import { Problem, unreachable } from './problem.ts'
import { serverTime } from './server-time.ts'

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

export interface Sent {
  readonly query?: Query
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
  /** `text`: the answer as it came. @default 'json' */
  readonly as?: 'json' | 'text'
  /** Sent as it is, in the place of `body`. */
  readonly text?: string
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'

/** Asks the API. Whatever is not an answer of the wanted kind is thrown as a `Problem`. */
export async function call<T>(method: Method, path: string, sent: Sent = {}): Promise<T> {
  const { body, signal, text } = sent
  const sentAt = hostNow()
  const response = await fetch(address(path, sent.query), {
    method,
    credentials: 'include',
    headers: {
      accept: 'application/json',
      ...credential.headers(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(method === 'POST' ? { 'idempotency-key': randomId() } : {}),
      ...sent.headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(text === undefined ? {} : { body: text }),
    ...(signal === undefined ? {} : { signal }),
  }).catch((error: unknown) => {
    if (signal?.aborted) throw error
    throw unreachable(`No answer from ${apiRoot}.`)
  })
  serverTime.learn(response.headers.get('date'), sentAt, hostNow())
  const answer = response.ok && sent.as === 'text' ? await response.text() : await readAnswer(response)
  if (response.ok) return answer as T
  const problem = new Problem(response.status, answer as Record<string, unknown>)
  if (problem.status === 401) credential.refused()
  throw problem
}

export function address(path: string, query: Query = {}): string {
  const said = Object.entries(query).filter(([, value]) => value !== undefined && value !== '')
  const search = new URLSearchParams(said.map(([name, value]) => [name, String(value)])).toString()
  return `${apiRoot}${path}${search === '' ? '' : `?${search}`}`
}

/** Whatever came, as an object: what is no JSON becomes the detail of a problem. */
export async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text()
  if (text === '') return {}
  try {
    return JSON.parse(text)
  } catch {
    return { title: response.ok ? 'The answer is not JSON' : undefined, detail: text.slice(0, 400) }
  }
}

import { type ClientOptions, lockstepClient, notOurs, type Query, ServerProblem, type Wanted } from '@lockstep/api'
import { EndedBadly, EXIT } from '../exit-codes.ts'
import { knownNode } from './known-node.ts'

export type { Query, Wanted } from '@lockstep/api'

// biome-ignore lint/suspicious/noExplicitAny: what the wire carries; the server describes it
export type Body = any

export interface Reply {
  readonly status: number
  readonly body: Body
  readonly etag: string | undefined
}

export interface ApiClient {
  readonly url: string
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, wanted?: Wanted): Promise<Reply>
  /** Items of a list, page by page, at most `limit`. */
  pages(path: string, query: Query, limit: number): AsyncIterable<readonly Body[]>
  /** The same, all together. */
  list(path: string, query: Query, limit: number): Promise<readonly Body[]>
}

const PAGE = 200

/** The client as commands use it: by path, for tables that print whatever comes, and ending as a command ends. */
export function apiClient(options: ClientOptions & { readonly signal: AbortSignal }): ApiClient {
  const { transport } = lockstepClient({ retries: 2, ...options })
  const known = knownNode(transport)
  const call: ApiClient['call'] = async (method, path, wanted) => {
    const reply = await transport.send(method, path, wanted).catch((error: unknown) => {
      if (options.signal.aborted) throw new EndedBadly({ text: 'interrupted', exitCode: EXIT.interrupted })
      throw error
    })
    await known(reply)
    const { status, body, etag } = reply
    return { status, body: body ?? '', etag }
  }
  async function* pages(path: string, query: Query, limit: number): AsyncGenerator<readonly Body[]> {
    let left = limit
    let cursor: string | undefined
    do {
      const { body } = await call('GET', path, { query: { ...query, limit: Math.min(PAGE, left), cursor } })
      if (!Array.isArray(body.items)) throw notOurs(options.url)
      yield body.items
      left -= body.items.length
      cursor = body.page?.next ?? undefined
    } while (cursor !== undefined && left > 0)
  }
  return {
    url: options.url,
    call,
    pages,
    list: async (path, query, limit) => {
      const items: Body[] = []
      for await (const page of pages(path, query, limit)) items.push(...page)
      return items
    },
  }
}

/** For `catch`: what is not there is no failure. */
export function unlessMissing(error: unknown): undefined {
  if (ServerProblem.is(error) && error.details.status === 404) return undefined
  throw error
}

import { type FollowOptions, follow, type LiveEvent } from './follow.ts'
import { type Operations, operations } from './operations.generated.ts'
import { type ClientOptions, type Method, type Query, type Reply, type Transport, transport } from './transport.ts'

export type OperationName = keyof Operations

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** For operations that are sent with POST: the same key does it once, however often it is sent. */
  readonly idempotencyKey?: string | undefined
  /** Terms of the query that have no name of their own, such as `input.customerId`. */
  readonly also?: Query | undefined
}

type Request<Name extends OperationName> = Operations[Name]['request']
export type ReplyBody<Name extends OperationName> = Operations[Name]['reply']

/** A request that needs nothing may be left out. */
type Arguments<Name extends OperationName> =
  object extends Request<Name>
    ? [request?: Request<Name>, options?: CallOptions]
    : [request: Request<Name>, options?: CallOptions]

/** A method for every operation of the API, by the name that the OpenAPI document gives it. */
export type OperationMethods = {
  readonly [Name in OperationName]: (...given: Arguments<Name>) => Promise<Reply<ReplyBody<Name>>>
}

/** Operations that answer page by page. */
export type ListName = {
  [Name in OperationName]: Request<Name> extends { readonly query?: infer Query }
    ? 'cursor' extends keyof NonNullable<Query>
      ? ReplyBody<Name> extends { readonly items: readonly unknown[]; readonly page: unknown }
        ? Name
        : never
      : never
    : never
}[OperationName]

export type ItemOf<Name extends ListName> =
  ReplyBody<Name> extends { readonly items: readonly (infer Item)[] } ? Item : never

export interface ClientExtras {
  readonly transport: Transport
  /** All items of a list, page after page as they are asked for. */
  items<Name extends ListName>(name: Name, ...given: Arguments<Name>): AsyncGenerator<ItemOf<Name>, void>
  /** What happens, as it is committed, until `signal` aborts. Breaks are mended: nothing is left out. */
  follow(options?: FollowOptions): AsyncGenerator<LiveEvent, void>
}

export type LockstepClient = OperationMethods & ClientExtras

interface AnyRequest {
  readonly query?: Query
  readonly body?: unknown
  readonly type?: string
  readonly ifMatch?: string
  readonly [parameter: string]: unknown
}

/** Speaks to a node. @throws ServerProblem with the server's own code, ServerUnreachable */
export function lockstepClient(options: ClientOptions): LockstepClient {
  const wire = transport(options)
  const call = (name: OperationName, request: AnyRequest = {}, given: CallOptions = {}): Promise<Reply<unknown>> => {
    const { method, path, text, answersText }: { method: string; path: string; text?: true; answersText?: true } =
      operations[name]
    const { query, body, type = 'text/plain', ifMatch } = request
    return wire.send(method as Method, filled(path, request), {
      query: { ...query, ...given.also },
      ...(text === true ? { text: { type, content: String(body) } } : { body }),
      headers: {
        ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
        ...(given.idempotencyKey === undefined ? {} : { 'idempotency-key': given.idempotencyKey }),
      },
      signal: given.signal,
      asText: answersText === true,
    })
  }
  const methods = Object.fromEntries(
    (Object.keys(operations) as OperationName[]).map((name) => [
      name,
      (request?: AnyRequest, given?: CallOptions) => call(name, request, given),
    ]),
  )
  const extras: ClientExtras = {
    transport: wire,
    items: (name, ...given) =>
      itemsOf((query) => {
        const [request, how] = given as [AnyRequest?, CallOptions?]
        return call(name, { ...request, query: { ...request?.query, ...query } }, how)
      }) as AsyncGenerator<ItemOf<typeof name>, void>,
    follow: (wanted) => follow(wire, options, wanted),
  }
  return { ...methods, ...extras } as LockstepClient
}

const filled = (path: string, request: AnyRequest): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(request[name])))

interface Page {
  readonly items: readonly unknown[]
  readonly page: { readonly next: string | null }
}

async function* itemsOf(read: (query: Query) => Promise<Reply<unknown>>): AsyncGenerator<unknown, void> {
  let cursor: string | undefined
  do {
    const { items, page } = (await read({ cursor })).body as Page
    yield* items
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
}

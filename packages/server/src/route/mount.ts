import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { type AuditedCall, type AuditNote, audited } from '../audit/audited.ts'
import type { Room } from '../overload/admission.ts'
import { rankOf } from '../overload/rank.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { partCheck } from '../request/check-part.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import { queryReader } from '../request/query.ts'
import { isFresh } from '../wire/etag.ts'
import { closed, JSON_TYPE } from '../wire/schema.ts'
import { goneSignal } from './gone-signal.ts'
import type { Answer, AnyRoute, ApiContext, Call } from './route.ts'
import { settling } from './settling.ts'
import type { ContextOf } from './tenant-context.ts'

const noQuery = closed({})

/** Puts a route behind `app`'s prefix: checks what it takes, calls it, writes what it answers by its schema. */
export function mount(app: FastifyInstance, contextOf: ContextOf, route: AnyRoute): void {
  const { method, path, query = noQuery, bodyLimit } = route
  const checkParams = route.params === undefined ? undefined : partCheck('path', Type.Object(route.params))
  const readQuery = queryReader(query)
  const checkQuery = partCheck('query', query)
  const readBody = bodyReader(route)
  const rank = rankOf(route)
  const isPaged = Object.hasOwn((query as { readonly properties?: object }).properties ?? {}, 'cursor')
  app.route<{ Params: { id: string } }>({
    method,
    url: path,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(route.stream === true && { exposeHeadRoute: false }), // a body that nobody reads would never end
    config: {
      ...{ permission: route.permission, reach: route.reach, opens: route.opens, operation: route.name },
      accepts: route.bodyText,
    },
    handler: (request, reply) => {
      const { principal } = request
      const context = contextOf(principal.tenant)
      const given = method === 'POST' ? idempotencyKey(request.headers) : undefined
      const key = route.secret ? undefined : given
      if (route.cached) reply.header('cache-control', 'private, no-cache') // by the caller alone, who asks again each time
      checkParams?.(request.params)
      const asked = checkQuery(readQuery(request.query))
      const body = readBody(request.body)
      const gone = (): AbortSignal => goneSignal(reply)
      const begin = ({ rest }: Room): Answer | Promise<Answer> => {
        const call = new AskedCall(request, reply, asked, body, rest) as Keyable
        const execute = (): Answer | Promise<Answer> =>
          recorded(context, route, request, call, () => run(context, route, call))
        if (key === undefined) return execute()
        const keyed = (once: string): Answer | Promise<Answer> => {
          call.once = once
          return execute()
        }
        return onceOnly(context, operationOf(route, principal), key, call, keyed, reply)
      }
      const fresh = route.cached === true ? request.headers['if-none-match'] : undefined
      const finish = (answer: Answer): unknown => {
        if (isPaged) linkNext(request, reply, answer)
        return write(reply, route, answer, fresh)
      }
      // An open stream takes no room from others: only its beginning is work.
      if (route.stream === true) return later(context.admission.run(rank, gone, begin), finish)
      const sent = context.admission.run(rank, gone, (room) => later(begin(room), finish))
      return sent === reply ? undefined : sent
    },
  })
}

/** RFC 8288: the address of the next page of a list. */
function linkNext({ raw: { url = '' } }: FastifyRequest, reply: FastifyReply, { body }: Answer): void {
  const { next } = (body as { readonly page?: { readonly next?: unknown } } | undefined)?.page ?? {}
  if (typeof next !== 'string') return
  const at = url.indexOf('?')
  const query = new URLSearchParams(at === -1 ? '' : url.slice(at))
  query.set('cursor', next)
  reply.header('link', `<${at === -1 ? url : url.slice(0, at)}?${query}>; rel="next"`)
}

const later = <T, R>(value: T | Promise<T>, then: (value: T) => R): R | Promise<R> =>
  value instanceof Promise ? value.then(then) : then(value)

/** A request with a key is answered once; those that repeat it get the same answer. */
async function onceOnly(
  { idempotency, tenant }: ApiContext,
  operation: string,
  key: string,
  { params, query, body, headers }: AnyCall,
  execute: (once: string) => Answer | Promise<Answer>,
  reply: FastifyReply,
): Promise<Answer> {
  const { answer, replayed } = await idempotency.run(
    { tenant, operation, key },
    { params, query, body, ifMatch: headers['if-match'], ifNoneMatch: headers['if-none-match'] },
    async (once) => execute(once),
  )
  if (replayed) reply.header('idempotent-replayed', 'true')
  return answer
}

type AnyCall = Call<TSchema | undefined, TSchema | undefined>
type Keyable = { -readonly [Part in keyof AnyCall]: AnyCall[Part] }

class AskedCall {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly query: unknown
  readonly body: unknown
  readonly rest: Room['rest']
  once: string | undefined
  readonly note: AuditNote = {}

  constructor(request: FastifyRequest, reply: FastifyReply, query: unknown, body: unknown, rest: Room['rest']) {
    this.#request = request
    this.#reply = reply
    this.query = query
    this.body = body
    this.rest = rest
  }

  get params(): unknown {
    return this.#request.params
  }

  get headers(): FastifyRequest['headers'] {
    return this.#request.headers
  }

  get principal(): FastifyRequest['principal'] {
    return this.#request.principal
  }

  get address(): string {
    return this.#request.ip
  }

  /** Whether the caller hung up is only looked at when the operation asks. */
  get gone(): AbortSignal {
    return goneSignal(this.#reply)
  }
}

function write(reply: FastifyReply, route: AnyRoute, answer: Answer, ifNoneMatch: string | undefined): unknown {
  const { status, body, etag, location, type, headers, onSent } = answer
  if (onSent !== undefined) reply.raw.once('close', onSent)
  if (headers !== undefined) reply.headers(headers)
  if (etag !== undefined) reply.header('etag', etag)
  if (location !== undefined) reply.header('location', location)
  if (etag !== undefined && isFresh(etag, ifNoneMatch)) return reply.code(304).send()
  reply.code(status)
  if (status === 204) return reply.send()
  if (type === undefined) return writeJson(reply, route, status, body)
  return reply.type(type).serializer(String).send(body)
}

/** By the schema of the reply, whose code is made when it is first needed: most processes need few of them. */
function writeJson(reply: FastifyReply, { replies, replyTypes }: AnyRoute, status: number, body: unknown): unknown {
  const schema = replies[status]
  if (replyTypes !== undefined || schema === undefined) return body
  return reply
    .type(JSON_TYPE)
    .serializer(reply.compileSerializationSchema(schema as Record<string, unknown>))
    .send(body)
}

/** One key may be used once for each operation by each caller. */
const operationOf = ({ name }: AnyRoute, { kind, id }: FastifyRequest['principal']): string =>
  kind === 'anonymous' ? name : `${name} ${id}`

/** With an entry in the audit log, unless it changes nothing. */
function recorded(
  { access: { kept }, clock }: ApiContext,
  { audit = 'written', method, name, opens, secret }: AnyRoute,
  request: FastifyRequest,
  { note }: AnyCall,
  execute: () => Answer | Promise<Answer>,
): Answer | Promise<Answer> {
  if (kept === undefined || audit === 'never' || method === 'GET') return execute()
  const call: AuditedCall = {
    trail: kept.audit,
    mode: audit,
    operation: name,
    principal: request.principal,
    request,
    at: clock.now(),
    node: kept.nodeName,
    opens: opens === true,
    secret: secret === true,
    note,
  }
  return audited(call, execute)
}

function run(context: ApiContext, route: AnyRoute, call: AnyCall): Answer | Promise<Answer> {
  context.inFlight.begin()
  return settling(
    () => route.handle(context, call),
    () => context.inFlight.end(),
  )
}

function bodyReader(route: AnyRoute): (body: unknown) => unknown {
  if (route.body === undefined) return () => undefined
  const check =
    route.bodyJudge === 'engine' || route.bodyText !== undefined
      ? (body: unknown) => body
      : partCheck('body', route.body)
  return (body) => {
    if (body !== undefined) return check(body)
    if (route.bodyOptional === true) return {}
    const text = `The body is missing: send ${route.bodyText === undefined ? 'JSON' : route.bodyText.join(' or ')}`
    throw new InvalidRequest({ errors: [{ in: 'body', field: '', text }] })
  }
}

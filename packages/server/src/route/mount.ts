import type { FastifyInstance, FastifyReply } from 'fastify'
import Type, { type TSchema } from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'
import { partCheck } from '../request/check-part.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import { queryReader } from '../request/query.ts'
import { isFresh } from '../wire/etag.ts'
import { closed, noContent } from '../wire/schema.ts'
import type { Answer, AnyRoute, ApiContext, Call } from './route.ts'

const noQuery = closed({})

/** Puts a route behind `app`'s prefix: checks what it takes, calls it, writes what it answers by its schema. */
export function mount(app: FastifyInstance, context: ApiContext, route: AnyRoute): void {
  const { method, path, query = noQuery, bodyLimit } = route
  const checkParams = route.params === undefined ? undefined : partCheck('path', Type.Object(route.params))
  const readQuery = queryReader(query)
  const checkQuery = partCheck('query', query)
  const readBody = bodyReader(route)
  app.route<{ Params: { id: string } }>({
    method,
    url: path,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { response: writtenReplies(route) },
    handler: async (request, reply) => {
      const given = method === 'POST' ? idempotencyKey(request.headers) : undefined
      const key = route.secret ? undefined : given
      if (route.secret) reply.header('cache-control', 'no-store').header('referrer-policy', 'no-referrer')
      checkParams?.(request.params)
      const call = {
        params: request.params,
        query: checkQuery(readQuery(request.query)),
        body: readBody(request.body),
        headers: request.headers,
        get gone() {
          return goneSignal(reply)
        },
      } as Call<TSchema | undefined, TSchema | undefined>
      const execute = (): Promise<Answer> => run(context, route, call)
      if (key === undefined)
        return write(reply, await execute(), route.cached === true ? request.headers['if-none-match'] : undefined)
      const { answer, replayed } = await context.idempotency.run(
        { tenant: context.tenant, operation: route.name, key },
        { params: call.params, query: call.query, body: call.body },
        execute,
      )
      if (replayed) reply.header('idempotent-replayed', 'true')
      return write(reply, answer, undefined)
    },
  })
}

function goneSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}

/** Text is written as it is: a schema would turn it into JSON. */
function writtenReplies({ replies, replyTypes }: AnyRoute): Readonly<Record<number, TSchema>> {
  if (replyTypes !== undefined) return {}
  return Object.fromEntries(Object.entries(replies).filter(([, schema]) => schema !== noContent))
}

function write(reply: FastifyReply, answer: Answer, ifNoneMatch: string | undefined): unknown {
  const { status, body, etag, location, type } = answer
  if (etag !== undefined) reply.header('etag', etag)
  if (location !== undefined) reply.header('location', location)
  if (etag !== undefined && isFresh(etag, ifNoneMatch)) return reply.code(304).send()
  reply.code(status)
  if (status === 204) return reply.send()
  if (type === undefined) return body
  return reply.type(type).serializer(String).send(body)
}

async function run(
  context: ApiContext,
  route: AnyRoute,
  call: Call<TSchema | undefined, TSchema | undefined>,
): Promise<Answer> {
  context.inFlight.begin()
  try {
    return await route.handle(context, call)
  } finally {
    context.inFlight.end()
  }
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

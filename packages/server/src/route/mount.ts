import type { FastifyInstance } from 'fastify'
import type { TSchema } from 'typebox'
import { InvalidRequest } from '../problem/request-errors.ts'
import { partCheck } from '../request/check-part.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import { queryReader } from '../request/query.ts'
import { closed } from '../wire/schema.ts'
import type { Answer, AnyRoute, ApiContext, Call } from './route.ts'

const noQuery = closed({})

/** Puts a route behind `app`'s prefix: checks what it takes, calls it, writes what it answers by its schema. */
export function mount(app: FastifyInstance, context: ApiContext, route: AnyRoute): void {
  const { method, path, query = noQuery, replies, bodyLimit } = route
  const readQuery = queryReader(query)
  const checkQuery = partCheck('query', query)
  const readBody = bodyReader(route)
  app.route<{ Params: { id: string } }>({
    method,
    url: path,
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    schema: { response: replies },
    handler: async (request, reply) => {
      if (method === 'POST') idempotencyKey(request.headers)
      const call = {
        params: request.params,
        query: checkQuery(readQuery(request.query)),
        body: readBody(request.body),
        headers: request.headers,
      }
      const answer = await run(context, route, call as Call<TSchema | undefined, TSchema | undefined>)
      reply.code(answer.status)
      if (answer.etag !== undefined) reply.header('etag', answer.etag)
      if (answer.location !== undefined) reply.header('location', answer.location)
      return answer.body
    },
  })
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
  const check = route.bodyJudge === 'engine' ? (body: unknown) => body : partCheck('body', route.body)
  return (body) => {
    if (body !== undefined) return check(body)
    if (route.bodyOptional === true) return {}
    throw new InvalidRequest({ errors: [{ in: 'body', field: '', text: 'The body is missing: send JSON' }] })
  }
}

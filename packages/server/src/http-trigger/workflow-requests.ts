/**
 * Requests that start workflows, under `/workflows`. Whose path it is is looked up before a body is read: a stranger cannot make us
 * read one. What the workflow answers is its author's; what goes wrong before is a problem like any other.
 */
import { type Json, toWireId } from '@lockstep/base'
import type { FoundEndpoint, HttpAnswer } from '@lockstep/engine'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Room } from '../overload/admission.ts'
import { pathOf } from '../problem/problem-replies.ts'
import { BodyTooLarge, MethodNotAllowed, RouteNotFound, ShuttingDown } from '../problem/request-errors.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import { checkSound } from '../request/sound-json.ts'
import { goneSignal } from '../route/gone-signal.ts'
import type { ApiContext } from '../route/route.ts'
import { bodyBytes, readWorkflowBodies } from './request-body.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
/** They are about the connection, which is ours. */
const OF_CONNECTION = new Set([
  ...['connection', 'content-length', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'date'],
])

export function workflowRequests(app: FastifyInstance, context: ApiContext, prefix: string): void {
  const endpoints = new WeakMap<FastifyRequest, FoundEndpoint>()
  readWorkflowBodies(app)
  app.addHook('onRequest', async (request) => {
    if (context.waits.closed) throw new ShuttingDown({})
    const endpoint = await find(context, request, prefix)
    const declared = Number(request.headers['content-length'] ?? 0)
    if (declared > endpoint.maxBytes) throw new BodyTooLarge({ limit: endpoint.maxBytes })
    endpoints.set(request, endpoint)
  })
  app.route({
    method: METHODS,
    url: '/*',
    config: { permission: 'public' },
    handler: async (request, reply) => {
      return context.admission.run(
        'start',
        () => goneSignal(reply),
        async (room) => {
          context.inFlight.begin()
          try {
            return await answer(context, room, endpoints.get(request)!, request, reply)
          } finally {
            context.inFlight.end()
          }
        },
      )
    },
  })
}

async function find({ engine, tenant }: ApiContext, request: FastifyRequest, prefix: string): Promise<FoundEndpoint> {
  const { method, url } = request
  const path = url.split('?', 1)[0]!.slice(prefix.length)
  const found = await engine.http.find(method, path, tenant)
  if (found.kind === 'found') return found.endpoint
  if (found.kind === 'not-found') throw new RouteNotFound({ method, path: pathOf(url) })
  throw new MethodNotAllowed({ method, path: pathOf(url), allow: [...found.methods] })
}

async function answer(
  { engine, waits, root }: ApiContext,
  room: Room,
  endpoint: FoundEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (bodyBytes(request) > endpoint.maxBytes) throw new BodyTooLarge({ limit: endpoint.maxBytes })
  const { method, headers } = request
  const query = { ...(request.query as Record<string, Json>) }
  checkSound(JSON.stringify(query), query)
  const { instanceId } = await engine.http.start(endpoint, {
    ...{ method, query, headers, body: (request.body ?? null) as Json, key: idempotencyKey(headers) },
  })
  const id = toWireId('instance', instanceId)
  reply.header('location', `${root}/workflow-instances/${id}`)
  if (endpoint.mode === 'async') return reply.code(202).send({ instanceId: id, status: 'started' })
  const outcome = await room.rest(() => waits.within((signal) => engine.http.answer(endpoint, instanceId, signal)))
  if (outcome.kind === 'answered') return write(reply, outcome.answer)
  return reply.code(202).send({ instanceId: id, status: outcome.status })
}

/** Nothing that a workflow answers runs in a browser with our origin's rights. */
function write(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  reply.code(status).header('content-security-policy', 'sandbox').header('x-content-type-options', 'nosniff')
  for (const [name, value] of Object.entries(headers))
    if (!OF_CONNECTION.has(name.toLowerCase())) reply.header(name, value)
  if (body === null) return reply.send()
  if (typeof body === 'string' && reply.hasHeader('content-type')) return reply.send(body)
  return reply.type('application/json; charset=utf-8').serializer(String).send(JSON.stringify(body))
}

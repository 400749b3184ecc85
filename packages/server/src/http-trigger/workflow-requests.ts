/**
 * Requests that start workflows, under `/workflows`. Whose path it is is looked up before a body is read: a stranger cannot make us
 * read one. Who comes with credentials reaches the workflows of their tenant, all others those of the default one. What the workflow
 * answers is its author's; what goes wrong before is a problem like any other.
 */
import { type Json, toWireId } from '@lockstep/base'
import { type FoundEndpoint, type HttpAnswer, isReservedHeader } from '@lockstep/engine'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type AuditedCall, audited, tell } from '../audit/audited.ts'
import { Forbidden, Unauthenticated } from '../auth/errors.ts'
import { may, nobody } from '../auth/principal.ts'
import type { Room } from '../overload/admission.ts'
import { pathOf } from '../problem/problem-replies.ts'
import { BodyTooLarge, MethodNotAllowed, RouteNotFound, ShuttingDown } from '../problem/request-errors.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import type { JsonLimits } from '../request/sound-json.ts'
import type { Answer } from '../route/answer.ts'
import { goneSignal } from '../route/gone-signal.ts'
import type { ApiContext } from '../route/route.ts'
import { keyedRequest, OPERATION } from './keyed-request.ts'
import { ACCEPTED, bodyBytes, readWorkflowBodies } from './request-body.ts'
import { requestQuery } from './request-query.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']
const PERMISSION = 'instances:start'
/** What an author may call JSON: `application/problem+json` as well. */
const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json\b/i
/** They are about the connection, which is ours. */
const OF_CONNECTION = new Set([
  ...['connection', 'content-length', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade', 'date'],
])

export function workflowRequests(app: FastifyInstance, context: ApiContext, prefix: string, limits: JsonLimits): void {
  const endpoints = new WeakMap<FastifyRequest, FoundEndpoint>()
  readWorkflowBodies(app, limits)
  app.addHook('onRequest', async (request) => {
    if (context.waits.closed) throw new ShuttingDown({})
    const endpoint = await find(context, request, prefix)
    if (endpoint.auth === 'required') requirePermission(context, endpoint, request)
    const declared = Number(request.headers['content-length'] ?? 0)
    if (declared > endpoint.maxBytes) throw new BodyTooLarge({ limit: endpoint.maxBytes })
    endpoints.set(request, endpoint)
  })
  app.route({
    method: METHODS,
    url: '/*',
    config: { permission: 'as-published', visitors: 'asked', accepts: ACCEPTED },
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

async function find({ engine }: ApiContext, request: FastifyRequest, prefix: string): Promise<FoundEndpoint> {
  const { method, url, principal } = request
  const path = url.split('?', 1)[0]!.slice(prefix.length)
  const found = await engine.http.find(method, path, principal.tenant)
  if (found.kind === 'found') return found.endpoint
  if (found.kind === 'not-found') throw new RouteNotFound({ method, path: pathOf(url) })
  throw new MethodNotAllowed({ method, path: pathOf(url), allow: [...found.methods] })
}

function requirePermission(context: ApiContext, endpoint: FoundEndpoint, request: FastifyRequest): void {
  const { principal } = request
  if (may(principal, PERMISSION)) return
  if (principal === nobody) throw new Unauthenticated({})
  const call = auditedCall(context, endpoint, request)
  if (call !== undefined) void tell(call, 'FORBIDDEN', 403)
  throw new Forbidden({ who: principal.name, permission: `permission ${PERMISSION}` })
}

async function answer(
  context: ApiContext,
  room: Room,
  endpoint: FoundEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { engine, waits, root } = context
  if (bodyBytes(request) > endpoint.maxBytes) throw new BodyTooLarge({ limit: endpoint.maxBytes })
  const { instanceId, replayed } = await start(context, endpoint, request)
  if (replayed) reply.header('idempotent-replayed', 'true')
  const id = toWireId('instance', instanceId)
  reply.header('location', `${root}/workflow-instances/${id}`)
  if (endpoint.mode === 'async') return reply.code(202).send({ instanceId: id, status: 'started' })
  const outcome = await room.rest(() => waits.within((signal) => engine.http.answer(endpoint, instanceId, signal)))
  if (outcome.kind === 'answered') return write(reply, outcome.answer)
  return reply.code(202).send({ instanceId: id, status: outcome.status })
}

interface Started {
  readonly instanceId: string
  readonly replayed: boolean
}

/** What is kept under an idempotency key is which instance it was: who repeats the request waits for its answer like the first one. */
async function start(context: ApiContext, endpoint: FoundEndpoint, request: FastifyRequest): Promise<Started> {
  const { engine, idempotency, root } = context
  const { method, headers, principal } = request
  const query = requestQuery(request)
  const body = (request.body ?? null) as Json
  const key = idempotencyKey(headers)
  const begin = async (once?: string): Promise<Answer> => {
    const { instanceId } = await engine.http.start(endpoint, { method, query, headers, body, key: once })
    const location = `${root}/workflow-instances/${toWireId('instance', instanceId)}`
    return { status: 202, body: { instanceId }, location }
  }
  const call = auditedCall(context, endpoint, request)
  const execute = async (once?: string): Promise<Answer> =>
    call === undefined ? begin(once) : audited(call, () => begin(once))
  const { operation, said } = keyedRequest(endpoint, principal, { method, query, headers, body })
  const { answer, replayed } =
    key === undefined
      ? { answer: await execute(), replayed: false }
      : await idempotency.run({ tenant: endpoint.tenant, operation, key }, said, execute)
  return { ...(answer.body as { readonly instanceId: string }), replayed }
}

/** `undefined`: nothing is audited here. */
function auditedCall(
  { access: { kept }, clock }: ApiContext,
  { definitionId }: FoundEndpoint,
  request: FastifyRequest,
): AuditedCall | undefined {
  if (kept === undefined) return undefined
  const { audit: trail, nodeName: node } = kept
  const { principal } = request
  const what = {
    operation: OPERATION,
    note: { target: definitionId },
    opens: false,
    secret: true,
    mode: 'behind',
  } as const
  return { trail, node, principal, request, at: clock.now(), ...what }
}

/** Nothing that a workflow answers runs in a browser with our origin's rights. */
function write(reply: FastifyReply, { status, headers, body }: HttpAnswer): FastifyReply {
  reply.code(status)
  for (const [name, value] of Object.entries(headers))
    if (!OF_CONNECTION.has(name.toLowerCase()) && !isReservedHeader(name)) reply.header(name, value)
  reply.header('content-security-policy', 'sandbox').header('x-content-type-options', 'nosniff')
  if (body === null) return reply.send()
  if (typeof body === 'string' && reply.hasHeader('content-type')) return reply.send(body)
  const type = String(reply.getHeader('content-type') ?? '')
  if (!JSON_TYPE.test(type)) reply.type('application/json; charset=utf-8')
  return reply.serializer(String).send(JSON.stringify(body))
}

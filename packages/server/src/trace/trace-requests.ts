import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { RequestSpan, RequestTracer } from './request-tracer.ts'

const spans = new WeakMap<FastifyRequest, RequestSpan>()

/** `undefined`: nobody traces, or not this one. */
export const traceIdOf = (request: FastifyRequest): string | undefined => spans.get(request)?.traceId

/** Before the routes of a scope. Where nobody traces there is no hook. */
export function traceRequests(app: FastifyInstance, tracer: RequestTracer | undefined): void {
  if (tracer === undefined) return
  app.addHook('onRequest', (request, _reply, done) => {
    const { traceparent } = request.headers
    const route = request.routeOptions.url ?? request.url.replace(/\?.*$/s, '')
    const given = typeof traceparent === 'string' ? traceparent : undefined
    spans.set(request, tracer.begin({ method: request.method, route, traceparent: given }))
    done()
  })
  // Not before: what was current is forgotten while the body comes in.
  app.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request)
    if (span === undefined) done()
    else span.within(() => done())
  })
  app.addHook('onResponse', (request, reply, done) => {
    spans.get(request)?.end(reply.statusCode)
    done()
  })
}

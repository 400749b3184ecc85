import type { Socket } from 'node:net'
import { errorCode, errorMessage, type Logger } from '@lockstep/base'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { traceIdOf } from '../trace/trace-requests.ts'
import { fromFramework } from './from-framework.ts'
import { BadRequest, HeadersTooLarge, RequestTimeout } from './request-errors.ts'
import { type Problem, toProblem } from './to-problem.ts'

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'
const RETRY_AFTER_S = '1'

export interface ProblemSite {
  readonly logger: Logger
  /** In front of the pages that types lead to. */
  readonly basePath: string
}

/** Every error becomes a problem. Those of our own making are logged with all they say; the answer keeps it to itself. */
export function answerWithProblems(app: FastifyInstance, site: ProblemSite): void {
  app.setErrorHandler((error, request, reply) => {
    const { bodyLimit = 0, config } = request.routeOptions
    const asked = { contentType: request.headers['content-type'], bodyLimit, accepts: config?.accepts }
    return sendProblem(reply, fromFramework(error, asked), request, site)
  })
}

/** For paths that cannot even be routed. */
export const frameworkErrors =
  (site: ProblemSite) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): void => {
    sendProblem(reply, fromFramework(error, { contentType: undefined, bodyLimit: 0 }), request, site)
  }

function sendProblem(
  reply: FastifyReply,
  error: unknown,
  request: FastifyRequest,
  { logger, basePath }: ProblemSite,
): FastifyReply {
  const found = toProblem(error)
  const { id: requestId } = request
  // Who asks for support names the request; the same stands in the log.
  const instance = `${basePath}/api/v1/requests/${encodeURIComponent(requestId)}`
  const traceId = traceIdOf(request)
  const type = `${basePath}${found.type}`
  const problem: Problem = { ...found, type, instance, requestId, ...(traceId === undefined ? {} : { traceId }) }
  if (problem.status >= 500) logFailure(logger, problem, error, request)
  const retryAfter = retryAfterOf(problem)
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter)
  if (problem.status === 401) reply.header('www-authenticate', 'Bearer')
  if (Array.isArray(problem.allow)) reply.header('allow', problem.allow.join(', '))
  // As text: the route's schemas describe its answers, and would drop what only problems have.
  return reply.code(problem.status).type(PROBLEM_TYPE).serializer(String).send(JSON.stringify(problem))
}

/** In whole seconds, rounded up: who comes back then is not too early. */
function retryAfterOf({ status, code, retryAfterMs }: Problem): string | undefined {
  if (typeof retryAfterMs === 'number') return String(Math.max(1, Math.ceil(retryAfterMs / 1_000)))
  return status === 503 || code === 'IDEMPOTENCY_IN_PROGRESS' ? RETRY_AFTER_S : undefined
}

function logFailure(logger: Logger, problem: Problem, error: unknown, request: FastifyRequest): void {
  const fields = {
    requestId: request.id,
    method: request.method,
    path: pathOf(request.url),
    code: errorCode(error),
    reason: errorMessage(error),
  }
  if (problem.status === 503) logger.warn('request put off', fields)
  else logger.error('request failed', { ...fields, stack: error instanceof Error ? error.stack : undefined })
}

/** However its prefix is written: any character of a path may be escaped. */
const TOKEN = /(?:r|%72)(?:t|%74)(?:_|%5f)(?:[A-Za-z0-9_-]|%[0-9a-f]{2}){20,}/gi

/** Tokens are secrets: logs and answers do not repeat them. */
export const pathOf = (url: string): string => url.split('?', 1)[0]!.replace(TOKEN, 'rt_…').slice(0, 200)

/** For bytes that are no request at all: there is nothing to reply through but the socket. */
export function answerBrokenClient(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy(error)
    return
  }
  const problem = toProblem(brokenClientError(error.code))
  const body = JSON.stringify(problem)
  const head = `HTTP/1.1 ${problem.status} Refused\r\ncontent-type: ${PROBLEM_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n`
  socket.end(head + body)
}

function brokenClientError(code: string | undefined): Error {
  if (code === 'HPE_HEADER_OVERFLOW') return new HeadersTooLarge({})
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new RequestTimeout({})
  return new BadRequest({ reason: 'it is not HTTP/1.1' })
}

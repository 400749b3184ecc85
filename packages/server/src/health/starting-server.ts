/**
 * Answers while a node comes up: that the process lives, what it waits for, and to everybody else when to come back. It gives the port
 * up for the server that has everything; whoever connects within that moment is refused, as before the start.
 */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errorCode, errorMessage } from '@lockstep/base'
import { CannotListen, PortInUse } from '../errors.ts'
import { PROBLEM_TYPE } from '../problem/problem-replies.ts'
import { NodeStarting } from '../problem/request-errors.ts'
import { toProblem } from '../problem/to-problem.ts'

export interface StartingOptions {
  readonly host: string
  readonly port: number
  readonly basePath: string
  /** What is being done at the moment. */
  readonly stage: () => string
}

export interface StartingServer {
  readonly port: number
  /** Repeating it is harmless. */
  close(): Promise<void>
}

/** A request that is not there by then is none that asks for health. */
const ARRIVAL_MS = 5_000
const JSON_TYPE = 'application/json; charset=utf-8'

export async function openStartingServer({ host, port, basePath, stage }: StartingOptions): Promise<StartingServer> {
  const timeouts = { requestTimeout: ARRIVAL_MS, headersTimeout: ARRIVAL_MS }
  const server = createServer(timeouts, (request, response) => {
    const { status, type, body } = answerTo((request.url ?? '').split('?', 1)[0]!.slice(basePath.length), stage())
    const later = status === 503 ? { 'retry-after': '1' } : {}
    response.writeHead(status, {
      'content-type': type,
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      connection: 'close',
      ...later,
    })
    response.end(JSON.stringify(body))
    request.resume()
  })
  await listen(server, host, port)
  let closed: Promise<void> | undefined
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      closed ??= new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      return closed
    },
  }
}

function answerTo(path: string, reason: string): { status: number; type: string; body: object } {
  if (path === '/health/live') return { status: 200, type: JSON_TYPE, body: { status: 'live' } }
  const checks = [{ name: 'node', ok: false, reason }]
  if (path === '/health/startup') return { status: 503, type: JSON_TYPE, body: { status: 'starting', checks } }
  if (path === '/health/ready') return { status: 503, type: JSON_TYPE, body: { status: 'not-ready', checks } }
  return { status: 503, type: PROBLEM_TYPE, body: toProblem(new NodeStarting({})) }
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen({ host, port }, resolve)
    })
  } catch (cause) {
    if (errorCode(cause) === 'EADDRINUSE') throw new PortInUse({ host, port }, { cause })
    throw new CannotListen({ host, port, reason: errorMessage(cause) }, { cause })
  }
}

/**
 * A balancer for one machine: every request goes to the next node, whoever sent it. What a node has not begun is sent to
 * another one: when it refuses the connection, and when it says that it is shutting down. A request whose connection
 * broke before an answer came may have been carried out; it is repeated only where that is harmless, which is so for
 * every method but POST and for a POST with an Idempotency-Key. What a frozen node sits on is given to another one where
 * both may then do it: a read, and a POST with a key. A PUT that it carries out late would undo what came after it.
 * A node that was only slow may still be at it; the others then say so, and are asked again until there is an answer.
 */
import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
  request as send,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { type Clock, errorCode, errorMessage, sleep } from '@lockstep/base'
import { CannotListen, PortInUse } from '@lockstep/server'
import { ReadyWatch } from './ready-watch.ts'
import { Unanswered } from './unanswered.ts'

export interface FrontOptions {
  readonly host: string
  readonly port: number
  /** Addresses of the nodes as they are now. */
  readonly nodes: () => readonly string[]
  readonly clock: Clock
}

export interface Front {
  readonly url: string
  /** Which nodes are sent requests at this moment. */
  isReady(url: string): boolean
  close(): Promise<void>
}

/** `under-way`: another node is at this very request, by its key. */
type Attempt = 'answered' | 'not-begun' | 'lost' | 'under-way'

const ASK_AGAIN_MS = 250
/** What a node that is gone has begun counts as under way for about as long. */
const LONGEST_UNDER_WAY_MS = 100_000

/** They are about the connection, of which there are two. */
const OF_CONNECTION = ['connection', 'keep-alive', 'transfer-encoding', 'upgrade', 'te', 'trailer', 'proxy-connection']

export async function openFront({ host, port, nodes, clock }: FrontOptions): Promise<Front> {
  const unanswered = new Unanswered()
  const watch = new ReadyWatch(nodes, clock, (silent) => {
    if (nodes().some((each) => watch.isReady(each))) unanswered.takeBack(silent)
  })
  let turn = 0
  /** The ready ones in turn, then the others: a node may be better than its reputation. */
  const order = (): readonly string[] => {
    const all = nodes()
    turn += 1
    const rotated = all.map((_, index) => all[(index + turn) % all.length]!)
    return [...rotated.filter((each) => watch.isReady(each)), ...rotated.filter((each) => !watch.isReady(each))]
  }
  const server = createServer((request, response) => {
    forward(request, response, order, unanswered, clock).catch(() => response.destroy())
  })
  await listen(server, host, port)
  watch.run()
  const shown = host.includes(':') ? `[${host}]` : host
  return {
    url: `http://${shown}:${(server.address() as AddressInfo).port}`,
    isReady: (url) => watch.isReady(url),
    close: async () => {
      watch.close()
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await closed
    },
  }
}

async function forward(
  request: IncomingMessage,
  response: ServerResponse,
  order: () => readonly string[],
  unanswered: Unanswered,
  clock: Clock,
): Promise<void> {
  // Kept whole, so that it can be sent again; nodes take no bodies that would be too much for that.
  const body = await buffer(request)
  const { method = 'GET' } = request
  const hasKey = method === 'POST' && request.headers['idempotency-key'] !== undefined
  const canRepeat = method !== 'POST' || hasKey
  const canTakeBack = method === 'GET' || method === 'HEAD' || hasKey
  const giveUpAt = clock.monotonic() + LONGEST_UNDER_WAY_MS
  let wasLost = false
  for (const nodes = [...order()]; nodes.length > 0; ) {
    const node = nodes.shift()!
    const onGiven = (takeBack: () => void): (() => void) =>
      canTakeBack ? unanswered.add(node, takeBack) : () => undefined
    const mayWait = wasLost && clock.monotonic() < giveUpAt
    const attempt = await tryNode(new URL(node), request, body, response, onGiven, mayWait)
    if (attempt === 'answered' || response.destroyed) return
    if (attempt === 'lost' && !canRepeat) return refuse(response, 502, 'NODE_LOST', 'The node ended before it answered')
    if (attempt === 'lost') wasLost = true
    if (attempt !== 'under-way') continue
    await sleep(clock, ASK_AGAIN_MS)
    nodes.splice(0, nodes.length, ...order())
  }
  refuse(response, 503, 'NO_NODE_ANSWERS', 'No node of the cluster takes requests')
}

/** `onGiven` hears how to take the request back, and answers with what is to be called when that is too late. */
function tryNode(
  node: URL,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  onGiven: (takeBack: () => void) => () => void,
  mayWait: boolean,
): Promise<Attempt> {
  return new Promise((resolve) => {
    const headers: OutgoingHttpHeaders = { ...request.headers }
    for (const name of OF_CONNECTION) delete headers[name]
    // It came in pieces perhaps; it goes out whole.
    if (body.length > 0) headers['content-length'] = String(body.length)
    const onward = send(
      {
        host: node.hostname.replace(/^\[|\]$/g, ''),
        port: node.port,
        method: request.method,
        path: request.url,
        headers,
        agent: false, // a kept connection may be one that the node is closing
      },
      (answer) => {
        answered()
        passOn(answer, response, mayWait).then(resolve, () => resolve('lost'))
      },
    )
    const hangUp = (): void => void onward.destroy()
    const answered = onGiven(hangUp)
    response.once('close', hangUp)
    onward.once('close', () => {
      answered()
      response.off('close', hangUp)
    })
    onward.once('error', (error) => resolve(errorCode(error) === 'ECONNREFUSED' ? 'not-begun' : 'lost'))
    onward.end(body)
  })
}

async function passOn(answer: IncomingMessage, response: ServerResponse, mayWait: boolean): Promise<Attempt> {
  const status = answer.statusCode ?? 502
  const headers = { ...answer.headers }
  for (const name of OF_CONNECTION) delete headers[name]
  if (status === 503 || (status === 409 && mayWait)) {
    const body = await buffer(answer)
    if (status === 503 && body.includes('"SHUTTING_DOWN"')) return 'not-begun'
    if (status === 409 && body.includes('"IDEMPOTENCY_IN_PROGRESS"')) return 'under-way'
    response.writeHead(status, headers).end(body)
    return 'answered'
  }
  response.writeHead(status, headers)
  response.flushHeaders()
  // A client must see that what it has is not all.
  answer.once('error', () => response.destroy())
  answer.pipe(response)
  return 'answered'
}

function refuse(response: ServerResponse, status: number, code: string, detail: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'content-type': 'application/problem+json; charset=utf-8', 'retry-after': '1' })
  response.end(JSON.stringify({ type: 'about:blank', title: detail, status, detail, code, retryable: true }))
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        errorCode(cause) === 'EADDRINUSE'
          ? new PortInUse({ host, port }, { cause })
          : new CannotListen({ host, port, reason: errorMessage(cause) }, { cause }),
      ),
    )
    server.listen({ host, port }, resolve)
  })
}

import type { Random } from '@lockstep/base'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { RouteNotFound } from '../problem/request-errors.ts'
import { readStudioFiles, type StudioFile } from './studio-files.ts'
import { contentPolicy, studioPage } from './studio-page.ts'

export interface StudioOptions {
  /** The built files. */
  readonly folder: string
  /** Path before everything, without a slash at its end. */
  readonly basePath: string
  readonly random: Random
}

/** First parts of the addresses of pages. Whatever lies behind them is the browser's matter. */
export const STUDIO_PAGES: readonly string[] = [
  'instances',
  'definitions',
  'incidents',
  'schedules',
  'cluster',
  'locks',
  'batches',
  'queues',
  'breakers',
  'insights',
  'audit',
  'settings',
]

/** The application itself is no secret: everything that it shows comes through the API. */
const open = { config: { permission: 'public' } } as const

/** Serves Studio beside the API: every page is the same file, which finds out where it is. */
export function studioRoutes(app: FastifyInstance, { folder, basePath, random }: StudioOptions): void {
  const files = readStudioFiles(folder)
  const page = files.get('index.html')?.body.toString('utf8')
  if (page === undefined) return
  const sendPage = (_request: unknown, reply: FastifyReply) => {
    const nonce = Buffer.from(random.bytes(16)).toString('base64url')
    return secured(reply, nonce)
      .type('text/html; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(studioPage(page, basePath, nonce))
  }
  app.get('/', open, sendPage)
  for (const name of STUDIO_PAGES) {
    app.get(`/${name}`, open, sendPage)
    app.get(`/${name}/*`, open, sendPage)
  }
  for (const name of files.keys()) {
    if (name.includes('/') || name === 'index.html') continue
    app.get(`/${name}`, open, (request, reply) => sendFile(request, reply, files.get(name)!))
  }
  app.get<{ Params: { '*': string } }>('/assets/*', open, (request, reply) => {
    const file = files.get(`assets/${request.params['*']}`)
    if (file === undefined) throw new RouteNotFound({ method: 'GET', path: '/assets/…' })
    return sendFile(request, reply, file)
  })
}

function sendFile({ headers }: FastifyRequest, reply: FastifyReply, file: StudioFile) {
  const { type, body, lasting } = file
  secured(reply, 'none')
    .type(type)
    .header('cache-control', lasting ? 'public, max-age=31536000, immutable' : 'no-cache')
    .header('vary', 'accept-encoding')
  if (!/\bgzip\b/.test(headers['accept-encoding'] ?? '')) return reply.send(body)
  return reply.header('content-encoding', 'gzip').send(file.zipped())
}

const secured = (reply: FastifyReply, nonce: string) =>
  reply
    .header('content-security-policy', contentPolicy(nonce))
    .header('x-content-type-options', 'nosniff')
    .header('referrer-policy', 'no-referrer')
    .header('cross-origin-opener-policy', 'same-origin')

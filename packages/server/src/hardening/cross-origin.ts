import cors from '@fastify/cors'
import type { FastifyInstance } from 'fastify'

const EXPOSED = [
  'date',
  'etag',
  'link',
  'location',
  'retry-after',
  'idempotent-replayed',
  'www-authenticate',
  'x-request-id',
]
const PREFLIGHT_S = 600

/** Pages of the origins that were named may use this server, cookies included; no other origin is ever told that it may. */
export async function allowOrigins(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return
  await app.register(cors, {
    origin: [...origins],
    credentials: true,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: EXPOSED,
    maxAge: PREFLIGHT_S,
  })
}

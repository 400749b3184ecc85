import { errorCode, errorMessage } from '@lockstep/base'
import Fastify, { type FastifyInstance } from 'fastify'
import { CannotListen, PortInUse } from './errors.ts'
import type { HealthSource } from './health/health.ts'
import { healthRoutes } from './health/health-routes.ts'

export interface HttpServerOptions {
  readonly host: string
  readonly port: number
  /** Path before every route, without a slash at its end. */
  readonly basePath: string
  readonly health: HealthSource
}

export interface HttpServer {
  readonly url: string
  close(): Promise<void>
}

/** Listens, or fails with a sentence that names the address. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const app = Fastify({ logger: false, forceCloseConnections: true })
  await app.register(async (scope) => healthRoutes(scope, options.health), { prefix: options.basePath })
  await listen(app, options)
  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : options.port
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return { url: `http://${host}:${port}${options.basePath}`, close: () => app.close() }
}

async function listen(app: FastifyInstance, { host, port }: HttpServerOptions): Promise<void> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    await app.close()
    if (errorCode(cause) === 'EADDRINUSE') throw new PortInUse({ host, port }, { cause })
    throw new CannotListen({ host, port, reason: errorMessage(cause) }, { cause })
  }
}

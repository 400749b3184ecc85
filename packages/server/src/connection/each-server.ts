import type { Server } from 'node:http'
import type { FastifyInstance } from 'fastify'

/** Under it, Fastify keeps the servers that it opens besides its own, and shows their addresses alone. */
const BINDINGS = 'Symbol(fastify.serverBindings)'

/** What is done to the server of `app` is done to those too that it opens for the other addresses of a name: `localhost` has two on most machines. */
export function eachServer(app: FastifyInstance, tend: (server: Server) => void): void {
  tend(app.server)
  app.addHook('onListen', async () => {
    const key = Object.getOwnPropertySymbols(app).find((each) => String(each) === BINDINGS)
    const others = key && (app as unknown as Readonly<Record<symbol, readonly Server[]>>)[key]
    for (const server of others ?? []) tend(server)
  })
}

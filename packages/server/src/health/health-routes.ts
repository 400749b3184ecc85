import type { FastifyInstance } from 'fastify'
import type { HealthSource } from './health.ts'

/** `/health/live`: the process turns. `/health/startup`: it has come up. `/health/ready`: it may be sent work now. */
export function healthRoutes(app: FastifyInstance, health: HealthSource): void {
  app.get('/health/live', () => ({ status: 'live' }))

  app.get('/health/startup', (_request, reply) => {
    const started = health.started()
    return reply.code(started ? 200 : 503).send({ status: started ? 'started' : 'starting' })
  })

  app.get('/health/ready', async (_request, reply) => {
    const checks = await health.ready()
    const ready = checks.every((check) => check.ok)
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not-ready', checks })
  })
}

import type { FastifyInstance } from 'fastify'
import type { HealthSource } from './health.ts'

const open = { config: { permission: 'public' } } as const

/** `/health/live`: the process turns. `/health/startup`: it has come up. `/health/ready`: it may be sent work now. */
export function healthRoutes(app: FastifyInstance, health: HealthSource): void {
  app.get('/health/live', open, () => ({ status: 'live' }))

  app.get('/health/startup', open, (_request, reply) => {
    const started = health.started()
    if (started) return { status: 'started' }
    const checks = [{ name: 'node', ok: false, reason: 'the node has not come up yet' }]
    return reply.code(503).send({ status: 'starting', checks })
  })

  app.get('/health/ready', open, async (_request, reply) => {
    const checks = await health.ready()
    const ready = checks.every(({ ok, degraded }) => ok || degraded === true)
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'ready' : 'not-ready', checks })
  })
}

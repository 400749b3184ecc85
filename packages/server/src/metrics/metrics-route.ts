import type { FastifyInstance } from 'fastify'

export interface MetricsText {
  readonly contentType: string
  metrics(): Promise<string>
}

/** `/metrics`, in the text form that Prometheus reads. */
export function metricsRoute(app: FastifyInstance, registry: MetricsText): void {
  app.get('/metrics', { config: { permission: 'cluster:read', reach: 'cluster' } }, async (_request, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(registry.contentType)
      .send(await registry.metrics()),
  )
}

import { errorMessage } from '@lockstep/base'
import { postgresBrowse, postgresIdempotency, postgresMetrics } from '@lockstep/postgres'
import { type HealthCheck, MetricsHistory, MetricsReadings, NodeMetrics, openHttpServer } from '@lockstep/server'
import { openAccess } from './open-access.ts'
import type { Edge } from './open-database.ts'
import { openMetrics } from './open-metrics.ts'
import { type OpenNode, openNode, type Programs } from './open-node.ts'
import type { NodeOptions } from './options/node-options.ts'
import { requireSafeStart } from './options/require-safe-start.ts'
import { Samples } from './samples/samples.ts'
import { studioFolder } from './studio-folder.ts'

/** A node that runs and listens: its address, and the way to end it. */
export interface RunningNode {
  readonly url: string
  stop(): Promise<void>
}

/** Brings one node up: store, engine, then HTTP. */
export async function startNode(
  options: NodeOptions,
  edge: Edge,
  programs: Programs = { workflows: [], activities: [], jobs: [] },
): Promise<RunningNode> {
  requireSafeStart(options)
  const metrics = new NodeMetrics(edge.clock)
  const node = await openNode(options, edge, programs, metrics)
  const roundTrips = openMetrics(metrics, node, edge)
  const history = new MetricsHistory(metrics.registry, edge.clock)
  history.run()
  const readings = new MetricsReadings({
    ...edge,
    ...{ history, store: postgresMetrics(node.db), logger: edge.logger.area('metrics') },
    nodeId: () => node.engine.nodeId,
    storeTime: () => node.engine.storeTime(),
  })
  readings.run()
  const studio = studioFolder()
  let started = false
  let stopping = false
  const ready = async (): Promise<readonly HealthCheck[]> => {
    if (stopping) return [{ name: 'node', ok: false, reason: 'the node is stopping' }]
    const { state } = node.engine.cluster
    if (state === 'draining' || state === 'drained')
      return [{ name: 'node', ok: false, reason: `an operator has drained the node: it is ${state}` }]
    const failure = await node.db.ping().then(
      () => undefined,
      (error: unknown) => errorMessage(error),
    )
    return [failure === undefined ? { name: 'database', ok: true } : { name: 'database', ok: false, reason: failure }]
  }
  try {
    const access = await openAccess(options, node.db, edge, options.nodeName ?? '')
    const { trustProxy } = options.access
    const http = await openHttpServer({
      host: options.host,
      port: options.port,
      basePath: options.basePath,
      health: { started: () => started, ready },
      engine: node.engine,
      api: options.roles.includes('api'),
      browse: postgresBrowse(node.db),
      idempotency: postgresIdempotency(node.db),
      access,
      secrets: node.secrets,
      ...(trustProxy.length === 0 ? {} : { trustProxy: [...trustProxy] }),
      locks: node.locks,
      live: node.live,
      metrics: metrics.registry,
      history,
      readings,
      ...(node.tracing && { tracer: node.tracing.requests }),
      overload: { atOnce: options.requests, queued: options.requests },
      ...(studio === undefined ? {} : { studio }),
      clock: edge.clock,
      random: edge.random,
      logger: edge.logger.area('http'),
    })
    const samples = options.samples ? beginSamples(options, edge, node, http.url) : undefined
    started = true
    return {
      url: http.url,
      stop: async () => {
        stopping = true
        roundTrips.stop()
        history.stop()
        samples?.stop()
        // Work is handed over while the last requests are answered: nobody who can go on with it has to wait for them.
        await Promise.all([node.engine.retire(options.drainMs), http.close()])
        await readings.stop()
        await node.close()
      },
    }
  } catch (error) {
    roundTrips.stop()
    history.stop()
    await readings.stop()
    await node.close()
    throw error
  }
}

/** Only ever in a folder of one's own: a database that is shared gets nothing that nobody asked for. */
function beginSamples(
  { databaseUrl }: NodeOptions,
  edge: Edge,
  { engine, db }: OpenNode,
  url: string,
): Samples | undefined {
  const logger = edge.logger.area('samples')
  if (databaseUrl !== undefined) {
    logger.info('no sample workflows: they are for an embedded store')
    return undefined
  }
  const samples = new Samples({ ...edge, logger, engine, browse: postgresBrowse(db), url })
  samples.begin().catch((error: unknown) => logger.warn('no sample workflows', { reason: errorMessage(error) }))
  return samples
}

import { closeAll, errorMessage } from '@lockstep/base'
import { postgresBrowse, postgresIdempotency, postgresMetrics } from '@lockstep/postgres'
import {
  type DevControl,
  exposeReadiness,
  MetricsHistory,
  MetricsReadings,
  NodeMetrics,
  openHttpServer,
  openStartingServer,
} from '@lockstep/server'
import { labResource } from './lab-resource.ts'
import { nodeHealth } from './node-health.ts'
import { nodeNameOf } from './node-name.ts'
import { openAccess } from './open-access.ts'
import type { Edge } from './open-database.ts'
import { openMetrics } from './open-metrics.ts'
import { type OpenNode, openNode, type Programs } from './open-node.ts'
import type { NodeOptions } from './options/node-options.ts'
import { nodeSettings } from './options/node-settings.ts'
import { requireSafeStart } from './options/require-safe-start.ts'
import { sampleCall } from './samples/sample-call.ts'
import { Samples } from './samples/samples.ts'
import { studioFolder } from './studio-folder.ts'

/** A node that runs and listens: its address, and the way to end it. */
export interface RunningNode {
  readonly url: string
  stop(): Promise<void>
}

/** How a node is started, beside what it runs with. */
export interface StartContext {
  /** It is `lockstep dev`. */
  readonly isDev?: boolean
  /** Of `lockstep cluster dev`. */
  readonly control?: DevControl | undefined
  /** How long a PostgreSQL that is away is waited for. @default 0 */
  readonly databaseWaitMs?: number
  /** Ends the waiting: the start fails with its reason. What runs by then is stopped by `stop`. */
  readonly signal?: AbortSignal | undefined
}

/** Brings one node up: store, engine, then HTTP. Its port is taken first, and says meanwhile what it waits for. */
export async function startNode(
  options: NodeOptions,
  edge: Edge,
  programs: Programs = { workflows: [], activities: [], jobs: [] },
  context: StartContext = {},
): Promise<RunningNode> {
  requireSafeStart(options)
  const { host, port, basePath } = options
  let stage = 'waiting for the database'
  const door = await openStartingServer({ host, port, basePath, stage: () => stage })
  const coming = {
    onStage: (next: string): void => {
      stage = next
    },
    port: door.port,
    open: () => door.close(),
  }
  return bringUp(options, edge, programs, context, coming).catch(async (error: unknown) => {
    await door.close()
    throw error
  })
}

/** What stands before a node until it can answer by itself. */
interface Door {
  /** Told to whoever asks meanwhile. */
  readonly onStage: (stage: string) => void
  readonly port: number
  open(): Promise<void>
}

async function bringUp(
  options: NodeOptions,
  edge: Edge,
  programs: Programs,
  { control, isDev = false, databaseWaitMs = 0, signal }: StartContext,
  door: Door,
): Promise<RunningNode> {
  const metrics = new NodeMetrics(edge.clock)
  const node = await openNode(options, edge, withSamples(options, programs), metrics, {
    onStage: door.onStage,
    databaseWaitMs,
    signal,
  })
  const roundTrips = openMetrics(metrics, node, edge, options)
  const history = new MetricsHistory(metrics.registry, edge.clock)
  history.run()
  const readings = new MetricsReadings({
    ...edge,
    ...{
      history,
      definitions: metrics.definitions,
      store: postgresMetrics(node.db),
      logger: edge.logger.area('metrics'),
    },
    nodeId: () => node.engine.nodeId,
    storeTime: () => node.engine.storeTime(),
  })
  readings.run()
  const studio = studioFolder()
  let started = false
  let stopping = false
  const { clock } = edge
  const health = nodeHealth({ node, roundTrips, clock, logger: edge.logger.area('health'), stopping: () => stopping })
  exposeReadiness(metrics.registry, { read: health.parts, clock })
  try {
    const access = await openAccess(options, node.db, edge, nodeNameOf(options))
    const { trustProxy } = options.access
    await door.open()
    const http = await openHttpServer({
      host: options.host,
      port: door.port,
      basePath: options.basePath,
      clusterName: options.clusterName,
      health: { started: () => started, ready: health.ready },
      engine: node.engine,
      api: options.roles.includes('api'),
      browse: postgresBrowse(node.db),
      idempotency: postgresIdempotency(node.db),
      access,
      secrets: node.secrets,
      deadLetters: node.deadLetters,
      ...(trustProxy.length === 0 ? {} : { trustProxy: [...trustProxy] }),
      locks: node.locks,
      live: node.live,
      metrics: metrics.registry,
      history,
      readings,
      roundTrips,
      devControl: control,
      lockLab: {
        resource: labResource(node.db),
        isOffered: () => isDev || (control !== undefined && control.processes().length > 0),
      },
      ...(node.tracing && { tracer: node.tracing.requests }),
      bodies: { depth: options.bodyDepth, members: options.bodyMembers },
      overload: { atOnce: options.requests, queued: options.requests },
      serverTiming: options.serverTiming,
      settings: nodeSettings(options),
      ...(studio === undefined ? {} : { studio }),
      clock: edge.clock,
      random: edge.random,
      logger: edge.logger,
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
        await closeAll(
          () => Promise.all([node.engine.retire(options.drainMs), http.close()]),
          () => readings.stop(),
          () => node.close(),
        )
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

function withSamples({ samples }: NodeOptions, programs: Programs): Programs {
  return samples ? { ...programs, activities: [...programs.activities, sampleCall] } : programs
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

import { errorMessage } from '@lockstep/base'
import { postgresBrowse, postgresIdempotency } from '@lockstep/postgres'
import { type HealthCheck, openHttpServer } from '@lockstep/server'
import type { Edge } from './open-database.ts'
import { openNode, type Programs } from './open-node.ts'
import type { NodeOptions } from './options/node-options.ts'
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
  const node = await openNode(options, edge, programs)
  const studio = studioFolder()
  let started = false
  let stopping = false
  const ready = async (): Promise<readonly HealthCheck[]> => {
    if (stopping) return [{ name: 'node', ok: false, reason: 'the node is stopping' }]
    const failure = await node.db.ping().then(
      () => undefined,
      (error: unknown) => errorMessage(error),
    )
    return [failure === undefined ? { name: 'database', ok: true } : { name: 'database', ok: false, reason: failure }]
  }
  try {
    const http = await openHttpServer({
      host: options.host,
      port: options.port,
      basePath: options.basePath,
      health: { started: () => started, ready },
      engine: node.engine,
      browse: postgresBrowse(node.db),
      idempotency: postgresIdempotency(node.db),
      locks: node.locks,
      ...(studio === undefined ? {} : { studio }),
      clock: edge.clock,
      random: edge.random,
      logger: edge.logger.area('http'),
    })
    started = true
    return {
      url: http.url,
      stop: async () => {
        stopping = true
        await http.close()
        await node.close()
      },
    }
  } catch (error) {
    await node.close()
    throw error
  }
}

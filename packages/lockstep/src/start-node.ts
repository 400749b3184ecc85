import { errorMessage } from '@lockstep/base'
import { type HealthCheck, openHttpServer } from '@lockstep/server'
import type { Edge } from './open-database.ts'
import { openNode, type Programs } from './open-node.ts'
import type { NodeOptions } from './options/node-options.ts'

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

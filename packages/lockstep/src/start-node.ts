import { uuidSource } from '@lockstep/base'
import { type HealthCheck, openHttpServer } from '@lockstep/server'
import { type Edge, openDatabase } from './open-database.ts'
import type { NodeOptions } from './options/node-options.ts'

/** A node that runs: its address, and the way to end it. */
export interface RunningNode {
  readonly id: string
  readonly url: string
  stop(): Promise<void>
}

/** Brings one node up: store, then HTTP. What was opened is closed again when a later part fails. */
export async function startNode(options: NodeOptions, edge: Edge): Promise<RunningNode> {
  const id = uuidSource(edge.clock, edge.random)()
  const db = await openDatabase(options, id, edge)
  let started = false
  const ready = async (): Promise<readonly HealthCheck[]> => {
    const failure = await db.ping().then(
      () => undefined,
      (error: Error) => error.message,
    )
    return [failure === undefined ? { name: 'database', ok: true } : { name: 'database', ok: false, reason: failure }]
  }
  try {
    const http = await openHttpServer({
      host: options.host,
      port: options.port,
      basePath: options.basePath,
      health: { started: () => started, ready },
    })
    started = true
    return {
      id,
      url: http.url,
      stop: async () => {
        await http.close()
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

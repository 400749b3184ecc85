import { hostname } from 'node:os'
import { uuidSource } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import { type AnyJob, type AnyWorkflow, type CustomActivity, Engine } from '@lockstep/engine'
import { type Db, historyGuard, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'
import { type Edge, openDatabase } from './open-database.ts'
import { openLocks } from './open-locks.ts'
import type { NodeOptions } from './options/node-options.ts'
import { version } from './version.ts'

export interface Programs {
  readonly workflows: readonly AnyWorkflow[]
  readonly activities: readonly CustomActivity[]
  readonly jobs: readonly AnyJob[]
}

/** Store and engine of one process, without HTTP. */
export interface OpenNode {
  readonly engine: Engine
  readonly db: Db
  /** The toolkit, opened when it is first asked for: an idle node asks nothing of the lock store. */
  readonly locks: () => Coordinator
  close(): Promise<void>
}

/** The one place that names a concrete provider. What was opened is closed again when a later part fails. */
export async function openNode(options: NodeOptions, edge: Edge, programs: Programs): Promise<OpenNode> {
  const guard = historyGuard()
  const application = `lockstep:${uuidSource(edge.clock, edge.random)()}`
  const db = await openDatabase(options, guard, application, edge)
  let coordinator: Coordinator | undefined
  const locks = (): Coordinator => {
    coordinator ??= openLocks(options, edge, db)
    return coordinator
  }
  try {
    const bus = await postgresWakeBus(db, edge.clock, edge.logger.area('bus'))
    const engine = await Engine.open({
      ...edge,
      ...programs,
      locks: { mutex: (name, wanted) => locks().mutex(name, wanted) },
      store: postgresEngineStore(db, { guard, application }),
      bus,
      name: options.nodeName ?? `${hostname()}:${process.pid}`,
      version,
      heartbeatMs: options.heartbeatMs,
      ttlMs: options.nodeTtlMs,
      scheduler: options.scheduler,
      concurrency: options.concurrency,
      flights: db.kind === 'pglite' ? 1 : 2,
    })
    let closing: Promise<void> | undefined
    const close = async (): Promise<void> => {
      await engine.close(options.drainMs)
      await coordinator?.close()
      await bus.close()
      await db.close()
    }
    return {
      engine,
      db,
      locks,
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

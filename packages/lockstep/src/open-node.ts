import { hostname } from 'node:os'
import { uuidSource } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import {
  type AnyJob,
  type AnyWorkflow,
  type Archive,
  type CustomActivity,
  Engine,
  type EngineLimits,
} from '@lockstep/engine'
import { type Db, historyGuard, postgresEngineStore, postgresWakeBus } from '@lockstep/postgres'
import type { ActivitySource } from './activity-modules/activity-source.ts'
import { ActivityWatch } from './activity-modules/watch-activities.ts'
import { MessageTriggers } from './message-trigger/message-triggers.ts'
import { type Edge, openDatabase } from './open-database.ts'
import { openLocks } from './open-locks.ts'
import { openOutside } from './open-outside.ts'
import type { NodeOptions } from './options/node-options.ts'
import { version } from './version.ts'

export interface Programs {
  readonly workflows: readonly AnyWorkflow[]
  readonly activities: readonly CustomActivity[]
  readonly jobs: readonly AnyJob[]
  readonly limits?: Partial<EngineLimits> | undefined
  readonly archive?: Archive | undefined
  /** Files that activities come from; with `watch` they are loaded anew when they change. */
  readonly sources?: readonly ActivitySource[]
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
    const outside = openOutside(options, edge)
    const { limits, archive, workflows, activities, jobs } = programs
    const engine = await Engine.open({
      ...edge,
      workflows,
      activities,
      jobs,
      outbound: outside.outbound,
      secrets: options.secrets,
      locks: { mutex: (name, wanted) => locks().mutex(name, wanted) },
      store: postgresEngineStore(db, { guard, application }),
      bus,
      name: options.nodeName ?? `${hostname()}:${process.pid}`,
      version,
      heartbeatMs: options.heartbeatMs,
      ttlMs: options.nodeTtlMs,
      scheduler: options.scheduler,
      ...(limits && { limits }),
      retention: { keep: options.retention, ...(archive && { archive }) },
      concurrency: options.concurrency,
      flights: db.kind === 'pglite' ? 1 : 2,
    })
    const { rabbitmq } = outside
    const triggers = rabbitmq && new MessageTriggers({ ...edge, engine, rabbitmq })
    triggers?.run()
    const watch = options.watch ? watchActivities(engine, edge, programs) : undefined
    let closing: Promise<void> | undefined
    const close = async (): Promise<void> => {
      await watch?.close()
      await triggers?.close()
      await engine.close(options.drainMs)
      await outside.close()
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

function watchActivities(engine: Engine, edge: Edge, { activities, sources = [] }: Programs): ActivityWatch {
  const fromFiles = new Set(sources.flatMap((source) => source.activities))
  const others = activities.filter((activity) => !fromFiles.has(activity))
  const watch = new ActivityWatch({ ...edge, sources, others, replace: (all) => engine.activities.replace(all) })
  void watch.begin()
  return watch
}

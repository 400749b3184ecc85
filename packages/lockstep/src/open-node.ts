import { closeAll, uuidSource } from '@lockstep/base'
import type { Coordinator, OpenWakeBus } from '@lockstep/coordination'
import {
  type AnyJob,
  type AnyWorkflow,
  type Archive,
  type CustomActivity,
  DeadLetters,
  Engine,
  type EngineLimits,
  type Heart,
  LiveFeed,
  lockGate,
  type NodeState,
  rollUpMetrics,
  SecretVault,
  trimAudit,
  trimDeadLetters,
  watchStaleLeases,
} from '@lockstep/engine'
import {
  type Db,
  historyGuard,
  postgresAccess,
  postgresDeadLetters,
  postgresEngineStore,
  postgresHeart,
  postgresLive,
  postgresMetrics,
  postgresSecrets,
  settleClusterName,
} from '@lockstep/postgres'
import type { NodeMetrics } from '@lockstep/server'
import type { ActivitySource } from './activity-modules/activity-source.ts'
import { ActivityWatch } from './activity-modules/watch-activities.ts'
import { loadDrivers } from './load-drivers.ts'
import { MessageTriggers } from './message-trigger/message-triggers.ts'
import { nodeNameOf } from './node-name.ts'
import { openBus } from './open-bus.ts'
import { openCache } from './open-cache.ts'
import { type Edge, openDatabase } from './open-database.ts'
import { openLocks } from './open-locks.ts'
import { type OpenOutside, openOutside } from './open-outside.ts'
import type { NodeOptions } from './options/node-options.ts'
import { readInsideTransactions } from './secret/read-inside-transactions.ts'
import { openTracing, type Tracing } from './trace/open-tracing.ts'
import { version } from './version.ts'

export interface Programs {
  readonly workflows: readonly AnyWorkflow[]
  readonly activities: readonly CustomActivity[]
  readonly jobs: readonly AnyJob[]
  readonly limits?: Partial<EngineLimits> | undefined
  readonly archive?: Archive | undefined
  /** Files that activities come from; with `watch` they are loaded anew when they change. */
  readonly sources?: readonly ActivitySource[]
  /** Folders whose modules are all sources, those that come later too. */
  readonly folders?: readonly string[]
}

/** How long a leader of the schedulers that died stays one, in heartbeats, where nobody lives to bury and depose it. */
const SCHEDULER_TERM_BEATS = 20

/** Store and engine of one process, without HTTP. */
export interface OpenNode {
  readonly engine: Engine
  readonly db: Db
  /** Everything that is committed, as it happens. */
  readonly live: LiveFeed
  readonly bus: OpenWakeBus
  /** The toolkit, opened when it is first asked for: an idle node asks nothing of the lock store. */
  readonly locks: () => Coordinator
  /** The toolkit where it was asked for already. */
  readonly openedLocks: () => Coordinator | undefined
  readonly outside: OpenOutside
  readonly secrets: SecretVault
  readonly deadLetters: DeadLetters
  /** Absent: nobody collects spans. */
  readonly tracing: Tracing | undefined
  close(): Promise<void>
}

export interface ComingUp {
  /** Told what is being done next. */
  readonly onStage?: (stage: string) => void
  /** How long a PostgreSQL that is away is waited for. @default 0 */
  readonly databaseWaitMs?: number
  /** Ends the waiting. */
  readonly signal?: AbortSignal | undefined
}

/** The one place that names a concrete provider. What was opened is closed again when a later part fails. */
export async function openNode(
  options: NodeOptions,
  edge: Edge,
  programs: Programs,
  metrics?: NodeMetrics,
  { onStage = () => {}, databaseWaitMs = 0, signal }: ComingUp = {},
): Promise<OpenNode> {
  const guard = historyGuard()
  const application = `lockstep:${uuidSource(edge.clock, edge.random)()}`
  const drivers = await loadDrivers(options)
  const name = nodeNameOf(options)
  const { otlpEndpoint: endpoint } = options
  const tracing = endpoint === undefined ? undefined : await openTracing({ endpoint, nodeName: name, version })
  const db = await openDatabase(options, guard, application, edge, {
    meter: metrics,
    onOpened: () => onStage('bringing the schema up to date'),
    waitMs: databaseWaitMs,
    signal,
  })
  onStage('joining the cluster')
  let coordinator: Coordinator | undefined
  const locks = (): Coordinator => {
    coordinator ??= openLocks(options, edge, db, drivers, tracing?.locks)
    return coordinator
  }
  const worksHere = options.roles.includes('worker')
  let consumer: MessageTriggers | undefined
  let consume = (_state: NodeState): void => {}
  const cacheTier = openCache(options, edge, drivers)
  let bus: OpenWakeBus | undefined
  try {
    await settleClusterName(db, options.clusterName)
    bus = await openBus(options, edge, db, drivers)
    const opened = bus
    const logger = edge.logger.area('live')
    const live = new LiveFeed({ store: postgresLive(db), bus, id: application, clock: edge.clock, logger })
    const outside = openOutside(options, edge, drivers)
    const { limits, archive, workflows, activities, jobs } = programs
    const { metrics: keepMetrics, audit: keepAudit, 'dead-letters': keepLetters, ...keep } = options.retention
    const store = postgresEngineStore(db, { guard, application })
    const { transactions } = store
    const joined = readInsideTransactions({ transactions, secrets: postgresSecrets(db) }, db.schema)
    const secrets = new SecretVault({ store: joined.secrets, keys: options.secretKeys, random: edge.random })
    const engine = await Engine.open({
      ...edge,
      workflows,
      activities,
      jobs,
      outbound: { ...outside.outbound, traceparent: tracing?.tracer.current },
      secrets: async (name, tenant) =>
        (await options.secrets(name, tenant)) ??
        (await secrets.read(tenant, name)) ??
        options.environmentSecrets(name, tenant),
      locks: { mutex: (name, wanted) => locks().mutex(name, wanted) },
      gate: options.gate ? lockGate({ clock: edge.clock, logger: edge.logger.area('gate'), locks }) : undefined,
      cacheTier,
      store: { ...store, transactions: joined.transactions },
      bus,
      name,
      version,
      heartbeatMs: options.heartbeatMs,
      ttlMs: options.nodeTtlMs,
      roles: options.roles,
      scheduler: options.scheduler,
      election: (nodeId) =>
        locks().election('scheduler', { ttlMs: SCHEDULER_TERM_BEATS * options.heartbeatMs, meta: { nodeId } }),
      drainMs: options.drainMs,
      onState: (state) => consume(state),
      ...heartOf(options, application, edge),
      ...(limits && { limits }),
      retention: { keep, ...(archive && { archive }) },
      concurrency: options.concurrency,
      flights: db.kind === 'pglite' ? 1 : 2,
      metrics,
      tracer: tracing?.tracer,
      onCommitted: () => live.committed(),
    })
    engine.maintenance.add(watchStaleLeases({ locks, logger: edge.logger.area('maintenance') }))
    engine.maintenance.add(rollUpMetrics({ store: postgresMetrics(db), clock: edge.clock, keep: keepMetrics }))
    engine.maintenance.add(trimAudit(postgresAccess(db).audit, keepAudit))
    const letters = postgresDeadLetters(db)
    engine.maintenance.add(trimDeadLetters(letters, keepLetters))
    const { rabbitmq } = outside
    // A drained node reads no queues either; those who stay share the messages.
    consume = (state) => {
      const wanted = worksHere && rabbitmq !== undefined && (state === 'active' || state === 'cordoned')
      if (wanted === (consumer !== undefined)) return
      void consumer?.close()
      consumer = wanted ? new MessageTriggers({ ...edge, engine, rabbitmq, letters }) : undefined
      consumer?.run()
    }
    consume(engine.cluster.state)
    const watch = options.watch ? watchActivities(engine, edge, programs) : undefined
    let closing: Promise<void> | undefined
    // Without its database a node cannot leave in good order: what else it has open is closed all the same.
    const close = (): Promise<void> =>
      closeAll(
        () => watch?.close(),
        () => {
          consume = () => {}
          return consumer?.close()
        },
        () => live.close(),
        () => engine.close(options.drainMs),
        () => outside.close(),
        () => coordinator?.close(),
        () => cacheTier?.close(),
        () => opened.close(),
        () => db.close(),
        () => tracing?.close(),
      )
    return {
      engine,
      db,
      live,
      bus,
      locks,
      openedLocks: () => coordinator,
      outside,
      secrets,
      deadLetters: new DeadLetters({ store: letters, start: (request) => engine.start(request) }),
      tracing,
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    await cacheTier?.close()
    await bus?.close()
    await db.close()
    await tracing?.close()
    throw error
  }
}

/** The embedded store has one process: nobody could bury it. */
function heartOf({ databaseUrl: url }: NodeOptions, application: string, { clock, logger }: Edge): { heart?: Heart } {
  return url === undefined ? {} : { heart: postgresHeart({ url, application, clock, logger: logger.area('cluster') }) }
}

function watchActivities(
  engine: Engine,
  edge: Edge,
  { activities, sources = [], folders = [] }: Programs,
): ActivityWatch {
  const fromFiles = new Set(sources.flatMap((source) => source.activities))
  const others = activities.filter((activity) => !fromFiles.has(activity))
  const watch = new ActivityWatch({
    ...{ ...edge, sources, folders, others },
    replace: (all) => engine.replaceActivities(all),
  })
  void watch.begin()
  return watch
}

import { type Clock, InvalidOption, type Logger, type Random, silentLogger } from '@lockstep/base'
import type { Election } from '@lockstep/coordination'
import type { CustomActivity } from './activity/activity-handler.ts'
import { outsideActivities } from './activity/outside/outside-activities.ts'
import type { CacheTier } from './cache/cache-tier.ts'
import type { WorkflowLocks } from './function/function-execution.ts'
import type { AnyWorkflow } from './function/workflow-context.ts'
import type { GateProvider } from './gate/gate-provider.ts'
import type { AnyJob } from './job/job.ts'
import type { EngineLimits } from './limit/engine-limits.ts'
import { type Heart, noHeart } from './membership/heart.ts'
import type { EngineMetrics } from './metrics/engine-metrics.ts'
import type { Outbound } from './outbound/outbound.ts'
import { noSecrets, type Secrets } from './outbound/secrets.ts'
import type { RetentionOptions } from './retention/retention-options.ts'
import type { SchedulerMode } from './schedule/scheduling.ts'
import { maskingLogger } from './secret/masking-logger.ts'
import { SecretMask } from './secret/secret-mask.ts'
import type { EngineStore } from './store/engine-store.ts'
import { type NodeRole, type NodeState, nodeRoles } from './store/membership-store.ts'
import type { EngineTracer } from './trace/engine-tracer.ts'
import type { BlockerSource } from './why/why.ts'
import { silentBus, type WakeBus } from './worker/wake-bus.ts'

export interface EngineOptions {
  readonly store: EngineStore
  readonly clock: Clock
  readonly random: Random
  readonly logger?: Logger
  readonly bus?: WakeBus
  /** Workflows written as functions that this node can run. */
  readonly workflows?: readonly AnyWorkflow[]
  /** Workflows of this node that run by themselves. */
  readonly jobs?: readonly AnyJob[]
  /** What this node does of what there is to do. @default all of it */
  readonly roles?: readonly NodeRole[]
  /** How nodes with the role `scheduler` fire schedules. @default 'cluster' */
  readonly scheduler?: SchedulerMode
  /** Where nodes elect the one that fires, the same for all of them. Needed for `scheduler: 'leader'` alone. */
  readonly election?: ((nodeId: string) => Election) | undefined
  /** Beats from beside the main loop. @default the main loop beats */
  readonly heart?: Heart
  /** How long running steps may go on when operators drain the node. @default 20_000 */
  readonly drainMs?: number
  /** The node was told to take part, to take nothing more, or to hand back what it has. */
  readonly onState?: (state: NodeState) => void
  /** Where `ctx.lock` gets its locks; the same for all nodes of a cluster. Absent: such calls fail. */
  readonly locks?: WorkflowLocks | undefined
  /** Keeps racing resumes from the database, as far as it can. @default nothing does */
  readonly gate?: GateProvider | undefined
  /** What nodes have read for each other. @default each reads for itself */
  readonly cacheTier?: CacheTier | undefined
  /** Activities that graphs may use besides the built-in ones. */
  readonly activities?: readonly CustomActivity[]
  /** What steps may use outside: mail server, brokers, other databases, private hosts. */
  readonly outbound?: Outbound
  /** Where secrets come from that steps name. @default there are none */
  readonly secrets?: Secrets
  /** @default 'node' */
  readonly name?: string
  /** @default '0' */
  readonly version?: string
  /** @default 750 */
  readonly heartbeatMs?: number
  /** @default 4 heartbeats */
  readonly ttlMs?: number
  /** How often a node looks for work that nobody told it of. Timers are taken in hand a little longer before they are due. @default 4_000 */
  readonly pollMs?: number
  /** Instances whose code runs at once. @default 500 */
  readonly concurrency?: number
  /** @default 2 */
  readonly flights?: number
  /** Suspended instances kept in memory. @default 1_000 */
  readonly warmLimit?: number
  /** How long a resume waits for the bookmark that a running burst may be about to open. @default 5_000 */
  readonly resumeWaitMs?: number
  /** How long an event that nobody waits for is kept. @default 86_400_000 */
  readonly eventTtlMs?: number
  /** The same as `limits.depth`. @default 32 */
  readonly mostDepth?: number
  /** How much one instance may do and keep. */
  readonly limits?: Partial<EngineLimits>
  /** How long ended instances stay, and where they go then. */
  readonly retention?: RetentionOptions
  /** Whether this node takes part in keeping the store in order. Chores can be asked for either way. @default true */
  readonly maintenance?: boolean
  /** What else can keep an instance from moving: `why` asks them. */
  readonly blockerSources?: readonly BlockerSource[]
  /** Counts what this node does. Absent: nothing is measured. */
  readonly metrics?: EngineMetrics | undefined
  /** Makes spans of what this node does. Absent: nothing is traced. */
  readonly tracer?: EngineTracer | undefined
  /** Called after each commit of this node. */
  readonly onCommitted?: () => void
  /** Called with the id of each incarnation before it writes anything. */
  readonly onIncarnation?: (nodeId: string) => void
}

export function resolveEngineOptions(options: EngineOptions): Required<EngineOptions> {
  const { heartbeatMs = 750, ttlMs = 4 * heartbeatMs } = options
  const { outbound = {}, activities = [] } = options
  const { secrets, logger } = withholding(options)
  if (ttlMs < 2 * heartbeatMs)
    throw new InvalidOption({ option: 'ttlMs', rule: 'at least twice heartbeatMs', value: ttlMs })
  if (options.scheduler === 'leader' && options.election === undefined)
    throw new InvalidOption({ option: 'election', rule: 'given where scheduler is leader' })
  return {
    bus: silentBus,
    workflows: [],
    jobs: [],
    roles: nodeRoles,
    scheduler: 'cluster',
    election: undefined,
    heart: noHeart,
    drainMs: 20_000,
    onState: () => {},
    locks: undefined,
    gate: undefined,
    cacheTier: undefined,
    outbound,
    name: 'node',
    version: '0',
    pollMs: 4_000,
    concurrency: 500,
    flights: 2,
    warmLimit: 1_000,
    resumeWaitMs: 5_000,
    eventTtlMs: 86_400_000,
    mostDepth: 32,
    limits: {},
    retention: {},
    maintenance: true,
    blockerSources: [],
    metrics: undefined,
    tracer: undefined,
    onCommitted: () => {},
    onIncarnation: () => {},
    ...options,
    logger,
    secrets,
    activities: [...outsideActivities({ clock: options.clock, outbound }), ...activities],
    heartbeatMs,
    ttlMs,
  }
}

/** No line of this engine shows a secret that one of its steps has read. */
function withholding({ secrets = noSecrets, logger = silentLogger }: EngineOptions): {
  readonly secrets: Secrets
  readonly logger: Logger
} {
  const mask = new SecretMask()
  return {
    logger: maskingLogger(logger, mask),
    secrets: async (name, tenant) => {
      const secret = await secrets(name, tenant)
      if (secret !== undefined) mask.add(typeof secret === 'string' ? secret : secret.value)
      return secret
    },
  }
}

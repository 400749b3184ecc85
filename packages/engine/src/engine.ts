/** The engine of one node: what programs and servers call. Everything durable is the store's, everything running is the session's. */
import { errorMessage, type Json, sleep, uuidSource } from '@lockstep/base'
import { type ActivityRegistry, activityRegistry } from './activity/activity-registry.ts'
import { Definitions } from './definition/definitions.ts'
import { BookmarkAmbiguous, InstanceNotFound } from './definition/errors.ts'
import { Programs } from './definition/programs.ts'
import { type DoctorOptions, type DoctorReport, examineStore } from './doctor/doctor.ts'
import { type EngineOptions, resolveEngineOptions } from './engine-options.ts'
import { Events } from './event/events.ts'
import { openSandbox, type Sandbox } from './expression/sandbox.ts'
import { functionContext } from './function/function-context.ts'
import { FunctionExecution } from './function/function-execution.ts'
import type { AnyWorkflow } from './function/workflow-context.ts'
import { foldJournal } from './graph/fold-journal.ts'
import { type InstanceEnd, InstanceResults } from './instance/instance-results.ts'
import { batchWorkflow } from './job/batch.ts'
import type { Jobs } from './job/jobs.ts'
import { factFromRow } from './journal/fact.ts'
import { NodeSession } from './node/node-session.ts'
import { Retention } from './retention/retention.ts'
import { resolveRetention } from './retention/retention-options.ts'
import type { Schedules } from './schedule/schedules.ts'
import { Scheduling } from './schedule/scheduling.ts'
import { StartPlanner } from './start/start-planner.ts'
import { checkText, DEFAULT_TENANT, type StartedInstance, type StartRequest } from './start/start-request.ts'
import { Starter } from './start/starter.ts'
import { toPayload } from './step/payload.ts'
import type { InstanceView, JournalRow } from './store/instance-reader.ts'
import type { ResumeVerdict } from './store/stimulus-store.ts'
import { askWhy } from './why/ask-why.ts'
import type { Why } from './why/why.ts'
import type { Execution, ExecutionHost, InstanceIdentity } from './worker/execution.ts'
import { GraphExecution } from './worker/graph/graph-execution.ts'

const RESUME_LOOK_MS = 20

export interface ResumeRequest {
  readonly tenant?: string
  readonly instanceId: string
  readonly bookmark?: string
  readonly payload?: unknown
}

export type ResumeOutcome = 'resumed' | 'already-resumed' | 'in-progress' | 'expired' | 'not-found'

export interface PublishRequest {
  readonly tenant?: string
  readonly name: string
  readonly correlationId?: string
  readonly payload?: unknown
  readonly ttlMs?: number
}

export interface PublishedTo {
  readonly id: string
  readonly matched: number
  /** Whether it waits for a bookmark that opens later. */
  readonly kept: boolean
}

export class Engine {
  readonly definitions: Definitions
  readonly activities: ActivityRegistry
  readonly schedules: Schedules
  readonly jobs: Jobs
  readonly retention: Retention
  readonly #o: ReturnType<typeof resolveEngineOptions>
  readonly #newId: () => string
  readonly #programs: Programs
  readonly #sandbox: Sandbox
  readonly #results: InstanceResults
  readonly #events: Events
  readonly #planner: StartPlanner
  readonly #starter: Starter
  readonly #scheduling: Scheduling
  #session: NodeSession
  #closed = false

  private constructor(options: EngineOptions) {
    this.#o = resolveEngineOptions(options)
    const { store, clock, random, logger } = this.#o
    this.#newId = uuidSource(clock, random)
    this.activities = activityRegistry(this.#o.activities)
    this.definitions = new Definitions(store, this.activities)
    this.#programs = new Programs(store.definitions, this.activities, workflowsOf(this.#o))
    this.#sandbox = openSandbox({ clock, logger: logger.area('expression') })
    this.#results = new InstanceResults(store.instances, clock)
    this.#events = new Events({
      stimuli: store.stimuli,
      clock,
      logger: logger.area('event'),
      onMatched: () => this.#wake('due'),
    })
    this.#planner = new StartPlanner(store.definitions, this.#programs)
    this.#starter = new Starter({
      planner: this.#planner,
      transactions: store.transactions,
      newId: this.#newId,
      session: () => this.#session,
      onDue: () => this.#wake('due'),
    })
    this.#scheduling = new Scheduling({
      ...this.#o,
      newId: this.#newId,
      nodeId: () => this.nodeId,
      mode: this.#o.scheduler,
      tenant: DEFAULT_TENANT,
      start: (request) => this.start(request),
      onStarted: () => this.#wake('due'),
    })
    this.schedules = this.#scheduling.schedules
    this.jobs = this.#scheduling.jobs
    this.retention = new Retention({
      store,
      clock,
      logger: logger.area('retention'),
      options: resolveRetention(this.#o.retention),
      nodeId: () => this.nodeId,
      isPressed: () => !this.#session.worker.hasRoom,
    })
    this.#session = this.#newSession()
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options)
    for (const workflow of engine.#programs.workflows) {
      await engine.#o.store.definitions.registerFunction(DEFAULT_TENANT, workflow.id, workflow.version)
    }
    await engine.#session.begin()
    engine.#events.run()
    engine.retention.run()
    try {
      await engine.#scheduling.begin()
    } catch (error) {
      await engine.close(0)
      throw error
    }
    return engine
  }

  get nodeId(): string {
    return this.#session.id
  }

  get stats() {
    return { ...this.#session.pipeline.stats, heldCount: this.#session.worker.heldCount }
  }

  /** Settles when the instance is durable. */
  start(request: StartRequest): Promise<StartedInstance> {
    return this.#starter.start(request)
  }

  /** Many at once, for any node to pick up; answers ids in order. Faster than as many starts, and as durable. */
  async startMany(requests: readonly Omit<StartRequest, 'tx'>[]): Promise<readonly StartedInstance[]> {
    return Promise.all(requests.map((request) => this.#starter.start(request)))
  }

  /** `undefined`: it had not ended when the time was over. */
  waitForEnd(
    instanceId: string,
    options: { readonly tenant?: string; readonly limitMs?: number; readonly here?: boolean } = {},
  ): Promise<InstanceEnd | undefined> {
    const { tenant = DEFAULT_TENANT, limitMs = Number.MAX_SAFE_INTEGER, here = false } = options
    return this.#results.wait(tenant, instanceId, limitMs, here)
  }

  /** The answer comes after the decision is durable. One that arrives before its bookmark waits for it a short time. */
  async resume(request: ResumeRequest): Promise<ResumeOutcome> {
    const { tenant = DEFAULT_TENANT, instanceId, bookmark } = request
    const payload = JSON.stringify(toPayload(request.payload ?? null, 'The payload'))
    const deadline = this.#o.clock.monotonic() + this.#o.resumeWaitMs
    for (;;) {
      const verdict: ResumeVerdict = await this.#o.store.stimuli.resume({ tenant, instanceId, bookmark, payload })
      if (verdict.kind === 'resumed') this.#wake(`stim:${instanceId}`)
      if (verdict.kind === 'ambiguous') throw new BookmarkAmbiguous({ instanceId, names: verdict.names })
      if (verdict.kind !== 'in-progress' || this.#o.clock.monotonic() >= deadline) return verdict.kind
      await sleep(this.#o.clock, RESUME_LOOK_MS)
    }
  }

  /** Settles when the event is durable and those who wait for it now were told. */
  async publish(request: PublishRequest): Promise<PublishedTo> {
    const { tenant = DEFAULT_TENANT, name, correlationId, ttlMs = this.#o.eventTtlMs } = request
    checkText(name, 'name')
    checkText(correlationId, 'correlationId')
    const id = this.#newId()
    const payload = JSON.stringify(toPayload(request.payload ?? null, 'The payload'))
    const matched = await this.#events.publish({ tenant, id, name, correlationId, payload, ttlMs })
    return { id, matched, kept: matched === 0 }
  }

  /** `false`: unknown, or ended already. */
  async cancel(
    instanceId: string,
    options: { readonly tenant?: string; readonly reason?: string } = {},
  ): Promise<boolean> {
    const { tenant = DEFAULT_TENANT, reason } = options
    const payload = JSON.stringify(reason === undefined ? {} : { reason })
    const sent = await this.#o.store.stimuli.send({ tenant, instanceId, kind: 'cancel', payload, dedupeKey: 'cancel' })
    if (sent) this.#wake(`stim:${instanceId}`)
    return sent
  }

  async get(instanceId: string, tenant: string = DEFAULT_TENANT): Promise<InstanceView> {
    const found = await this.#o.store.instances.get(tenant, instanceId)
    if (found === undefined) throw new InstanceNotFound({ instanceId })
    return found
  }

  async journal(
    instanceId: string,
    afterSeq = 0,
    limit = 1_000,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly JournalRow[]> {
    const rows = await this.#o.store.instances.journal(tenant, instanceId, afterSeq, limit)
    return rows.map((row) => {
      const { kind: _, ...data } = factFromRow(row)
      return { ...row, data }
    })
  }

  list(
    filter: { readonly definitionId?: string; readonly status?: string; readonly before?: string },
    limit: number,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly InstanceView[]> {
    return this.#o.store.instances.list(tenant, filter, limit)
  }

  /** Variables of a graph as they stand after its last fact; `undefined` for functions, or when this node cannot tell. */
  async variables(instanceId: string): Promise<Readonly<Record<string, Json>> | undefined> {
    const [loaded] = await this.#o.store.agenda.load([instanceId])
    if (loaded === undefined) return undefined
    const program = await this.#programs.get(loaded.tenant, loaded.definitionId, loaded.version).catch(() => undefined)
    if (program?.kind !== 'graph') return undefined
    const { snapshot, snapshotAt, facts } = loaded
    const last = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
    return foldJournal(program.graph, last, facts).variables
  }

  /** Checks what must always hold, and mends what can be mended without a doubt when `repair` is set. */
  doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
    return examineStore(this.#o.store.maintenance, this.nodeId, options)
  }

  /** Why an instance stands where it stands: what it waits for, who has it, what is in its way, when it will move. */
  why(instanceId: string, tenant: string = DEFAULT_TENANT): Promise<Why> {
    const { store, ttlMs, blockerSources: sources } = this.#o
    const here = { ttlMs, queues: this.#planner.queues(), hasRoom: this.#session.worker.hasRoom }
    return askWhy({ store, here, sources }, tenant, instanceId)
  }

  /** Lets running effects finish for `drainMs`, hands everything over and leaves. */
  async close(drainMs = 20_000): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#events.stop()
    this.#scheduling.stop()
    await this.retention.stop()
    try {
      await this.#session.leave(drainMs)
    } finally {
      await this.#sandbox.close()
    }
  }

  async #open(identity: InstanceIdentity, host: ExecutionHost): Promise<Execution> {
    const program = await this.#programs.get(identity.tenant, identity.definitionId, identity.version)
    if (program.kind === 'function')
      return new FunctionExecution(program.workflow, { ...this.#shell(), contextOf: functionContext }, host)
    return new GraphExecution(
      program.graph,
      { ...this.#shell(), activities: this.activities, sandbox: this.#sandbox },
      host,
    )
  }

  #shell() {
    const { clock, random, logger, eventTtlMs, mostDepth, locks } = this.#o
    return { clock, random, logger: logger.area('workflow'), eventTtlMs, mostDepth, locks }
  }

  #newSession(): NodeSession {
    const nodeId = this.#newId()
    this.#o.onIncarnation(nodeId)
    return new NodeSession({
      ...this.#o,
      nodeId,
      newId: this.#newId,
      queues: () => this.#planner.queues(),
      open: (identity, host) => this.#open(identity, host),
      startChild: (parent, child) => this.#starter.startChild(parent, child),
      onPublished: (tenant, ids) => {
        for (const id of ids)
          void this.#events
            .deliver(tenant, id)
            .catch((error: unknown) => this.#o.logger.warn('event not delivered yet', { reason: errorMessage(error) }))
      },
      onEnded: (identity, status, output, error) => {
        this.#results.ended(identity.instanceId, { status, output, error })
        this.#scheduling.ended(identity.definitionId)
      },
      onBuried: () => void this.#rejoin(),
    })
  }

  /** Everything in memory is gone with the old incarnation; the new one starts with what the store has. */
  async #rejoin(): Promise<void> {
    while (!this.#closed) {
      const session = this.#newSession()
      try {
        await session.begin()
        this.#session = session
        this.#o.logger.info('rejoined as a new node', { nodeId: session.id })
        return
      } catch (error) {
        this.#o.logger.warn('could not rejoin', { reason: errorMessage(error) })
        await sleep(this.#o.clock, this.#o.heartbeatMs)
      }
    }
  }

  #wake(topic: string): void {
    if (topic.startsWith('stim:')) this.#session.worker.nudge(topic.slice('stim:'.length))
    else this.#session.worker.wake()
    this.#o.bus.publish(topic)
  }
}

/** Jobs are workflows too, and a node that has any can run batches of them. */
function workflowsOf({ workflows, jobs }: Required<EngineOptions>): readonly AnyWorkflow[] {
  return jobs.length === 0
    ? workflows
    : [...workflows, ...jobs.map((job) => job.workflow), batchWorkflow as AnyWorkflow]
}

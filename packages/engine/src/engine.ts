/** The engine of one node: what programs and servers call. Everything durable is the store's, everything running is the session's. */
import { errorMessage, type Json, uuidSource } from '@lockstep/base'
import type { CustomActivity } from './activity/activity-handler.ts'
import { type ActivityRegistry, activityRegistry } from './activity/activity-registry.ts'
import { Caches } from './cache/caches.ts'
import { type InstanceState, InstanceStates, type StateAnswer } from './cache/instance-states.ts'
import { stateStanding } from './cache/state-standing.ts'
import { DefinitionNews, type PointedDefinition } from './definition/definition-news.ts'
import { Definitions } from './definition/definitions.ts'
import { InstanceNotFound } from './definition/errors.ts'
import { Programs } from './definition/programs.ts'
import type { DoctorOptions, DoctorReport } from './doctor/doctor.ts'
import { type EngineOptions, resolveEngineOptions } from './engine-options.ts'
import { Events } from './event/events.ts'
import {
  type PublishedTo,
  type PublishRequest,
  type ResumeOutcome,
  type ResumeRequest,
  Stimuli,
} from './event/stimuli.ts'
import { ExpressionPreview, type PreviewResult } from './expression/preview.ts'
import { openSandbox, type Sandbox } from './expression/sandbox.ts'
import type { Flow } from './flow/flow.ts'
import { FlowControl } from './flow/flow-control.ts'
import type { AnyWorkflow } from './function/workflow-context.ts'
import { ResumeGate } from './gate/resume-gate.ts'
import type { CompensationView } from './graph/saga/compensation.ts'
import type { Incidents } from './incident/incidents.ts'
import type { ActivitiesAt } from './instance/activities-at.ts'
import { type InstanceReads, instanceReads } from './instance/instance-reads.ts'
import { type InstanceEnd, InstanceResults } from './instance/instance-results.ts'
import type { ScopeAt, ScopeRequest } from './instance/scope-at.ts'
import type { StateAt } from './instance/state-at.ts'
import type { TimelinePage, TimelineRequest } from './instance/timeline-reader.ts'
import { batchWorkflow } from './job/batch.ts'
import type { Jobs } from './job/jobs.ts'
import type { BreakerControl } from './limit/breaker-control.ts'
import { type EngineLimits, resolveEngineLimits } from './limit/engine-limits.ts'
import type { Limits } from './limit/limits.ts'
import { StepControl } from './limit/step-control.ts'
import type { Maintenance } from './maintenance/maintenance.ts'
import { Upkeep } from './maintenance/upkeep.ts'
import { Cluster } from './membership/cluster.ts'
import { NodeSession } from './node/node-session.ts'
import { NodeSessions } from './node/node-sessions.ts'
import type { PartialResults } from './progress/partial-results.ts'
import type { Retention } from './retention/retention.ts'
import type { Schedules } from './schedule/schedules.ts'
import { Scheduling } from './schedule/scheduling.ts'
import { StartPlanner } from './start/start-planner.ts'
import { DEFAULT_TENANT, type StartedInstance, type StartRequest } from './start/start-request.ts'
import { Starter } from './start/starter.ts'
import type { InstanceView, JournalRow } from './store/instance-reader.ts'
import type { NewClusterEvent, NodeState, WantedState } from './store/membership-store.ts'
import type { ProgressRow } from './store/progress-store.ts'
import type { HumanTasks } from './task/human-tasks.ts'
import type { ResumeTokens } from './task/resume-tokens.ts'
import type { Tasks } from './task/tasks.ts'
import { TestRuns } from './test-run/test-runs.ts'
import { InstanceTraces } from './trace/instance-traces.ts'
import type { HttpTriggers } from './trigger/http-triggers.ts'
import { OutsideWork } from './trigger/outside-work.ts'
import type { Bulk } from './verb/bulk/bulk.ts'
import { Operating } from './verb/operating.ts'
import type { Verbs } from './verb/verbs.ts'
import { askWhy } from './why/ask-why.ts'
import type { Why } from './why/why.ts'
import { Executions } from './worker/executions.ts'
import { lockBlockers } from './worker/graph/critical-section-blockers.ts'
import type { CancelOptions } from './worker/graph/graph-outside.ts'
import { readCompensations, sagaBlockers } from './worker/graph/saga-read.ts'

export class Engine {
  readonly definitions: Definitions
  readonly activities: ActivityRegistry
  readonly schedules: Schedules
  readonly jobs: Jobs
  readonly retention: Retention
  /** What one node does now and then for all of them. */
  readonly maintenance: Maintenance
  /** Drafts that run without being published. */
  readonly testRuns: TestRuns
  /** What operators do with instances. */
  readonly verbs: Verbs
  readonly incidents: Incidents
  readonly bulk: Bulk
  /** Limits of steps, over all nodes. */
  readonly limits: Limits
  readonly breakers: BreakerControl
  /** What running steps hand out before they end. */
  readonly results: PartialResults
  /** How starts are held back, per definition. */
  readonly flow: Flow
  readonly tasks: Tasks
  readonly humanTasks: HumanTasks
  readonly resumeTokens: ResumeTokens
  /** Workflows that start by a request. */
  readonly http: HttpTriggers
  /** The nodes, and what is wanted of them. */
  readonly cluster: Cluster
  /** What this node keeps in memory for readers. */
  readonly caches: Caches
  readonly #o: ReturnType<typeof resolveEngineOptions>
  readonly #newId: () => string
  readonly #definitionNews: DefinitionNews
  readonly #programs: Programs
  readonly #sandbox: Sandbox
  readonly #preview: ExpressionPreview
  readonly #results: InstanceResults
  readonly #events: Events
  readonly #planner: StartPlanner
  readonly #starter: Starter
  readonly #flow: FlowControl
  readonly #scheduling: Scheduling
  readonly #outside: OutsideWork
  readonly #steps: StepControl
  readonly #limits: EngineLimits
  readonly #operating: Operating
  readonly #states: InstanceStates
  readonly #reads: InstanceReads
  readonly #upkeep: Upkeep
  readonly #stimuli: Stimuli
  /** Absent: nobody traces. */
  readonly #traces: InstanceTraces | undefined
  readonly #executions: Executions
  readonly #sessions: NodeSessions
  #closed = false
  #unsubscribe: () => void = () => {}

  private constructor(options: EngineOptions) {
    this.#o = resolveEngineOptions(options)
    const { store, clock, random, logger } = this.#o
    this.#newId = uuidSource(clock, random)
    this.activities = activityRegistry(this.#o.activities)
    this.definitions = new Definitions(store, this.activities, (pointed) => this.#pointed(pointed))
    this.#definitionNews = new DefinitionNews({
      ...{ bus: this.#o.bus, clock, logger: logger.area('cache') },
      onHeard: () => this.#planner.clear(),
    })
    this.#limits = resolveEngineLimits(this.#o.limits, options.mostDepth)
    this.#programs = new Programs(store.definitions, this.activities, workflowsOf(this.#o))
    const outputBytes = this.#limits.payloadBytes
    this.#sandbox = openSandbox({ clock, outputBytes, logger: logger.area('expression') })
    this.#preview = new ExpressionPreview({ clock, outputBytes, logger: logger.area('preview') })
    this.testRuns = new TestRuns({
      ...{ definitions: this.definitions, store: store.definitions, catalogue: this.activities },
      start: (request) => this.start(request),
    })
    this.#reads = instanceReads(store, this.#programs)
    this.#states = new InstanceStates({
      ...{ instances: store.instances, clock, tier: this.#o.cacheTier },
      standing: stateStanding({
        definitions: store.definitions,
        read: (instanceId) => this.#reads.standing(instanceId),
        logger: logger.area('cache'),
      }),
    })
    this.#planner = new StartPlanner(store.definitions, this.#programs)
    const caches = [this.#programs, this.#states, this.#planner]
    this.caches = new Caches({ caches, bus: this.#o.bus, logger: logger.area('cache') })
    this.#results = new InstanceResults(store.instances, clock)
    this.#events = new Events({
      stimuli: store.stimuli,
      clock,
      logger: logger.area('event'),
      onMatched: () => this.#wake('due'),
      pollMs: this.#o.pollMs,
      triggers: () => this.#outside.events,
      ride: (work, claimsOf) => this.#session.worker.ride(work, claimsOf),
    })
    this.#traces = this.#o.tracer && new InstanceTraces(this.#o.tracer, store.instances)
    this.#stimuli = new Stimuli({
      ...{ traces: this.#traces, logger: logger.area('resume') },
      ...{ store: store.stimuli, clock, newId: this.#newId, events: this.#events },
      gate: this.#o.gate && new ResumeGate(this.#o.gate, clock),
      worker: () => this.#session.worker,
      resumeWaitMs: this.#o.resumeWaitMs,
      eventTtlMs: this.#o.eventTtlMs,
      onResumed: (instanceId) => this.#states.forget(instanceId),
      onSent: (instanceId) => this.#wake(`stim:${instanceId}`),
    })
    this.#steps = new StepControl({
      ...{ store: store.steps, clock, random, logger, bus: this.#o.bus, locks: this.#o.locks },
      nodeId: () => this.nodeId,
      onCalled: (instanceId) => this.#wake(`stim:${instanceId}`),
    })
    this.limits = this.#steps.limits
    this.breakers = this.#steps.breakers
    this.results = this.#steps.results
    this.#flow = new FlowControl({
      ...{ clock, logger, bus: this.#o.bus, sandbox: this.#sandbox, tenant: DEFAULT_TENANT },
      store: store.flow,
      pollMs: this.#o.pollMs,
      workflows: this.#programs.workflows,
      nodeId: () => this.nodeId,
      onDue: () => this.#wake('due'),
      onStrayClaims: () => this.#session.worker.lookForClaims(),
      onCancelled: (instanceId) => this.#wake(`stim:${instanceId}`),
      cancel: (tenant, instanceId, reason) => this.cancel(instanceId, { tenant, reason }),
    })
    this.flow = this.#flow.policies
    this.#starter = new Starter({
      flow: this.#flow.starts,
      planner: this.#planner,
      transactions: store.transactions,
      newId: this.#newId,
      session: () => this.#session,
      onDue: () => this.#wake('due'),
    })
    this.#scheduling = new Scheduling({
      ...this.#o,
      programs: this.#programs,
      newId: this.#newId,
      nodeId: () => this.nodeId,
      storeTime: () => this.storeTime(),
      mode: this.#o.roles.includes('scheduler') ? this.#o.scheduler : 'off',
      onOffice: ({ kind, ...detail }) => this.#noteEvent({ kind, detail }),
      tenant: DEFAULT_TENANT,
      start: (request) => this.start(request),
      onStarted: () => {
        this.#wake('due')
        this.#flow.wake()
      },
    })
    this.#outside = new OutsideWork({
      ...{ store, clock, random, logger, bus: this.#o.bus, sandbox: this.#sandbox },
      results: this.results,
      start: (request) => this.start(request),
      cancel: (tenant, instanceId, how = { reason: 'another child has failed' }) =>
        this.cancel(instanceId, { tenant, ...how }),
      onStimulus: (instanceId) => this.#wake(`stim:${instanceId}`),
    })
    this.tasks = this.#outside.tasks
    this.humanTasks = this.#outside.humanTasks
    this.resumeTokens = this.#outside.resumeTokens
    this.http = this.#outside.http
    const { eventTtlMs, locks, secrets } = this.#o
    this.#executions = new Executions({
      ...{ clock, random, logger: logger.area('workflow'), eventTtlMs, locks, secrets, limits: this.#limits },
      ...{ programs: this.#programs, activities: this.activities, sandbox: this.#sandbox },
      ...{ steps: this.#steps, outside: this.#outside.graphs },
    })
    this.cluster = new Cluster({
      ...{ store: store.membership, bus: this.#o.bus, nodeId: () => this.nodeId },
      ...{ heartbeatMs: this.#o.heartbeatMs, ttlMs: this.#o.ttlMs },
      state: () => this.#session.duty.state,
      onOwnOrder: () => this.#session.hearOrders(),
    })
    this.schedules = this.#scheduling.schedules
    this.jobs = this.#scheduling.jobs
    this.#upkeep = new Upkeep({
      ...{ store, clock, random, logger, locks: this.#o.locks, retention: this.#o.retention },
      ...{ pollMs: this.#o.pollMs, programs: this.#programs },
      nodeId: () => this.nodeId,
      isPressed: () => !this.#session.worker.hasRoom,
      onRepaired: () => this.#wake('due'),
    })
    this.retention = this.#upkeep.retention
    this.maintenance = this.#upkeep.maintenance
    this.#operating = new Operating({
      ...{ store, clock, logger: logger.area('operator'), programs: this.#programs, planner: this.#planner },
      bus: this.#o.bus,
      definitions: store.definitions,
      flow: this.#flow.starts,
      pollMs: this.#o.pollMs,
      newId: this.#newId,
      nodeId: () => this.nodeId,
      functionShell: () => this.#executions.functionShell,
      onSent: (instanceId) => this.#wake(`stim:${instanceId}`),
      onDue: () => this.#wake('due'),
      onReopened: () => this.#flow.reopened(),
      remove: (instanceId, options) => this.retention.delete(instanceId, options),
    })
    this.verbs = this.#operating.verbs
    this.incidents = this.#operating.incidents
    this.bulk = this.#operating.bulk
    this.#sessions = new NodeSessions({
      ...{ clock, logger, heartbeatMs: this.#o.heartbeatMs },
      make: (wanted) => this.#newSession(wanted),
      onRejoined: () => this.#scheduling.rejoined(),
    })
  }

  static async open(options: EngineOptions): Promise<Engine> {
    const engine = new Engine(options)
    for (const workflow of engine.#programs.workflows) {
      await engine.#o.store.definitions.registerFunction(DEFAULT_TENANT, workflow.id, workflow.version, workflow.tags)
    }
    await engine.#flow.declare()
    await engine.#session.begin()
    engine.#flow.run()
    engine.#cacheNews()
    engine.#events.run()
    engine.#outside.run()
    engine.retention.run()
    if (engine.#o.maintenance) engine.maintenance.run()
    engine.bulk.run()
    engine.#steps.run()
    try {
      await engine.#scheduling.begin()
    } catch (error) {
      await engine.close(0)
      throw error
    }
    return engine
  }

  get #session(): NodeSession {
    return this.#sessions.current
  }

  get nodeId(): string {
    return this.#session.id
  }

  /** Epoch ms, by the store's clock where this node's own is wrong: what people read is the same on every node. */
  storeTime(): number {
    return this.#o.clock.now() - this.#session.skewMs
  }

  get stats() {
    return { ...this.#session.pipeline.stats, heldCount: this.#session.worker.heldCount }
  }

  /** Settles when the instance is durable. */
  start(request: StartRequest): Promise<StartedInstance> {
    if (this.#traces === undefined) return this.#starter.start(request)
    return this.#traces.starting(request.definitionId, request.trace, (trace) =>
      this.#starter.start({ ...request, trace }),
    )
  }

  /** Many at once, for any node to pick up; answers ids in order. Faster than as many starts, and as durable. */
  startMany(requests: readonly Omit<StartRequest, 'tx'>[]): Promise<readonly StartedInstance[]> {
    if (this.#traces === undefined) return this.#starter.startMany(requests)
    return this.#traces.starting('many', undefined, (trace) =>
      this.#starter.startMany(requests.map((request) => ({ trace, ...request }))),
    )
  }

  /** `undefined`: it had not ended when the time was over. */
  waitForEnd(
    instanceId: string,
    options: { readonly tenant?: string; readonly limitMs?: number; readonly here?: boolean } = {},
  ): Promise<InstanceEnd | undefined> {
    const { tenant = DEFAULT_TENANT, limitMs = Number.MAX_SAFE_INTEGER, here = false } = options
    return this.#results.wait(tenant, instanceId, limitMs, here)
  }

  /** The same for who wants to see the instance then: with what can be told of it without asking the store. */
  waitForLast(
    instanceId: string,
    { tenant, limitMs, here }: { readonly tenant: string; readonly limitMs: number; readonly here: boolean },
  ): Promise<InstanceState | undefined> {
    return this.#results.waitLast(tenant, instanceId, limitMs, here)
  }

  /** The answer comes after the decision is durable. One that arrives before its bookmark waits for it a short time. */
  resume(request: ResumeRequest): Promise<ResumeOutcome> {
    return this.#stimuli.resume(request)
  }

  /** Settles when the event is durable and those who wait for it now were told. */
  publish(request: PublishRequest): Promise<PublishedTo> {
    return this.#stimuli.publish(request)
  }

  /** What it did is undone first, unless told otherwise; children that it waits for are cancelled too. `false`: unknown, or ended already. */
  cancel(instanceId: string, options: { readonly tenant?: string } & CancelOptions = {}): Promise<boolean> {
    return this.#stimuli.cancel(instanceId, options)
  }

  get(instanceId: string, tenant: string = DEFAULT_TENANT): Promise<InstanceView> {
    return this.#reads.get(tenant, instanceId)
  }

  /** What a page shows of an instance, from memory where that is still right. `exact`: never behind, however often it is asked. */
  async state(
    instanceId: string,
    options: { readonly tenant?: string; readonly exact?: boolean } = {},
  ): Promise<StateAnswer> {
    const { tenant = DEFAULT_TENANT, exact = false } = options
    const found = await this.#states.read(tenant, instanceId, { exact })
    if (found === undefined) throw new InstanceNotFound({ instanceId })
    return found
  }

  /** The same, at once, of one that is read very often; `undefined`: ask `state`. */
  hotState(instanceId: string, tenant: string = DEFAULT_TENANT): StateAnswer | undefined {
    return this.#states.hot(tenant, instanceId)
  }

  journal(
    instanceId: string,
    afterSeq = 0,
    limit = 1_000,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly JournalRow[]> {
    return this.#reads.journal(tenant, instanceId, afterSeq, limit)
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
    return (await this.#reads.standing(instanceId))?.variables
  }

  /** What it was after the fact with this number: variables, live steps, waits. Absent: as it is now. */
  stateAt(instanceId: string, seq?: number, tenant: string = DEFAULT_TENANT): Promise<StateAt> {
    return this.#reads.stateAt(tenant, instanceId, seq)
  }

  /** What every activity had done by the fact with this number, over the whole journal. Absent: by now. */
  activitiesAt(instanceId: string, seq?: number, tenant: string = DEFAULT_TENANT): Promise<ActivitiesAt> {
    return this.#reads.activitiesAt(tenant, instanceId, seq)
  }

  /** What it did with its time, page by page. `after` absent: from its first fact on. */
  timeline(
    instanceId: string,
    { after = { seq: 0, n: 0 }, limit, tenant = DEFAULT_TENANT }: TimelineRequest,
  ): Promise<TimelinePage> {
    return this.#reads.timeline(tenant, instanceId, after, limit)
  }

  /** What the expressions of a step see, or saw. */
  scopeAt(instanceId: string, asked: ScopeRequest = {}, tenant: string = DEFAULT_TENANT): Promise<ScopeAt> {
    return this.#reads.scopeAt(tenant, instanceId, asked)
  }

  /** What an expression would give there. Changes nothing. */
  async previewExpression(
    source: string,
    { instanceId, tenant = DEFAULT_TENANT, ...asked }: ScopeRequest & { instanceId: string; tenant?: string },
  ): Promise<PreviewResult & Omit<ScopeAt, 'scope'>> {
    const { scope, ...place } = await this.#reads.scopeAt(tenant, instanceId, asked)
    return { ...(await this.#preview.evaluate(source, scope)), ...place }
  }

  /** How far the running steps of an instance have come, as they say. */
  progress(
    instanceId: string,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly (ProgressRow & { readonly at: number })[]> {
    return this.#steps.progressOf(tenant, instanceId)
  }

  /** Which steps can be undone, are being undone, or were; in order of completion. */
  compensations(instanceId: string, tenant: string = DEFAULT_TENANT): Promise<readonly CompensationView[]> {
    return readCompensations({ store: this.#o.store, programs: this.#programs }, tenant, instanceId)
  }

  /** Checks what must always hold, and mends what can be mended without a doubt when `repair` is set. */
  doctor(options: DoctorOptions = {}): Promise<DoctorReport> {
    return this.#upkeep.doctor(options)
  }

  /** Why an instance stands where it stands: what it waits for, who has it, what is in its way, when it will move. */
  why(instanceId: string, tenant: string = DEFAULT_TENANT): Promise<Why> {
    const { store, ttlMs, blockerSources, locks } = this.#o
    const reader = { store, programs: this.#programs }
    const sagas = sagaBlockers(reader)
    const sources = [this.#steps.blockers, sagas, lockBlockers(reader, locks), ...blockerSources]
    const { nodeId } = this
    const here = { nodeId, ttlMs, queues: this.#planner.queues(), hasRoom: this.#session.worker.hasRoom }
    return askWhy({ store, here, sources, faulted: sagas }, tenant, instanceId)
  }

  /** Puts others in the place of all activities that the application added. Attempts that run finish with the code they began with. */
  replaceActivities(own: readonly CustomActivity[]): void {
    this.activities.replace(own)
    this.#session.worker.coolDown()
  }

  /** Hands over what this node has and takes nothing more, but goes on answering: the first half of `close`. */
  async retire(drainMs: number = this.#o.drainMs): Promise<void> {
    this.#flow.hurry()
    await Promise.all([this.#scheduling.standAside(), this.#session.retire(drainMs)])
  }

  /** Lets running effects finish for `drainMs`, hands everything over and leaves. */
  async close(drainMs: number = this.#o.drainMs): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#sessions.stop()
    this.#events.stop()
    this.caches.stop()
    this.#unsubscribe()
    this.#outside.stop()
    const resigned = this.#scheduling.stop()
    this.#flow.stop()
    await this.#upkeep.stop()
    await this.bulk.stop()
    try {
      await this.#sessions.leave(drainMs)
    } finally {
      await resigned
      await this.#steps.stop()
      await this.#preview.close()
      await this.#sandbox.close()
    }
  }

  #newSession(wanted: WantedState): NodeSession {
    const nodeId = this.#newId()
    this.#o.onIncarnation(nodeId)
    return new NodeSession({
      ...this.#o,
      nodeId,
      wanted,
      onState: (state) => this.#entered(state),
      newId: this.#newId,
      queues: () => this.#planner.queues(),
      open: (identity, host) => this.#executions.open(identity, host),
      startChild: (parent, child) => this.#starter.startChild(parent, child, this.#traces?.of(parent.instanceId)),
      traces: this.#traces,
      operators: this.#operating.operators,
      onMoved: (instanceId) => this.#stimuli.moved(instanceId),
      onPublished: (tenant, ids) => {
        for (const id of ids)
          void this.#events
            .deliver(tenant, id)
            .catch((error: unknown) => this.#o.logger.warn('event not delivered yet', { reason: errorMessage(error) }))
      },
      onEnded: (identity, { status, output, error }, last) => {
        this.#states.forget(identity.instanceId)
        this.#results.ended(identity.instanceId, { status, output, error }, last)
        this.results.ended(identity.instanceId)
        this.#outside.ended(identity.instanceId)
        this.#scheduling.ended(identity.definitionId)
        this.#flow.ended(identity.tenant, identity.definitionId)
      },
      onBuried: () => this.#sessions.buried(),
      onBurial: (buried) => {
        this.bulk.buried()
        if (this.#o.scheduler === 'leader') this.#scheduling.buried(buried)
      },
    })
  }

  /** A drained node fires no schedules either. */
  #entered(state: NodeState): void {
    if (this.#closed) return
    if (state === 'draining') void this.#scheduling.standAside()
    if (state === 'active' || state === 'cordoned') this.#scheduling.takePart()
    this.#o.onState(state)
  }

  /** An operator took a lock from whoever held it. Settles when that is written down; what it was done with is done either way. */
  lockBroken(detail: { readonly lock: string; readonly reason: string; readonly released: number }): Promise<void> {
    return this.#noteEvent({ kind: 'lock-broken', detail })
  }

  #noteEvent(event: Pick<NewClusterEvent, 'kind' | 'detail'>): Promise<void> {
    const { store, name, logger } = this.#o
    return store.membership
      .note({ ...event, nodeId: this.nodeId, name })
      .catch((error: unknown) => logger.warn('event not written', { kind: event.kind, reason: errorMessage(error) }))
  }

  /** Whoever hears that something happens to an instance looks at it anew; whoever does not finds out by its stamp. */
  #cacheNews(): void {
    this.caches.run()
    this.#unsubscribe = this.#o.bus.subscribe((topic) => {
      if (topic.startsWith('stim:')) this.#states.forget(topic.slice('stim:'.length))
      else this.#definitionNews.hear(topic)
    })
  }

  /** Another version is the published one. */
  #pointed(pointed: PointedDefinition): void {
    this.#planner.clear()
    this.#definitionNews.tell(pointed)
    this.#scheduling.changed()
  }

  #wake(topic: string): void {
    if (topic.startsWith('stim:')) {
      this.#states.forget(topic.slice('stim:'.length))
      this.#session.worker.nudge(topic.slice('stim:'.length))
      this.#flow.stimulated()
    } else this.#session.worker.wake()
    this.#o.bus.publish(topic)
  }
}

/** Jobs are workflows too, and a node that has any can run batches of them. */
function workflowsOf({ workflows, jobs }: Required<EngineOptions>): readonly AnyWorkflow[] {
  return jobs.length === 0
    ? workflows
    : [...workflows, ...jobs.map((job) => job.workflow), batchWorkflow as AnyWorkflow]
}

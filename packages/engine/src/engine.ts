/** The engine of one node: what programs and servers call. Everything durable is the store's, everything running is the session's. */
import { errorMessage, InvalidOption, type Json, LazyAbort, sleep, uuidSource } from '@lockstep/base'
import { type ActivityRegistry, activityRegistry } from './activity/activity-registry.ts'
import { Definitions } from './definition/definitions.ts'
import { BookmarkAmbiguous, DefinitionNotFound, InputInvalid, InstanceNotFound } from './definition/errors.ts'
import { type Program, Programs } from './definition/programs.ts'
import { type EngineOptions, resolveEngineOptions } from './engine-options.ts'
import { Events } from './event/events.ts'
import { openSandbox, type Sandbox } from './expression/sandbox.ts'
import { functionContext } from './function/function-context.ts'
import { FunctionExecution } from './function/function-execution.ts'
import { type InstanceEnd, InstanceResults } from './instance/instance-results.ts'
import { factFromRow, factToRow, type StartedFact } from './journal/fact.ts'
import { NodeSession } from './node/node-session.ts'
import { toPayload } from './step/payload.ts'
import type { StartItem } from './store/commit-store.ts'
import { Fenced } from './store/errors.ts'
import type { InstanceView, JournalRow } from './store/instance-reader.ts'
import type { ResumeVerdict } from './store/stimulus-store.ts'
import type { UserTransaction } from './store/transaction-store.ts'
import type { ChildStart, Execution, ExecutionHost, InstanceIdentity } from './worker/execution.ts'
import { GraphExecution } from './worker/graph-execution.ts'

export const DEFAULT_TENANT = 'default'
const GRAPH_QUEUE = 'default'
const RESUME_LOOK_MS = 20

export interface StartRequest {
  readonly tenant?: string
  readonly definitionId: string
  /** @default the published version */
  readonly version?: number
  readonly input?: unknown
  readonly correlationId?: string
  /** Two starts of one definition with the same key are one instance. */
  readonly dedupeKey?: string
  /** Joins the caller's own transaction: the instance exists when that commits. */
  readonly tx?: UserTransaction
}

export interface StartedInstance {
  readonly instanceId: string
  /** `false`: an instance with the same dedupe key was there first; this is its id. */
  readonly created: boolean
  /** Whether it runs on this node. */
  readonly here: boolean
}

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

interface StartPlan {
  readonly version: number | undefined
  /** Only graphs have a schema for their input. */
  readonly checksInput: boolean
  readonly queue: string
  readonly claimable: boolean
}

export class Engine {
  readonly definitions: Definitions
  readonly activities: ActivityRegistry
  readonly #o: ReturnType<typeof resolveEngineOptions>
  readonly #newId: () => string
  readonly #programs: Programs
  readonly #sandbox: Sandbox
  readonly #results: InstanceResults
  readonly #events: Events
  /** What kind of definition an id names never changes. */
  readonly #kinds = new Map<string, 'graph' | 'function'>()
  /** The version that the last start got: a guess for checking input early, never a decision. */
  readonly #lastVersions = new Map<string, number>()
  #session: NodeSession
  #closed = false

  private constructor(options: EngineOptions) {
    this.#o = resolveEngineOptions(options)
    const { store, clock, random, logger } = this.#o
    this.#newId = uuidSource(clock, random)
    this.activities = activityRegistry(this.#o.activities)
    this.definitions = new Definitions(store.definitions, this.activities)
    this.#programs = new Programs(store.definitions, this.activities, this.#o.workflows)
    this.#sandbox = openSandbox({ clock, logger: logger.area('expression') })
    this.#results = new InstanceResults(store.instances, clock)
    this.#events = new Events({
      stimuli: store.stimuli,
      clock,
      logger: logger.area('event'),
      onMatched: () => this.#wake('due'),
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
    return engine
  }

  get nodeId(): string {
    return this.#session.id
  }

  get stats() {
    return { ...this.#session.pipeline.stats, heldCount: this.#session.worker.heldCount }
  }

  /** Settles when the instance is durable. */
  async start(request: StartRequest): Promise<StartedInstance> {
    const { tenant = DEFAULT_TENANT, definitionId, correlationId, dedupeKey } = request
    checkText(correlationId, 'correlationId')
    checkText(dedupeKey, 'dedupeKey')
    const input = toPayload(request.input ?? null, 'The input')
    const plan =
      this.#planHere(definitionId, request.version) ?? (await this.#plan(tenant, definitionId, request.version))
    if (plan.checksInput) await this.#checkInput(tenant, definitionId, plan.version, input)
    const started: StartedFact = { kind: 'started', input, ...(correlationId === undefined ? {} : { correlationId }) }
    const session = this.#session
    const claimed = request.tx === undefined && plan.claimable && session.worker.hasRoom
    const item: StartItem = {
      tenant,
      instanceId: this.#newId(),
      definitionId,
      version: plan.version,
      correlationId,
      dedupeKey,
      parentId: undefined,
      parentStep: undefined,
      queue: plan.queue,
      claimed,
      dueInMs: 0,
      started: factToRow(started),
    }
    if (request.tx !== undefined) return this.#startWithin(request.tx, item)
    return this.#begin(item, started)
  }

  /** Many at once, for any node to pick up; answers ids in order. Faster than as many starts, and as durable. */
  async startMany(requests: readonly Omit<StartRequest, 'tx'>[]): Promise<readonly StartedInstance[]> {
    return Promise.all(requests.map((request) => this.start(request)))
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
    const execution = new GraphExecution(program.graph, this.#graphShell(), readOnlyHost(loaded))
    execution.replay(
      loaded.snapshotAt === undefined ? undefined : { state: loaded.snapshot, at: loaded.snapshotAt },
      loaded.facts,
    )
    return execution.state.variables
  }

  /** Lets running effects finish for `drainMs`, hands everything over and leaves. */
  async close(drainMs = 20_000): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#events.stop()
    try {
      await this.#session.leave(drainMs)
    } finally {
      await this.#sandbox.close()
    }
  }

  // Starting.

  async #begin(item: StartItem, started: StartedFact): Promise<StartedInstance> {
    const session = this.#session
    using _ = session.worker.expect(item.instanceId)
    const { verdict, at } = await session.pipeline.start(item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') throw new DefinitionNotFound({ definitionId: item.definitionId })
    this.#lastVersions.set(`${item.tenant}\n${item.definitionId}`, verdict.version)
    if (item.claimed && !session.isOver) {
      const { tenant, instanceId, definitionId, correlationId, parentId, parentStep } = item
      const identity: InstanceIdentity = {
        tenant,
        instanceId,
        definitionId,
        version: verdict.version,
        correlationId,
        parentId,
        parentStep,
      }
      const { kind: _kind, ...data } = started
      void session.worker.adopt({ identity, claimNo: 1, stim: 0, crashes: 1, seq: 1, bookmarks: new Map() }, at, data)
    } else this.#wake('due')
    return { instanceId: item.instanceId, created: true, here: item.claimed }
  }

  async #startWithin(tx: UserTransaction, item: StartItem): Promise<StartedInstance> {
    const verdict = await this.#o.store.transactions.startWithin(tx, this.nodeId, item)
    if (verdict.kind === 'duplicate') return { instanceId: verdict.instanceId, created: false, here: false }
    if (verdict.kind === 'unknown-definition') throw new DefinitionNotFound({ definitionId: item.definitionId })
    return { instanceId: item.instanceId, created: true, here: false }
  }

  async #startChild(parent: InstanceIdentity, child: ChildStart): Promise<void> {
    const plan = await this.#plan(parent.tenant, child.definitionId, child.version)
    if (plan.checksInput) await this.#checkInput(parent.tenant, child.definitionId, plan.version, child.input)
    const started: StartedFact = {
      kind: 'started',
      input: child.input,
      depth: child.depth,
      ...(child.correlationId === undefined ? {} : { correlationId: child.correlationId }),
    }
    const item: StartItem = {
      tenant: parent.tenant,
      instanceId: child.instanceId,
      definitionId: child.definitionId,
      version: plan.version,
      correlationId: child.correlationId,
      dedupeKey: `child:${child.instanceId}`,
      parentId: parent.instanceId,
      parentStep: child.awaited ? child.step : undefined,
      queue: plan.queue,
      claimed: plan.claimable && this.#session.worker.hasRoom,
      dueInMs: 0,
      started: factToRow(started),
    }
    await this.#begin(item, started)
  }

  /** Where a definition runs. Functions are pinned to the version this node has; graphs take what is published when they start. */
  async #plan(tenant: string, definitionId: string, version: number | undefined): Promise<StartPlan> {
    const here = this.#planHere(definitionId, version)
    if (here !== undefined) return here
    const key = `${tenant}\n${definitionId}`
    const graph: StartPlan = { version, checksInput: true, queue: GRAPH_QUEUE, claimable: true }
    if (this.#kinds.get(key) === 'graph' && version === undefined) return graph
    const found = await this.#o.store.definitions.draft(tenant, definitionId)
    if (found === undefined) throw new DefinitionNotFound({ definitionId })
    this.#kinds.set(key, found.kind)
    if (version !== undefined && (await this.#o.store.definitions.version(tenant, definitionId, version)) === undefined)
      throw new DefinitionNotFound({ definitionId, version })
    if (found.kind === 'graph') return graph
    const pinned = version ?? found.published
    return { version: pinned, checksInput: false, queue: functionQueue(definitionId, pinned ?? 1), claimable: false }
  }

  /** The plan for a function that this node has; nothing needs to be asked for it. */
  #planHere(definitionId: string, version: number | undefined): StartPlan | undefined {
    const workflow = this.#programs.workflow(definitionId)
    if (workflow === undefined || (version !== undefined && version !== workflow.version)) return undefined
    const queue = functionQueue(definitionId, workflow.version)
    return { version: workflow.version, checksInput: false, queue, claimable: true }
  }

  async #checkInput(tenant: string, definitionId: string, version: number | undefined, input: Json): Promise<void> {
    const known =
      version ??
      this.#lastVersions.get(`${tenant}\n${definitionId}`) ??
      (await this.#o.store.definitions.draft(tenant, definitionId))?.published
    if (known === undefined) return
    const program = await this.#programs.get(tenant, definitionId, known).catch(() => undefined)
    if (program !== undefined) checkInput(program, definitionId, input)
  }

  // Running.

  async #open(identity: InstanceIdentity, host: ExecutionHost): Promise<Execution> {
    const program = await this.#programs.get(identity.tenant, identity.definitionId, identity.version)
    if (program.kind === 'function')
      return new FunctionExecution(program.workflow, { ...this.#shell(), contextOf: functionContext }, host)
    return new GraphExecution(program.graph, this.#graphShell(), host)
  }

  #shell() {
    const { clock, random, logger, eventTtlMs, mostDepth } = this.#o
    return { clock, random, logger: logger.area('workflow'), eventTtlMs, mostDepth }
  }

  #graphShell() {
    return { ...this.#shell(), activities: this.activities, sandbox: this.#sandbox }
  }

  #newSession(): NodeSession {
    const nodeId = this.#newId()
    this.#o.onIncarnation(nodeId)
    return new NodeSession({
      ...this.#o,
      nodeId,
      newId: this.#newId,
      queues: () => [GRAPH_QUEUE, ...[...this.#programs.workflows].map((each) => functionQueue(each.id, each.version))],
      open: (identity, host) => this.#open(identity, host),
      startChild: (parent, child) => this.#startChild(parent, child),
      onPublished: (tenant, ids) => {
        for (const id of ids)
          void this.#events
            .deliver(tenant, id)
            .catch((error: unknown) => this.#o.logger.warn('event not delivered yet', { reason: errorMessage(error) }))
      },
      onEnded: (identity, status, output, error) => this.#results.ended(identity.instanceId, { status, output, error }),
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

const functionQueue = (id: string, version: number): string => `fn/${id}/${version}`

function checkInput(program: Program, definitionId: string, input: Json): void {
  if (program.kind !== 'graph' || program.checkInput === undefined || program.checkInput(input)) return
  const problems = (program.checkInput.errors ?? []).map((error) => ({
    pointer: error.instancePath,
    text: error.message ?? 'does not fit',
  }))
  throw new InputInvalid({ definitionId, problems })
}

const LONGEST_TEXT = 512

/** Texts that stand in indexes: short, and without the one character that the store cannot hold. */
function checkText(value: string | undefined, option: string): void {
  if (value === undefined || (value.length > 0 && value.length <= LONGEST_TEXT && !value.includes('\0'))) return
  throw new InvalidOption({ option, rule: `text of 1 to ${LONGEST_TEXT} characters without NUL` })
}

/** For folding only: nothing may be asked of it. */
function readOnlyHost(identity: InstanceIdentity): ExecutionHost {
  const refuse = (): never => {
    throw new Fenced({ nodeId: 'none' })
  }
  return {
    identity,
    abort: new LazyAbort(),
    record: refuse,
    propose: refuse,
    durable: refuse,
    effect: refuse,
    transact: refuse,
    startChild: refuse,
    storeNow: () => 0,
    newId: refuse,
    changed: () => {},
  }
}

/**
 * The shell around the graph interpreter: evaluates inputs, runs handlers, feeds their results back as facts and tells its
 * host what to write. All decisions about what comes next are the interpreter's; all waiting is the host's.
 *
 * An effect starts only when everything before it is durable. What needs no effect runs on in the same turn and is written
 * with it. While a time-out is being put to the store nothing is folded: results wait, so that the order of facts in memory
 * is the order in the journal.
 */
import {
  type Clock,
  hashJson,
  isJsonObject,
  type Json,
  type JsonObject,
  LazyAbort,
  type Logger,
  type Random,
} from '@lockstep/base'
import type { ActivityContext, ActivityResult, RunnableActivity } from '../activity/activity-handler.ts'
import type { ActivityRegistry } from '../activity/activity-registry.ts'
import { type CompiledExpression, evaluateExpression } from '../expression/expression.ts'
import type { Sandbox } from '../expression/sandbox.ts'
import { applyFact } from '../graph/apply-fact.ts'
import { expressionScope } from '../graph/expression-scope.ts'
import { type GraphProgram, isConnected } from '../graph/graph-program.ts'
import { type GraphState, initialState, type OpenWait } from '../graph/graph-state.ts'
import { fillTemplate } from '../graph/input-template.ts'
import { openContainer } from '../graph/open-container.ts'
import { isLive, resetReady, type StepToRun, takeCancelled, takeDueRetries, takeReady } from '../graph/ready.ts'
import { retryDelayMs } from '../graph/retry-policy.ts'
import { verdict } from '../graph/verdict.ts'
import { dueWaits, nextDueAt, nextDueInMs, openWaits, stamp } from '../graph/waits.ts'
import { type Fact, type Failure, factFromRow, type StepKey, type Wait } from '../journal/fact.ts'
import { toFailure } from '../step/failure.ts'
import { toPayload } from '../step/payload.ts'
import { runAttempt } from '../step/run-attempt.ts'
import { WorkflowFault } from '../step/workflow-fault.ts'
import type { InboxMessage, RecordedFact } from '../store/agenda-store.ts'
import type { NewEvent, NewIncident } from '../store/commit-store.ts'
import { bookmarksFor } from './bookmarks-for.ts'
import type { Change, Execution, ExecutionHost, Posture } from './execution.ts'

export interface GraphShell {
  readonly activities: ActivityRegistry
  readonly sandbox: Sandbox
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long published events are kept for a bookmark that opens later. */
  readonly eventTtlMs: number
  readonly mostDepth: number
}

type Run = StepToRun<CompiledExpression>

/** Inline steps of one turn; then others get a turn too, and what was recorded can leave. */
const TURN_STEPS = 500
/** Facts after which a snapshot is cheaper to read than they are. */
const SNAPSHOT_AFTER = 64

export class GraphExecution implements Execution {
  readonly #program: GraphProgram<CompiledExpression>
  readonly #shell: GraphShell
  #host: ExecutionHost
  #state: GraphState
  #depth = 0
  #snapshotSeq = 0
  #replayed = false
  #activeCount = 0
  #turnScheduled = false
  #advancing = false
  #frozen = false
  #thaw: (() => void)[] = []
  #disposed = false
  readonly #running = new Map<StepKey, LazyAbort>()

  constructor(program: GraphProgram<CompiledExpression>, shell: GraphShell, host: ExecutionHost) {
    this.#program = program
    this.#shell = shell
    this.#host = host
    this.#state = initialState(program)
  }

  get state(): GraphState {
    return this.#state
  }

  replay(snapshot: { readonly state: unknown; readonly at: number } | undefined, facts: readonly RecordedFact[]): void {
    if (snapshot !== undefined) {
      this.#state = snapshot.state as GraphState
      this.#snapshotSeq = this.#state.seq
      stamp(this.#state, snapshot.at)
    }
    for (const row of facts) {
      const fact = factFromRow(row)
      if (fact.kind === 'started') this.#depth = fact.depth ?? 0
      applyFact(this.#program, this.#state, fact, row.at)
    }
    resetReady(this.#program, this.#state)
    this.#replayed = facts.length > 1 || snapshot !== undefined
  }

  advance(): void {
    if (this.#replayed) this.#restartChildren()
    this.#turn()
  }

  deliver(message: InboxMessage): void {
    this.#whenThawed(() => {
      const step = message.step ?? ''
      const wait = openWaits(this.#state).find((each) => each.step === step)
      if (wait === undefined) return
      this.#fold(
        message.kind === 'child'
          ? this.#childEnded(wait, message.payload)
          : completed(step, message.kind === 'event' ? 'event' : 'resume', message.payload),
      )
      this.#turn()
    })
  }

  fire(now: number): void {
    if (this.#frozen || this.#disposed) return
    const late: OpenWait[] = []
    for (const wait of dueWaits(this.#state, now)) {
      if (!this.#isAlive(wait.step)) continue // cancelled by one that fired before it
      if (wait.wait.kind === 'timer') this.#fold({ kind: 'completed', step: wait.step, outcome: 'done', by: 'timer' })
      else if (wait.wait.kind === 'timeout')
        this.#fold({
          kind: 'failed',
          step: wait.step,
          attempt: 1,
          error: { code: 'TIMED_OUT', message: `"${wait.step}" took longer than ${wait.wait.ms} ms`, step: wait.step },
        })
      else if (wait.wait.kind !== 'retry') late.push(wait)
    }
    const [first] = late
    if (first !== undefined) this.#proposeTimeout(first)
    this.#turn()
  }

  stamp(at: number, upToSeq: number): void {
    stamp(this.#state, at, upToSeq)
  }

  posture(): Posture {
    const end = verdict(this.#state)
    if (end !== undefined) {
      return {
        kind: 'ended',
        status: end.status,
        output: end.status === 'completed' ? end.output : null,
        error: end.status === 'faulted' ? end.error : undefined,
      }
    }
    if (this.#activeCount > 0 || this.#turnScheduled || this.#frozen) return { kind: 'active' }
    return { kind: 'waiting', dueAt: nextDueAt(this.#state), dueInMs: nextDueInMs(this.#state) }
  }

  snapshot(): string | undefined {
    if (this.#state.seq - this.#snapshotSeq < SNAPSHOT_AFTER) return undefined
    this.#snapshotSeq = this.#state.seq
    return JSON.stringify(this.#state)
  }

  attach(host: ExecutionHost): void {
    this.#host = host
    this.#replayed = false
  }

  dispose(reason: unknown): void {
    this.#disposed = true
    for (const controller of this.#running.values()) controller.abort(reason)
    this.#running.clear()
  }

  // Running steps.

  /** Hands out what is ready until nothing is, or others should have a turn. */
  #turn(): void {
    if (this.#advancing || this.#frozen || this.#disposed) return
    this.#advancing = true
    try {
      for (let count = 0; ; count += 1) {
        const ready = [
          ...takeReady(this.#program, this.#state),
          ...takeDueRetries(this.#program, this.#state, this.#host.storeNow()),
        ]
        if (ready.length === 0) break
        for (const run of ready) if (this.#isAlive(run.step)) this.#begin(run)
        this.#dropCancelled()
        if (count >= TURN_STEPS) {
          this.#continueLater()
          break
        }
      }
    } finally {
      this.#advancing = false
    }
    this.#host.changed()
  }

  #continueLater(): void {
    if (this.#turnScheduled) return
    this.#turnScheduled = true
    this.#shell.clock.soon(() => {
      this.#turnScheduled = false
      this.#turn()
    })
  }

  #isAlive(step: StepKey): boolean {
    return isLive(this.#state, step)
  }

  #begin(run: Run): void {
    if (run.unclear) return this.#reportUnclear(run)
    const { inputs } = run.activity
    if (inputs.literal !== undefined) return this.#execute(run, inputs.literal)
    try {
      const values = this.#evaluateNow(run)
      if (values !== undefined) return this.#execute(run, fillTemplate(inputs, values))
    } catch (error) {
      return this.#failed(run, error)
    }
    void this.#evaluate(run)
  }

  /** `undefined`: at least one of them is for the sandbox. */
  #evaluateNow(run: Run): Json[] | undefined {
    const scope = expressionScope(this.#program, this.#state, run.step)
    const values: Json[] = []
    for (const expression of run.activity.inputs.expressions) {
      const value = expression.evaluate?.(scope)
      if (value === undefined) return undefined
      values.push(value)
    }
    return values
  }

  async #evaluate(run: Run): Promise<void> {
    this.#activeCount += 1
    try {
      // Taken now: the scope shows the state's own objects, and others may change them before the sandbox answers.
      const scope = structuredClone({ ...expressionScope(this.#program, this.#state, run.step) })
      const values = await Promise.all(
        run.activity.inputs.expressions.map((each) => evaluateExpression(each, scope, this.#shell.sandbox)),
      )
      this.#whenThawed(() => this.#isAlive(run.step) && this.#execute(run, fillTemplate(run.activity.inputs, values)))
    } catch (error) {
      this.#whenThawed(() => this.#isAlive(run.step) && this.#failed(run, error))
    } finally {
      this.#activeCount -= 1
      this.#whenThawed(() => this.#turn())
    }
  }

  #execute(run: Run, inputs: JsonObject): void {
    const { activity, step } = run
    const problem = this.#shell.activities.check(activity.type.type, inputs)
    if (problem !== undefined)
      return this.#failed(run, new WorkflowFault({ message: problem, faultCode: 'INVALID_INPUT' }))
    if (activity.container !== undefined) {
      const opened = openContainer(run, inputs)
      return 'kind' in opened
        ? this.#fold(opened)
        : this.#fold({ kind: 'failed', step, attempt: run.attempt, error: { ...opened, step } })
    }
    if (activity.type.type === 'run-workflow') return this.#runWorkflow(run, inputs)
    const handler = this.#shell.activities.handler(activity.type.type)
    if (handler === undefined)
      return this.#failed(
        run,
        new WorkflowFault({
          message: `This node has no code for activity type "${activity.type.type}"`,
          faultCode: 'UNKNOWN_ACTIVITY_TYPE',
        }),
      )
    if (handler.runs === 'effect') return void this.#runEffect(run, handler, inputs)
    try {
      this.#settle(run, handler.run(inputs, this.#context(run, this.#host.abort)))
    } catch (error) {
      this.#failed(run, error)
    }
  }

  async #runEffect(run: Run, handler: RunnableActivity, inputs: JsonObject): Promise<void> {
    const { step, activity, attempt } = run
    const abort = new LazyAbort(this.#host.abort)
    this.#running.set(step, abort)
    this.#activeCount += 1
    let finish: () => void
    try {
      if (activity.effect === 'atMostOnce') this.#fold({ kind: 'attempting', step, attempt })
      await this.#host.durable()
      const result = await this.#host.effect(() =>
        runAttempt(this.#shell.clock, abort, `Step "${step}"`, activity.timeoutMs, async (own) =>
          handler.run(inputs, this.#context(run, own)),
        ),
      )
      const checked =
        result.kind === 'completed' && result.output !== undefined
          ? { ...result, output: toPayload(result.output, `The output of step "${step}"`) }
          : result
      finish = () => this.#settle(run, checked)
    } catch (error) {
      finish = () => this.#failed(run, error)
    }
    abort.release()
    this.#running.delete(step)
    this.#whenThawed(() => {
      this.#activeCount -= 1
      if (this.#isAlive(step)) finish()
      this.#turn()
    })
  }

  #context(run: Run, abort: LazyAbort): ActivityContext {
    const { instanceId, definitionId, correlationId } = this.#host.identity
    return {
      instanceId,
      definitionId,
      correlationId,
      step: run.step,
      attempt: run.attempt,
      idempotencyKey: `${instanceId}:${run.step}`,
      get signal() {
        return abort.signal
      },
      logger: this.#shell.logger,
    }
  }

  #settle(run: Run, result: ActivityResult): void {
    const { step } = run
    if (result.kind === 'waiting') return this.#wait(step, result.wait)
    const { outcome, output, assign, result: named, publish } = result
    const fact: Fact = {
      kind: 'completed',
      step,
      outcome,
      ...(output === undefined ? {} : { output }),
      ...(assign === undefined ? {} : { assign }),
      ...(named === undefined ? {} : { result: named }),
      ...(run.attempt > 1 ? { attempt: run.attempt } : {}),
    }
    this.#fold(fact, publish === undefined ? {} : { publishes: [this.#event(publish)] })
  }

  #event(publish: {
    readonly name: string
    readonly correlationId: string | undefined
    readonly payload: Json
  }): NewEvent {
    return {
      tenant: this.#host.identity.tenant,
      id: this.#host.newId(),
      name: publish.name,
      correlationId: publish.correlationId,
      payload: JSON.stringify(publish.payload),
      ttlMs: this.#shell.eventTtlMs,
    }
  }

  #failed(run: Run, error: unknown): void {
    const { step, activity, attempt } = run
    const failure = failureOf(error, step)
    const delayMs = retryDelayMs(activity.retry, attempt, failure, this.#shell.random.next())
    if (delayMs === undefined) this.#fold({ kind: 'failed', step, attempt, error: failure })
    else this.#fold({ kind: 'retrying', step, attempt, error: failure, delayMs })
  }

  // Waiting.

  #wait(step: StepKey, wait: Wait): void {
    this.#openWait(step, wait)
  }

  #openWait(step: StepKey, wait: Wait, incidents: readonly NewIncident[] = []): void {
    const opens = bookmarksFor(step, wait, () => this.#host.newId())
    const [bookmark] = opens
    this.#fold({ kind: 'waiting', step, wait, ...(bookmark && { bookmark: bookmark.id }) }, { opens, incidents })
  }

  /** A resume may be consuming the very bookmark: the store decides who was first. One at a time, because one may cancel another. */
  #proposeTimeout({ step }: OpenWait): void {
    const fact: Fact = { kind: 'completed', step, outcome: 'timeout', by: 'timer' }
    this.#frozen = true
    this.#host.propose({
      facts: [fact],
      closes: [step],
      apply: (at) => {
        applyFact(this.#program, this.#state, fact, at)
        this.#unfreeze()
        this.#dropCancelled()
        this.#turn()
      },
      discard: () => this.#unfreeze(),
    })
  }

  #unfreeze(): void {
    this.#frozen = false
    for (const run of this.#thaw.splice(0)) run()
  }

  #whenThawed(run: () => void): void {
    if (this.#disposed) return
    if (this.#frozen) this.#thaw.push(run)
    else run()
  }

  /** The effect was announced and its owner died: nobody knows whether it happened. A person decides. */
  #reportUnclear(run: Run): void {
    const { step } = run
    const message = `Step "${step}" runs at most once, and its owner died while it ran: it may or may not have happened. Resume "${step}" with its output once you know`
    const incident: NewIncident = {
      id: this.#host.newId(),
      step,
      fingerprint: hashJson([this.#program.id, run.activity.id, 'OUTCOME_UNKNOWN']).slice(0, 16),
      code: 'OUTCOME_UNKNOWN',
      message,
    }
    const wait: Wait = { kind: 'signal', name: step }
    this.#openWait(step, wait, [incident])
  }

  // Children.

  #runWorkflow(run: Run, inputs: JsonObject): void {
    const { step } = run
    if (this.#depth >= this.#shell.mostDepth) {
      const message = `Workflows that run one another are ${this.#depth} deep, the limit is ${this.#shell.mostDepth}: look for a circle`
      return this.#failed(run, new WorkflowFault({ message, faultCode: 'TOO_DEEP' }))
    }
    this.#fold({ kind: 'waiting', step, wait: { kind: 'child', instanceId: this.#host.newId() } })
    void this.#startChild(run, inputs)
  }

  async #startChild(run: Run, inputs: JsonObject): Promise<void> {
    const { step } = run
    const wait = this.#state.waits[step]?.wait
    if (wait === undefined || wait.kind !== 'child') return
    const awaited = inputs.wait !== false
    this.#activeCount += 1
    let finish: (() => void) | undefined
    try {
      await this.#host.durable()
      await this.#host.startChild({
        instanceId: wait.instanceId,
        definitionId: String(inputs.definitionId),
        version: typeof inputs.version === 'number' ? inputs.version : undefined,
        input: inputs.input ?? null,
        correlationId:
          typeof inputs.correlationId === 'string' ? inputs.correlationId : this.#host.identity.correlationId,
        step,
        awaited,
        depth: this.#depth + 1,
      })
      if (!awaited)
        finish = () => this.#fold({ kind: 'completed', step, outcome: 'done', output: { instanceId: wait.instanceId } })
    } catch (error) {
      finish = () => this.#fold({ kind: 'failed', step, attempt: run.attempt, error: failureOf(error, step) })
    }
    this.#whenThawed(() => {
      this.#activeCount -= 1
      if (this.#isAlive(step)) finish?.()
      this.#turn()
    })
  }

  /** The process that wrote the wait may have died before it started the child; starting it again is harmless. */
  #restartChildren(): void {
    this.#replayed = false
    for (const { step, wait } of openWaits(this.#state)) {
      if (wait.kind !== 'child') continue
      const execution = this.#state.executions[step]
      const activity = execution && this.#program.byId.get(execution.activity)
      if (execution === undefined || activity === undefined) continue
      const run: Run = { step, activity, attempt: execution.attempt, unclear: false }
      void this.#inputsOf(run).then(
        (inputs) => this.#startChild(run, inputs),
        (error: unknown) =>
          this.#whenThawed(() =>
            this.#fold({ kind: 'failed', step, attempt: run.attempt, error: failureOf(error, step) }),
          ),
      )
    }
  }

  async #inputsOf(run: Run): Promise<JsonObject> {
    const scope = structuredClone({ ...expressionScope(this.#program, this.#state, run.step) })
    return fillTemplate(
      run.activity.inputs,
      await Promise.all(
        run.activity.inputs.expressions.map((each) => evaluateExpression(each, scope, this.#shell.sandbox)),
      ),
    )
  }

  #childEnded(wait: OpenWait, payload: unknown): Fact {
    const { step } = wait
    const { status, output, error } = isJsonObject(payload) ? payload : { status: 'faulted', output: null, error: null }
    if (status === 'completed') return { kind: 'completed', step, outcome: 'done', output: output ?? null, by: 'child' }
    const execution = this.#state.executions[step]
    const activity = execution && this.#program.byId.get(execution.activity)
    const outcome = status === 'faulted' ? 'faulted' : 'cancelled'
    if (activity !== undefined && isConnected(activity, outcome))
      return { kind: 'completed', step, outcome, output: { error: error ?? null }, by: 'child' }
    const message =
      isJsonObject(error) && typeof error.message === 'string'
        ? error.message
        : `The child workflow ended as ${String(status)}`
    return {
      kind: 'failed',
      step,
      attempt: execution?.attempt ?? 1,
      error: { code: outcome === 'faulted' ? 'CHILD_FAULTED' : 'CHILD_CANCELLED', message, step, data: error ?? null },
    }
  }

  // Folding.

  #fold(fact: Fact, more: Omit<Change, 'facts'> = {}): void {
    if (this.#disposed) return
    applyFact(this.#program, this.#state, fact)
    this.#host.record({ ...more, facts: [fact] })
  }

  #dropCancelled(): void {
    const dead = takeCancelled(this.#state)
    if (dead.length === 0) return
    for (const step of dead) {
      this.#running
        .get(step)
        ?.abort(new WorkflowFault({ message: `Step "${step}" is no longer wanted`, faultCode: 'CANCELLED' }))
      this.#running.delete(step)
    }
    this.#host.record({ closes: dead })
  }
}

function completed(step: StepKey, by: 'event' | 'resume', payload: unknown): Fact {
  return { kind: 'completed', step, outcome: 'done', output: (payload ?? null) as Json, by }
}

function failureOf(error: unknown, step: StepKey): Failure {
  const failure = toFailure(error, step)
  return WorkflowFault.is(error) ? { code: error.details.faultCode, message: failure.message, step } : failure
}

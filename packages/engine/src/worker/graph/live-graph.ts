import { Cancelled, type Clock, type LazyAbort, type Logger, type Random } from '@lockstep/base'
import type { ActivityRegistry } from '../../activity/activity-registry.ts'
import type { CompiledExpression } from '../../expression/expression.ts'
import type { Sandbox } from '../../expression/sandbox.ts'
import type { WorkflowLocks } from '../../function/function-execution.ts'
import { applyFact } from '../../graph/apply-fact.ts'
import type { GraphProgram } from '../../graph/graph-program.ts'
import { type GraphState, initialState } from '../../graph/graph-state.ts'
import { isLive, type StepToRun, takeCancelled } from '../../graph/ready.ts'
import { isLate } from '../../graph/saga/late-step.ts'
import type { Fact, Failure, StepKey, Wait } from '../../journal/fact.ts'
import { Bounds } from '../../limit/bounds.ts'
import type { EngineLimits } from '../../limit/engine-limits.ts'
import type { StepGate } from '../../limit/step-gate.ts'
import type { Secrets } from '../../outbound/secrets.ts'
import type { PartWriter } from '../../progress/part-writer.ts'
import { UsedSecrets } from '../../secret/used-secrets.ts'
import { Deferrals } from '../../step/deferrals.ts'
import { failureOf } from '../../step/failure.ts'
import type { ProgressReports } from '../../step/progress-reports.ts'
import { retryDelayMs } from '../../step/retry-policy.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { NewIncident } from '../../store/commit-store.ts'
import { bookmarksFor } from '../bookmarks-for.ts'
import type { Change, ExecutionHost } from '../execution.ts'
import { Freeze } from '../freeze.ts'
import { Sections } from './critical-section.ts'
import type { GraphOutside } from './graph-outside.ts'

export interface GraphShell {
  readonly activities: ActivityRegistry
  readonly sandbox: Sandbox
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long published events are kept for a bookmark that opens later. */
  readonly eventTtlMs: number
  readonly limits: EngineLimits
  readonly gate: StepGate
  readonly progress: ProgressReports
  readonly parts: PartWriter
  readonly locks: WorkflowLocks | undefined
  readonly secrets: Secrets
  readonly outside: GraphOutside
}

export type Run = StepToRun<CompiledExpression>

/** A graph in memory: its state, the only ways to change it, and what runs of it. Whoever runs a step works on this. */
export class LiveGraph {
  readonly program: GraphProgram<CompiledExpression>
  readonly shell: GraphShell
  /** Starts whatever has become ready; to be called when something has ended. */
  readonly goOn: () => void
  readonly freeze = new Freeze()
  /** Code that can be told to stop, by step. */
  readonly running = new Map<StepKey, LazyAbort>()
  /** Steps that run many children, and what was begun for them here; see `tendChildren`. */
  readonly bulkRuns = new Set<StepKey>()
  readonly begun = new Map<string, Promise<void>>()
  readonly sections: Sections
  /** Children whose start is on its way. */
  readonly starting = new Map<StepKey, Promise<void>>()
  /** Children of dropped branches that are being told. */
  readonly parting = new Set<string>()
  /** Children were told that the instance is undone. */
  toldChildren = false
  /** The step whose transaction is open. */
  transacting: StepKey | undefined
  /** A cancel waits for that transaction; where it was rolled back, this is the step. */
  isCancelling = false
  rolledBack: Run | undefined
  /** Steps that a limit, a lock or a breaker holds back. */
  readonly deferrals = new Deferrals()
  readonly bounds: Bounds
  host: ExecutionHost
  state: GraphState
  /** Things under way that keep the instance from being suspended. */
  activeCount = 0
  /** Transactions that wait for their moment; see `runTransaction`. */
  awaitedTransactionCount = 0
  #isDisposed = false
  #secrets: UsedSecrets | undefined
  readonly #measure = (): number => JSON.stringify(this.state).length

  constructor(program: GraphProgram<CompiledExpression>, shell: GraphShell, host: ExecutionHost, goOn: () => void) {
    this.program = program
    this.shell = shell
    this.host = host
    this.goOn = goOn
    this.state = initialState(program)
    this.bounds = new Bounds(shell.limits)
    this.sections = new Sections(this)
  }

  get isDisposed(): boolean {
    return this.#isDisposed
  }

  /** What its steps have read; nothing that they write down shows it. */
  get secrets(): UsedSecrets {
    this.#secrets ??= new UsedSecrets(this.shell.secrets, this.shell.clock)
    return this.#secrets
  }

  isAlive(step: StepKey): boolean {
    return isLive(this.state, step)
  }

  /** Makes a fact true here, and asks for it to be written. */
  fold(given: Fact, more: Omit<Change, 'facts'> = {}): void {
    if (this.#isDisposed) return
    const fact = this.#secrets?.fact(given) ?? given
    const publishes = more.publishes && (this.#secrets?.events(more.publishes) ?? more.publishes)
    applyFact(this.program, this.state, fact)
    this.bounds.count(fact, this.state.seq, this.#measure)
    this.host.record({ ...more, ...(publishes && { publishes }), facts: [fact] })
  }

  /** Folds facts that the store has written already. */
  foldWritten(facts: readonly Fact[], at: number): void {
    if (this.#isDisposed) return
    for (const fact of facts) applyFact(this.program, this.state, fact, at)
  }

  failureOf(error: unknown, step: StepKey): Failure {
    const failure = failureOf(error, step, (text) => this.#secrets?.text(text) ?? text)
    return WorkflowFault.is(error) ? { code: error.details.faultCode, message: failure.message, step } : failure
  }

  /** An attempt failed: another one follows, or the step has failed. */
  fail({ step, activity, attempt }: Run, error: unknown): void {
    const failure = this.failureOf(error, step)
    // One that came late is only waited for.
    const isLast = isLate(this.state, step)
    const delayMs = isLast ? undefined : retryDelayMs(activity.retry, attempt, failure, this.shell.random.next())
    if (delayMs === undefined) this.fold({ kind: 'failed', step, attempt, error: failure })
    else this.fold({ kind: 'retrying', step, attempt, error: failure, delayMs })
  }

  /** A limit is in the way of a step that has not begun. */
  breach({ step, attempt }: Run, error: Failure): void {
    this.fold({ kind: 'failed', step, attempt, error })
  }

  openWait(step: StepKey, wait: Wait, incidents: readonly NewIncident[] = []): void {
    const opens = bookmarksFor(step, wait, () => this.host.newId())
    const [bookmark] = opens
    this.fold({ kind: 'waiting', step, wait, ...(bookmark && { bookmark: bookmark.id }) }, { opens, incidents })
  }

  /** Stops the code of steps that were cancelled, and closes their bookmarks. */
  dropCancelled(reason?: unknown): void {
    const dead = takeCancelled(this.state)
    if (dead.length === 0) return
    for (const step of dead) {
      this.running.get(step)?.abort(reason ?? notWanted(step))
      this.running.delete(step)
      this.deferrals.withdraw(step)
    }
    this.host.record({ closes: dead })
  }

  dispose(reason: unknown): void {
    this.#isDisposed = true
    this.freeze.close()
    this.deferrals.clear()
    this.sections.dispose(reason)
    for (const abort of this.running.values()) abort.abort(reason)
    this.running.clear()
  }
}

const notWanted = (step: StepKey): Error => new Cancelled({ what: `Step "${step}", which is no longer wanted,` })

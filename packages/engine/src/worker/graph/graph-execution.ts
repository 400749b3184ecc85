/**
 * The shell around the graph interpreter: evaluates inputs, runs handlers, feeds their results back as facts and tells its
 * host what to write. All decisions about what comes next are the interpreter's; all waiting is the host's.
 *
 * An effect starts only when everything before it is durable. What needs no effect runs on in the same turn and is written
 * with it. While a time-out is being put to the store, or a transaction is open, nothing is folded: results wait, so that the
 * order of facts in memory is the order in the journal.
 */
import type { Json, JsonObject } from '@lockstep/base'
import type { CompiledExpression } from '../../expression/expression.ts'
import { childEnded } from '../../graph/child-ended.ts'
import { foldJournal, type GraphSnapshot } from '../../graph/fold-journal.ts'
import type { GraphProgram } from '../../graph/graph-program.ts'
import type { GraphState } from '../../graph/graph-state.ts'
import { openContainer } from '../../graph/open-container.ts'
import { ownMember } from '../../graph/own-member.ts'
import { resetReady, takeCancelled, takeDueRetries, takeReady } from '../../graph/ready.ts'
import { verdict } from '../../graph/verdict.ts'
import { dueWaits, nextDueAt, nextDueInMs, openWaitOf, stamp } from '../../graph/waits.ts'
import type { Fact, Failure, OpenedFact, StepKey } from '../../journal/fact.ts'
import { checkFanOut, widthOf } from '../../limit/check-fan-out.ts'
import { silentOutlet } from '../../progress/attempt-outlet.ts'
import { withStandIns } from '../../secret/secret-places.ts'
import { unclearOutcome } from '../../step/incident.ts'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import type { InboxMessage, RecordedFact } from '../../store/agenda-store.ts'
import type { Pin } from '../../test-run/pin.ts'
import { operateGraph, standsOf, stepOf } from '../../verb/operate-graph.ts'
import type { ExecutionOrder, Stands } from '../control-messages.ts'
import { activeBeside, type Cancellation, type Execution, type ExecutionHost, type Posture } from '../execution.ts'
import { inputsFromSandbox, inputsNow } from './evaluate-inputs.ts'
import { type GraphShell, LiveGraph, type Run } from './live-graph.ts'
import { reopenOutside } from './open-outside.ts'
import { outsideEnded, tookTooLong } from './outside-ended.ts'
import { restartChildren, runChild } from './run-child.ts'
import { bulkChildEnded, resumeChildren, runChildren, tendChildren } from './run-children.ts'
import { runEffect } from './run-effect.ts'
import { runHumanTask } from './run-human-task.ts'
import { runScript } from './run-script.ts'
import { runTask } from './run-task.ts'
import { runTransaction } from './run-transaction.ts'
import { cancelGraph, stopChildren } from './saga.ts'
import { activityContext, settleStep } from './settle-step.ts'
import { stopUnwanted } from './stop-unwanted.ts'
import { timeoutFacts } from './timeout-facts.ts'

/** Inline steps of one turn; then others get a turn too, and what was recorded can leave. */
const TURN_STEPS = 500
/** Facts after which a snapshot is cheaper to read than they are. */
const SNAPSHOT_AFTER = 64
/** Characters of a usual fact: a long snapshot is written only after as much was written in facts, or a wide loop would write little else. */
const FACT_LENGTH = 128

export class GraphExecution implements Execution {
  readonly #graph: LiveGraph
  #snapshotSeq = 0
  #snapshotLength = 0
  #replayed = false
  #turnScheduled = false
  #advancing = false
  /** Steps that the journal dropped and whose bookmarks its last owner may not have closed. */
  #leftBehind: readonly StepKey[] = []

  constructor(program: GraphProgram<CompiledExpression>, shell: GraphShell, host: ExecutionHost) {
    this.#graph = new LiveGraph(program, shell, host, () => this.#turn())
  }

  replay(snapshot: GraphSnapshot | undefined, facts: readonly RecordedFact[]): void {
    const graph = this.#graph
    if (snapshot !== undefined) this.#snapshotSeq = (snapshot.state as GraphState).seq
    const state = foldJournal(graph.program, snapshot, facts)
    graph.state = state
    this.#leftBehind = takeCancelled(state).filter((step) => !graph.isAlive(step))
    resetReady(graph.program, state)
    this.#replayed = facts.length > 1 || snapshot !== undefined
    if (this.#replayed) graph.bounds.unmeasured()
  }

  get stands(): Stands | undefined {
    return standsOf(this.#graph.state)
  }

  operate(order: ExecutionOrder): void {
    const graph = this.#graph
    graph.freeze.afterwards(() => {
      operateGraph(graph, order, (step, payload) =>
        this.deliver({ id: '', kind: 'child', bookmarkId: undefined, step, payload }),
      )
      this.#turn()
    })
  }

  advance(): void {
    if (this.#replayed) {
      this.#replayed = false
      // Some may be alive again: a retry gave them their waits back.
      const closes = this.#leftBehind.filter((step) => !this.#graph.isAlive(step))
      if (closes.length > 0) this.#graph.host.record({ closes })
      this.#leftBehind = []
      restartChildren(this.#graph)
      resumeChildren(this.#graph)
      reopenOutside(this.#graph)
      this.#graph.sections.resume()
    }
    this.#turn()
  }

  get variables(): Readonly<Record<string, Json>> {
    return this.#graph.state.variables
  }

  get holdsOn(): boolean {
    return this.#graph.sections.heldCount > 0
  }

  cancel(cancellation: Cancellation): void {
    cancelGraph(this.#graph, cancellation)
  }

  deliver(message: InboxMessage): void {
    const graph = this.#graph
    graph.freeze.afterwards(() => {
      const step = stepOf(graph.state, message)
      const wait = openWaitOf(graph.state, step)
      if (wait === undefined) {
        if (message.kind === 'child' && bulkChildEnded(graph, step, message.payload)) this.#turn()
        return
      }
      // It rests between two attempts: nobody outside is waited for, whatever is said of the attempt before.
      if (wait.wait.kind === 'retry') return
      if (wait.wait.kind === 'task' || wait.wait.kind === 'human') {
        graph.fold(outsideEnded(graph, wait, message))
        return this.#turn()
      }
      graph.fold(
        message.kind === 'child'
          ? childEnded(graph.program, graph.state, step, message.payload)
          : completed(step, message.kind === 'event' ? 'event' : 'resume', message.payload),
      )
      this.#turn()
    })
  }

  fire(now: number): readonly number[] {
    const graph = this.#graph
    if (graph.freeze.isOn || graph.isDisposed) return []
    const late: StepKey[] = []
    const dueAts: number[] = []
    for (const { step, wait, dueAt = now } of dueWaits(graph.state, now)) {
      if (!graph.isAlive(step)) continue // cancelled by one that fired before it
      dueAts.push(dueAt)
      if (wait.kind === 'timer') graph.fold({ kind: 'completed', step, outcome: 'done', by: 'timer' })
      else if (wait.kind === 'timeout') graph.fold(tookTooLong(step, wait.ms))
      else if (wait.kind === 'lock') graph.sections.timedOut(step)
      else if (wait.kind !== 'retry') late.push(step)
    }
    const open = late.filter((step) => graph.isAlive(step))
    if (open.length > 0) this.#proposeTimeouts(open)
    graph.sections.fire(now)
    if (!graph.host.isStill) graph.deferrals.fire(now)
    this.#turn()
    return dueAts
  }

  stamp(at: number, upToSeq: number): void {
    stamp(this.#graph.state, at, upToSeq)
  }

  posture(): Posture {
    const { state, activeCount, freeze, sections, deferrals, bounds } = this.#graph
    const isParting = state.unwanted !== undefined
    const end = isParting ? undefined : verdict(state)
    if (end !== undefined) {
      return {
        kind: 'ended',
        status: end.status,
        output: end.status === 'completed' ? end.output : null,
        error: end.status === 'faulted' ? end.error : undefined,
      }
    }
    if (bounds.breach !== undefined && !isParting)
      return { kind: 'ended', status: 'faulted', output: null, error: bounds.breach }
    const status: { status?: string } = state.undoing === undefined ? {} : { status: 'compensating' }
    const dueAt = earliest(earliest(nextDueAt(state), sections.nextAskAt), deferrals.nextDueAt())
    if (activeCount > 0 || isParting || this.#turnScheduled || freeze.isOn) return activeBeside(dueAt, status.status)
    bounds.rested()
    return { kind: 'waiting', dueAt, dueInMs: nextDueInMs(state), ...status }
  }

  snapshot(): string | undefined {
    const { state } = this.#graph
    const least = Math.max(SNAPSHOT_AFTER, this.#snapshotLength / FACT_LENGTH)
    if (state.seq - this.#snapshotSeq < least) return undefined
    this.#snapshotSeq = state.seq
    const text = JSON.stringify(state)
    this.#snapshotLength = text.length
    return text
  }

  attach(host: ExecutionHost): void {
    this.#graph.host = host
    this.#replayed = false
    this.#graph.deferrals.expire()
  }

  reconsider(): void {
    const graph = this.#graph
    graph.freeze.afterwards(() => {
      if (!graph.host.isStill) graph.deferrals.reconsider()
    })
  }

  dispose(reason: unknown): void {
    this.#graph.dispose(reason)
  }

  /** Hands out what is ready until nothing is, or others should have a turn. */
  #turn(): void {
    const graph = this.#graph
    if (this.#advancing || graph.freeze.isOn || graph.isDisposed) return
    if (graph.host.isStill) return this.#rest()
    if (graph.awaitedTransactionCount > 0) return this.#rest()
    this.#advancing = true
    try {
      for (let count = 0; ; count += 1) {
        const ready = [
          ...takeReady(graph.program, graph.state),
          ...takeDueRetries(graph.program, graph.state, graph.host.storeNow()),
        ]
        if (ready.length === 0 || graph.bounds.breach !== undefined) break
        for (const run of ready) if (graph.isAlive(run.step)) this.#begin(run)
        graph.dropCancelled()
        if (count >= TURN_STEPS) {
          this.#continueLater()
          break
        }
      }
    } finally {
      this.#advancing = false
    }
    stopUnwanted(graph)
    if (graph.bulkRuns.size > 0) tendChildren(graph)
    this.#rest()
  }

  #rest(): void {
    this.#graph.dropCancelled()
    this.#graph.sections.tend()
    stopChildren(this.#graph)
    stopUnwanted(this.#graph)
    this.#graph.host.changed()
  }

  #continueLater(): void {
    if (this.#turnScheduled) return
    this.#turnScheduled = true
    this.#graph.shell.clock.soon(() => {
      this.#turnScheduled = false
      this.#turn()
    })
  }

  #begin(run: Run): void {
    if (this.#graph.sections.holdsBack(run.step)) return
    const pin = this.#pinOf(run)
    if (pin !== undefined) return this.#graph.fold({ kind: 'completed', step: run.step, by: 'pin', ...pin })
    if (run.unclear) return this.#reportUnclear(run)
    try {
      const inputs = inputsNow(this.#graph, run)
      if (inputs !== undefined) return this.#execute(run, inputs)
    } catch (error) {
      return this.#graph.fail(run, error)
    }
    void this.#evaluateAndExecute(run)
  }

  #pinOf({ activity }: Run): Required<Pin> | undefined {
    const { pins } = this.#graph.state
    const pin = pins && ownMember(pins, activity.id)
    return pin && { output: pin.output, outcome: pin.outcome ?? 'done' }
  }

  async #evaluateAndExecute(run: Run): Promise<void> {
    const graph = this.#graph
    graph.activeCount += 1
    let begin: () => void
    try {
      const inputs = await inputsFromSandbox(graph, run)
      begin = () => this.#execute(run, inputs)
    } catch (error) {
      begin = () => graph.fail(run, error)
    }
    graph.freeze.afterwards(() => {
      graph.activeCount -= 1
      if (graph.isAlive(run.step) && !graph.host.isStill) begin()
      this.#turn()
    })
  }

  #execute(run: Run, inputs: JsonObject): void {
    const graph = this.#graph
    const { activity, step } = run
    const { type } = activity.type
    const problem = graph.shell.activities.check(type, withStandIns(inputs, activity.secrets))
    if (problem !== undefined)
      return graph.fail(run, new WorkflowFault({ message: problem, faultCode: 'INVALID_INPUT' }))
    if (activity.container === 'critical-section') return graph.sections.enter(run, inputs)
    if (activity.container !== undefined) {
      const opened = this.#withinLimits(run, openContainer(run, inputs))
      return 'kind' in opened
        ? graph.fold(opened)
        : graph.fold({ kind: 'failed', step, attempt: run.attempt, error: { ...opened, step } })
    }
    if (type === 'run-workflow') return runChild(graph, run, inputs)
    if (type === 'bulk-run') {
      const count = Array.isArray(inputs.items) ? inputs.items.length : 0
      const breach = checkFanOut(step, count, graph.shell.limits.fanOut)
      if (breach !== undefined) return graph.breach(run, breach)
      return runChildren(graph, run, inputs)
    }
    if (type === 'run-task') return runTask(graph, run, inputs)
    if (type === 'human-task') return runHumanTask(graph, run, inputs)
    if (activity.type.script !== undefined) return runScript(graph, run, inputs)
    const handler = graph.shell.activities.handler(type, inputs)
    if (handler === undefined) {
      const message = `This node has no code for activity type "${type}"`
      return graph.fail(run, new WorkflowFault({ message, faultCode: 'UNKNOWN_ACTIVITY_TYPE' }))
    }
    if (handler.runs === 'effect') return void runEffect(graph, run, handler, inputs)
    if (handler.runs === 'transaction') return runTransaction(graph, run, handler, inputs)
    try {
      settleStep(graph, run, handler.run(inputs, activityContext(graph, run, graph.host.abort, silentOutlet(run.step))))
    } catch (error) {
      graph.fail(run, error)
    }
  }

  #withinLimits({ step, activity }: Run, opened: OpenedFact | Failure): OpenedFact | Failure {
    if (!('kind' in opened)) return opened
    const width = widthOf(opened, activity.parts.branches?.length)
    return checkFanOut(step, width, this.#graph.shell.limits.fanOut) ?? opened
  }

  /** Nobody knows whether it happened. A person decides. */
  #reportUnclear({ step, activity }: Run): void {
    const graph = this.#graph
    const incident = unclearOutcome(graph.host.newId(), graph.program.id, activity.id, step)
    graph.openWait(step, { kind: 'signal', name: step }, [incident])
  }

  /** A resume may be consuming one of the very bookmarks: the store decides who was first, about all of them together. */
  #proposeTimeouts(late: readonly StepKey[]): void {
    const graph = this.#graph
    const { steps, facts } = timeoutFacts(graph, late)
    graph.freeze.begin()
    graph.host.propose({
      facts,
      closes: steps,
      apply: (at) => {
        graph.foldWritten(facts, at)
        graph.freeze.end()
        this.#turn()
      },
      discard: () => graph.freeze.end(),
    })
  }
}

const earliest = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? (a ?? b) : Math.min(a, b)

function completed(step: StepKey, by: 'event' | 'resume', payload: unknown): Fact {
  return { kind: 'completed', step, outcome: 'done', output: (payload ?? null) as Json, by }
}

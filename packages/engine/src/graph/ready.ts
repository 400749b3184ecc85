import type { StepKey } from '../journal/fact.ts'
import { enqueue, forgetQueues } from './due-queue.ts'
import type { GraphExpression } from './graph-expression.ts'
import type { CompiledActivity, GraphProgram } from './graph-program.ts'
import type { ExecutionState, GraphState } from './graph-state.ts'
import { ownMember } from './own-member.ts'
import { dueRetries } from './waits.ts'

/** One execution for the shell to run: evaluate its inputs, run its code (or open the container), commit what came of it. */
export interface StepToRun<E extends GraphExpression = GraphExpression> {
  readonly step: StepKey
  readonly activity: CompiledActivity<E>
  /** From 1. */
  readonly attempt: number
  /** Announced by `attempting` and never heard of again: its effect may have happened. Do not run it blindly. */
  readonly unclear: boolean
  /** Of a while: turns before the one that its condition decides on. */
  readonly turn?: number
}

/** Executions that became active and were not handed out yet, in order of activation. */
export function takeReady<E extends GraphExpression>(
  program: GraphProgram<E>,
  state: GraphState,
): readonly StepToRun<E>[] {
  if (state.ready.length === 0) return []
  const keys = state.ready
  state.ready = []
  if (state.status !== 'running') return []
  const steps: StepToRun<E>[] = []
  for (const step of keys) {
    const execution = ownMember(state.executions, step)
    // Cancelled before anybody took it.
    if (execution?.phase === 'active') steps.push(stepToRun(program, step, execution))
  }
  return steps
}

/** Retries that are due at `now` (epoch ms of the database). Each is handed out once, until `resetReady`. */
export function takeDueRetries<E extends GraphExpression>(
  program: GraphProgram<E>,
  state: GraphState,
  now: number,
): readonly StepToRun<E>[] {
  return dueRetries(state, now).map((due) => {
    due.taken = true
    return stepToRun(program, due.step, state.executions[due.step]!)
  })
}

/** A retry that was handed out and not begun is due again. */
export function handOutAgain(state: GraphState, step: StepKey): void {
  const opened = ownMember(state.waits, step)
  if (opened?.taken === undefined) return
  delete opened.taken
  enqueue(state.waits, opened)
}

/** Steps dropped since the last call that may have running code or a bookmark: abort the one, close the other. */
export function takeCancelled(state: GraphState): readonly StepKey[] {
  const steps = state.cancelled
  if (steps.length > 0) state.cancelled = []
  return steps
}

/**
 * Whether a fact of this step can still apply. Ask before folding the second of several results that came together: the
 * first may have cancelled it, or faulted the instance.
 */
export function isLive(state: GraphState, step: StepKey): boolean {
  return state.status === 'running' && Object.hasOwn(state.executions, step)
}

/** After a restore or replay: whatever was handed out by a process that is gone is ready again. Attempts keep their count. */
export function resetReady(_program: GraphProgram, state: GraphState): void {
  state.cancelled = []
  state.ready = []
  for (const opened of Object.values(state.waits)) delete opened.taken
  forgetQueues(state.waits)
  if (state.status !== 'running') return
  for (const [step, { phase }] of Object.entries(state.executions)) if (phase === 'active') state.ready.push(step)
}

function stepToRun<E extends GraphExpression>(
  program: GraphProgram<E>,
  step: StepKey,
  execution: ExecutionState,
): StepToRun<E> {
  return {
    step,
    activity: program.byId.get(execution.activity)!,
    attempt: execution.attempt,
    unclear: execution.announced === true,
    ...(execution.container?.rule === 'while' && { turn: execution.container.next }),
  }
}

import type { Json } from '@lockstep/base'
import type { ActivityType } from '../activity/activity-type.ts'
import type { CompletedFact, Fact, FactKind } from '../journal/fact.ts'
import { cancelScope } from './cancel-scope.ts'
import { endChild } from './children-progress.ts'
import { conclude } from './conclude.ts'
import { containerState, startContainer } from './containers/container-rules.ts'
import { tellFence } from './containers/critical-section.ts'
import { invalid, requireAttempt, requireDeclared, requireLive, requireNotOpen } from './fact-checks.ts'
import { finishAll } from './finish.ts'
import type { GraphProgram } from './graph-program.ts'
import type { GraphState } from './graph-state.ts'
import { canGoOn, forkState, isHeldUp } from './migrate/fork-state.ts'
import { replaceState } from './migrate/replace-state.ts'
import { setMember } from './own-member.ts'
import { resetReady } from './ready.ts'
import { retryFaulted } from './retry-faulted.ts'
import { routeTokens } from './route-token.ts'
import { canCancel, cancelAll, dropBeside, isUndone } from './saga/undo-all.ts'
import { childrenUndo } from './saga/undo-reads.ts'
import { outermost } from './saga/undo-step.ts'
import type { StepEnd } from './step-end.ts'
import { disown, TIMED_OUT } from './unwanted-children.ts'
import { verdict } from './verdict.ts'
import { openWait } from './waits.ts'

/**
 * Folds one fact into the state, which it changes in place. Throws `INVALID_FACT`, with the state as it was, when the
 * program cannot have come to this fact. Values of the fact become part of the state: do not change them afterwards.
 *
 * `at` is the commit time (epoch ms of the database). When it is not known yet, leave it out and call `stamp` later:
 * both ways end in the same state.
 */
export function applyFact(program: GraphProgram, state: GraphState, fact: Fact, at?: number): void {
  if (!Object.hasOwn(folds, fact.kind)) throw invalid(fact, 'graphs do not know it')
  const fold = folds[fact.kind] as Fold<Fact>
  fold(program, state, fact, at)
}

/** Each one checks first, then counts the fact, then changes: a refused fact leaves no trace. */
type Fold<F extends Fact> = (program: GraphProgram, state: GraphState, fact: F, at: number | undefined) => void

const folds: { readonly [K in FactKind]: Fold<Extract<Fact, { readonly kind: K }>> } = {
  started(program, state, fact) {
    if (state.status !== 'new') throw invalid(fact, 'it has started already')
    const { starts, triggers } = program.root
    const trigger = triggers.find((activity) => activity.id === fact.trigger)
    if (fact.trigger !== undefined && trigger === undefined) throw invalid(fact, `"${fact.trigger}" is not a trigger`)
    state.seq++
    state.status = 'running'
    state.input = fact.input
    if (fact.correlationId !== undefined) state.correlationId = fact.correlationId
    if (fact.depth !== undefined) state.depth = fact.depth
    if (fact.pins !== undefined) state.pins = fact.pins
    state.scopes[''] = { graph: '', owner: '', frame: '', live: [], pending: [], steps: {} }
    // Started by hand, a workflow that has only triggers begins at all of them.
    routeTokens(program, state, '', trigger ? [trigger] : starts.length > 0 ? starts : triggers)
  },

  completed(program, state, fact) {
    const execution = requireLive(state, fact)
    requireDeclared(program, fact, fact.assign)
    state.seq++
    assignAll(state.variables, fact.assign)
    assignAll(state.output, fact.result)
    if (fact.correlationId !== undefined) state.correlationId = fact.correlationId
    const { jump } = program.byId.get(execution.activity)!.type
    if (jump === 'finish' && outermost(state, execution.scope) === state.scopes['']) finishAll(state, fact.step)
    else conclude(program, state, fact.step, endOf(fact, jump))
  },

  opened(program, state, fact, at) {
    const { step, timeoutMs } = fact
    const execution = requireNotOpen(state, fact)
    const activity = program.byId.get(execution.activity)!
    if (activity.container === undefined) throw invalid(fact, 'it is not a container')
    if (execution.container !== undefined && execution.container.rule !== 'while')
      throw invalid(fact, 'it has opened already')
    state.seq++
    if (execution.container === undefined) delete state.waits[step]
    execution.phase = 'open'
    execution.container ??= containerState(activity.container, activity, fact)
    if (timeoutMs !== undefined) openWait(state, step, { kind: 'timeout', ms: timeoutMs }, at)
    const end = startContainer({ program, state, step, activity, container: execution.container }, fact)
    if (end !== undefined) conclude(program, state, step, end)
  },

  waiting(program, state, fact, at) {
    const execution = requireNotOpen(state, fact)
    const activity = program.byId.get(execution.activity)!
    if (execution.phase === 'waiting') throw invalid(fact, 'it waits already')
    state.seq++
    execution.phase = 'waiting'
    delete execution.announced
    openWait(state, fact.step, fact.wait, at, fact.undo && childrenUndo(activity))
  },

  'child-ended'(_program, state, fact) {
    requireLive(state, fact)
    const progress = state.waits[fact.step]?.children
    if (progress === undefined || !progress.live.includes(fact.index)) throw invalid(fact, 'no such child runs')
    state.seq++
    endChild(state.waits[fact.step]!, fact)
  },

  attempting(_program, state, fact) {
    const execution = requireNotOpen(state, fact)
    requireAttempt(execution, fact)
    state.seq++
    if (execution.phase !== 'active') delete state.waits[fact.step]
    execution.phase = 'active'
    execution.announced = true
  },

  retrying(_program, state, fact, at) {
    const execution = requireNotOpen(state, fact)
    requireAttempt(execution, fact)
    state.seq++
    execution.phase = 'retrying'
    execution.attempt++
    delete execution.announced
    openWait(state, fact.step, { kind: 'retry', ms: fact.delayMs }, at)
  },

  failed(program, state, fact) {
    requireLive(state, fact)
    state.seq++
    if (fact.error.code === TIMED_OUT) disown(state, fact.step)
    conclude(program, state, fact.step, {
      kind: 'failed',
      error: { ...fact.error, step: fact.error.step ?? fact.step },
    })
  },

  cancelled(program, state, fact) {
    if (isOver(state)) throw invalid(fact, `it is ${state.status}`)
    if (!canCancel(state)) throw invalid(fact, 'it is being undone already')
    state.seq++
    if (cancelAll(program, state, fact)) return
    dropAll(state)
    state.status = 'cancelled'
  },

  undoing(_program, _state, fact) {
    throw invalid(fact, 'graphs find out by themselves')
  },

  locked(_program, state, fact) {
    const execution = requireLive(state, fact)
    if (execution.container?.rule !== 'critical-section') throw invalid(fact, 'it is no open critical section')
    state.seq++
    tellFence(state, execution, fact.fence)
  },

  assigned(program, state, fact) {
    if (state.status === 'new') throw invalid(fact, 'it has not started')
    requireDeclared(program, fact, fact.variables)
    state.seq++
    assignAll(state.variables, fact.variables)
  },

  retried(program, state, fact) {
    if (!isHeldUp(state)) throw invalid(fact, 'nothing holds it up')
    if (isUndone(state)) throw invalid(fact, 'what it did was undone')
    state.seq++
    retryFaulted(program, state)
  },

  paused(_program, state, fact) {
    if (isOver(state) || state.paused) throw invalid(fact, `it is ${state.paused ? 'paused' : state.status}`)
    state.seq++
    state.paused = true
  },

  continued(_program, state, fact) {
    if (state.paused === undefined) throw invalid(fact, 'it is not paused')
    state.seq++
    delete state.paused
  },

  rewound(program, state, fact) {
    if (state.undoing !== undefined) throw invalid(fact, 'what it did was undone')
    replaceState(state, fact.state)
    resetReady(program, state)
  },

  migrated(program, state, fact) {
    if (fact.state === undefined) throw invalid(fact, 'it has no state')
    replaceState(state, fact.state)
    resetReady(program, state)
  },

  forked(program, state, fact) {
    if (!canGoOn(state)) throw invalid(fact, `it is ${state.status}`)
    requireDeclared(program, fact, fact.variables)
    state.seq++
    forkState(program, state, fact.variables)
  },

  refused(_program, state, fact) {
    if (state.status === 'new') throw invalid(fact, 'it has not started')
    state.seq++
  },

  quarantined(_program, state, fact) {
    if (isOver(state)) throw invalid(fact, `it is ${state.status}`)
    state.seq++
    // What has failed already is held up by that.
    if (state.status === 'running') state.status = 'quarantined'
  },

  ended(_program, state, fact) {
    if (state.status === 'new' || state.status === 'ended') throw invalid(fact, `it is ${state.status}`)
    if (fact.status === 'completed' && verdict(state)?.status !== 'completed') {
      throw invalid(fact, 'steps are alive, or one has failed')
    }
    state.seq++
    const { kind: _, ...end } = fact
    state.end = end
    // A faulted instance keeps its place: an operator may retry it.
    if (fact.status !== 'faulted') dropAll(state)
    state.status = 'ended'
  },
}

const isOver = ({ status }: GraphState): boolean => status === 'new' || status === 'cancelled' || status === 'ended'

function dropAll(state: GraphState): void {
  cancelScope(state, '', true)
  dropBeside(state)
  state.waits = {}
  state.unstamped = []
  state.ready = []
  delete state.unwanted
  delete state.error
}

function endOf({ outcome, outcomes, output = null }: CompletedFact, jump: ActivityType['jump']): StepEnd {
  if (jump === 'break' || jump === 'continue') return { kind: 'jumped', jump }
  return { kind: 'completed', outcome, outcomes, output }
}

function assignAll(record: Record<string, Json>, values: Readonly<Record<string, Json>> | undefined): void {
  if (values === undefined) return
  for (const [name, value] of Object.entries(values)) setMember(record, name, value)
}

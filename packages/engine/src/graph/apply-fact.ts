import type { Json } from '@lockstep/base'
import type { Fact, FactKind } from '../journal/fact.ts'
import { cancelScope } from './cancel-scope.ts'
import { conclude } from './conclude.ts'
import { containerState, startContainer } from './containers/container-rules.ts'
import { invalid, requireAttempt, requireDeclared, requireLive, requireNotOpen } from './fact-checks.ts'
import type { GraphProgram } from './graph-program.ts'
import type { GraphState } from './graph-state.ts'
import { setMember } from './own-member.ts'
import { retryFaulted } from './retry-faulted.ts'
import { routeTokens } from './route-token.ts'
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
    state.scopes[''] = { graph: '', owner: '', frame: '', live: [], pending: [], steps: {} }
    // Started by hand, a workflow that has only triggers begins at all of them.
    routeTokens(program, state, '', trigger ? [trigger] : starts.length > 0 ? starts : triggers)
  },

  completed(program, state, fact) {
    requireLive(state, fact)
    requireDeclared(program, fact, fact.assign)
    state.seq++
    assignAll(state.variables, fact.assign)
    assignAll(state.output, fact.result)
    conclude(program, state, fact.step, { kind: 'completed', outcome: fact.outcome, output: fact.output ?? null })
  },

  opened(program, state, fact, at) {
    const { step, timeoutMs } = fact
    const execution = requireNotOpen(state, fact)
    const activity = program.byId.get(execution.activity)!
    if (activity.container === undefined) throw invalid(fact, 'it is not a container')
    state.seq++
    delete state.waits[step]
    execution.phase = 'open'
    execution.container = containerState(activity.container, activity, fact)
    if (timeoutMs !== undefined) openWait(state, step, { kind: 'timeout', ms: timeoutMs }, at)
    const end = startContainer({ program, state, step, activity, container: execution.container })
    if (end !== undefined) conclude(program, state, step, end)
  },

  waiting(_program, state, fact, at) {
    const execution = requireNotOpen(state, fact)
    if (execution.phase === 'waiting') throw invalid(fact, 'it waits already')
    state.seq++
    execution.phase = 'waiting'
    delete execution.announced
    openWait(state, fact.step, fact.wait, at)
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
    conclude(program, state, fact.step, {
      kind: 'failed',
      error: { ...fact.error, step: fact.error.step ?? fact.step },
    })
  },

  cancelled(_program, state, fact) {
    if (isOver(state)) throw invalid(fact, `it is ${state.status}`)
    state.seq++
    dropAll(state)
    state.status = 'cancelled'
  },

  assigned(program, state, fact) {
    if (state.status === 'new') throw invalid(fact, 'it has not started')
    requireDeclared(program, fact, fact.variables)
    state.seq++
    assignAll(state.variables, fact.variables)
  },

  retried(program, state, fact) {
    const isHeldUp = state.error !== undefined || state.status === 'quarantined' || state.end?.status === 'faulted'
    if (!isHeldUp) throw invalid(fact, 'nothing holds it up')
    state.seq++
    retryFaulted(program, state)
  },

  quarantined(_program, state, fact) {
    if (state.status !== 'running') throw invalid(fact, `it is ${state.status}`)
    state.seq++
    state.status = 'quarantined'
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
  cancelScope(state, '')
  state.waits = {}
  state.unstamped = []
  state.ready = []
  delete state.error
}

function assignAll(record: Record<string, Json>, values: Readonly<Record<string, Json>> | undefined): void {
  if (values === undefined) return
  for (const [name, value] of Object.entries(values)) setMember(record, name, value)
}

import type { OpenedFact, StepKey } from '../../journal/fact.ts'
import type { ContainerRun } from '../containers/container-run.ts'
import { nearestError } from '../expression-scope.ts'
import type { CompiledScope, GraphProgram } from '../graph-program.ts'
import type { CompensateState, GraphState, ScopeKey } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import { compensated } from './end-beside.ts'
import { advanceLine } from './undo-step.ts'

export function compensateState(): CompensateState {
  return { rule: 'compensate', line: [], count: 0 }
}

/** Undoes what its scope says, newest first. An end at once: there was nothing to undo. */
export function startCompensate(run: ContainerRun<CompensateState>, { scope }: OpenedFact): StepEnd | undefined {
  const { program, state, step, container } = run
  const around = state.scopes[state.executions[step]!.scope]!
  const error = nearestError(state, around)
  if (error !== undefined) container.error = error
  const matches = matcher(program, state, step, scope)
  container.line = Object.entries(state.compensations ?? {})
    .filter(([key, { phase }]) => phase !== 'undone' && matches(key))
    .map(([key]) => key)
  container.count = container.line.length
  if (advanceLine(program, state, container.line, container.error)) return compensated(container)
  state.undoers = [...(state.undoers ?? []), step]
  return undefined
}

/** Which steps an activity `compensate` is about. */
function matcher(
  program: GraphProgram,
  state: GraphState,
  step: StepKey,
  scope: string | undefined,
): (key: StepKey) => boolean {
  const own = state.executions[step]!.scope
  if (scope === undefined) {
    const prefix = prefixOf(guardOf(state, own) ?? own)
    return (key) => key.startsWith(prefix)
  }
  // Of a step inside a loop only the runs of the same turn.
  let frame = state.scopes[own]!.frame
  while (frame !== '' && !holds(program.scopes.get(state.scopes[frame]!.graph)!, scope)) {
    const { owner } = state.scopes[frame]!
    if (owner === '') break
    frame = state.scopes[state.executions[owner]!.scope]!.frame
  }
  const prefix = prefixOf(frame)
  return (key) => key.startsWith(prefix) && segmentsOf(key).includes(scope)
}

const prefixOf = (key: ScopeKey): string => (key === '' ? '' : `${key}.`)

/** The body of the nearest try in whose catch or finally the scope is. */
function guardOf(state: GraphState, key: ScopeKey): ScopeKey | undefined {
  for (let at = key; ; ) {
    const { owner } = state.scopes[at]!
    if (owner === '') return undefined
    const { container, scope } = state.executions[owner]!
    if (container?.rule === 'try' && container.part !== 'body') return owner
    at = scope
  }
}

/** Ids of the activities that a key leads through: `guard:catch.loop[3].ask#2` is of guard, loop and ask. */
const segmentsOf = (key: StepKey): string[] =>
  key.split('.').map((segment) => /^[A-Za-z0-9_-]+/.exec(segment)?.[0] ?? '')

function holds(graph: CompiledScope, id: string): boolean {
  return graph.activities.some((activity) => {
    const { body, branches = [], catch: caught, finally: last } = activity.parts
    return activity.id === id || [body, caught, last, ...branches].some((part) => part !== undefined && holds(part, id))
  })
}

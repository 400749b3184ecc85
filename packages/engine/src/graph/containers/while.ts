/**
 * A while is handed out before each turn, like a step: the shell looks at its condition and writes what came of it as another
 * `opened`. So the journal tells every turn, and folding it needs no expression.
 */
import type { OpenedFact } from '../../journal/fact.ts'
import { beginScope } from '../begin-scope.ts'
import { DEFAULT_OUTCOME } from '../document.ts'
import type { WhileState } from '../graph-state.ts'
import type { StepEnd } from '../step-end.ts'
import type { ContainerRun } from './container-run.ts'
import { indexedPartKey } from './part-keys.ts'

export function whileState(): WhileState {
  return { rule: 'while', next: 0 }
}

export function whileTurn(run: ContainerRun<WhileState>, { condition }: OpenedFact): StepEnd | undefined {
  const { program, state, step, activity, container } = run
  if (condition !== true) return { kind: 'completed', outcome: DEFAULT_OUTCOME, output: { count: container.next } }
  delete container.asks
  const index = container.next++
  const graph = activity.parts.body!
  if (beginScope(program, state, { graph, key: indexedPartKey(step, index), owner: step, index })) return undefined
  return turnOver(run)
}

/** Its condition comes next. */
export function turnOver({ state, step, container }: ContainerRun<WhileState>): undefined {
  container.asks = true
  state.executions[step]!.phase = 'active'
  state.ready.push(step)
}

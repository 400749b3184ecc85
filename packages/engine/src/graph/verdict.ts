import type { Json } from '@lockstep/base'
import type { Failure } from '../journal/fact.ts'
import type { GraphState } from './graph-state.ts'
import { isAllUndone } from './saga/undo-all.ts'

/** How an instance came out, in the words of the fact that ends it. */
export type Verdict =
  | { readonly status: 'completed'; readonly output: Readonly<Record<string, Json>> }
  | { readonly status: 'faulted'; readonly error: Failure }
  | { readonly status: 'cancelled' }

/** Nothing is left to run or to wait for: commit `ended` with the verdict. */
export function isFinished(state: GraphState): boolean {
  return state.status !== 'new' && verdict(state) !== undefined
}

export function verdict(state: GraphState): Verdict | undefined {
  switch (state.status) {
    case 'faulted':
      return { status: 'faulted', error: state.error! }
    case 'cancelled':
      return { status: 'cancelled' }
    case 'running':
      return state.undoing === undefined ? completedVerdict(state) : undoneVerdict(state)
    default:
      return undefined
  }
}

function completedVerdict(state: GraphState): Verdict | undefined {
  if (state.scopes['']!.live.length > 0) return undefined
  // What is still being undone beside the root has to come to its end.
  for (const key in state.scopes) if (key !== '') return undefined
  return { status: 'completed', output: state.output }
}

function undoneVerdict(state: GraphState): Verdict | undefined {
  if (!isAllUndone(state)) return undefined
  const { cause, error } = state.undoing!
  return cause === 'fault' ? { status: 'faulted', error } : { status: 'cancelled' }
}

import type { Json } from '@lockstep/base'
import type { Failure } from '../journal/fact.ts'
import type { GraphState } from './graph-state.ts'

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
      return state.scopes['']!.live.length === 0 ? { status: 'completed', output: state.output } : undefined
    default:
      return undefined
  }
}

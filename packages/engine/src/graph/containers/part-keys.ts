import type { StepKey } from '../../journal/fact.ts'
import type { ContainerState, ScopeKey, TryState } from '../graph-state.ts'

/** Key of one turn of a loop, or of one branch of a parallel. */
export const indexedPartKey = (step: StepKey, index: number): ScopeKey => `${step}[${index}]`

export const tryPartKey = (step: StepKey, part: TryState['part']): ScopeKey =>
  part === 'body' ? step : `${step}:${part}`

/** Keys of the parts that may be alive; some may have ended already. */
export function* openPartKeys(step: StepKey, container: ContainerState): Generator<ScopeKey> {
  switch (container.rule) {
    case 'for-each':
    case 'for':
      for (let index = 0; container.live > 0 && index < container.next; index++) yield indexedPartKey(step, index)
      return
    case 'while':
      yield indexedPartKey(step, container.next - 1)
      return
    case 'parallel':
      for (let index = 0; index < container.branches; index++) yield indexedPartKey(step, index)
      return
    case 'try':
      yield tryPartKey(step, container.part)
      return
    case 'critical-section':
      yield step
      return
    case 'compensate':
      return
  }
}

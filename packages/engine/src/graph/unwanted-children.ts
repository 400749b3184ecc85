import type { StepKey } from '../journal/fact.ts'
import { childIdOf } from './children-progress.ts'
import type { GraphState, UnwantedChild } from './graph-state.ts'

/** Code of a step that took longer than it may: whatever it still waits for is dropped. */
export const TIMED_OUT = 'TIMED_OUT'

/** To be called before the wait of a step goes that nobody will hear the end of. Children that nobody waits for go on. */
export function disown(state: GraphState, step: StepKey): void {
  const opened = state.waits[step]
  if (opened?.wait.kind === 'child' && !opened.wait.detached)
    add(state, { instanceId: opened.wait.instanceId, place: step })
  if (opened?.wait.kind === 'children') {
    for (const index of opened.children!.live)
      add(state, { instanceId: childIdOf(opened.wait.firstId, index), place: `${step}@${index}` })
  }
}

/** It knows, or never was. No fact says so: whoever replays the journal tells it once more, which is harmless. */
export function forgetUnwanted(state: GraphState, child: UnwantedChild): void {
  const left = state.unwanted?.filter(({ instanceId }) => instanceId !== child.instanceId) ?? []
  if (left.length === 0) delete state.unwanted
  else state.unwanted = left
}

function add(state: GraphState, child: UnwantedChild): void {
  state.unwanted ??= []
  state.unwanted.push(child)
}

import type { StepKey } from '../journal/fact.ts'
import { childIdOf, childIndexOf } from './children-progress.ts'
import type { GraphState, OpenWait, UnwantedChild } from './graph-state.ts'
import { neverDue } from './waits.ts'

/** Code of a step that took longer than it may: whatever it still waits for is dropped. */
export const TIMED_OUT = 'TIMED_OUT'

/** To be called before the wait of a step goes that nobody will hear the end of. Children that nobody waits for go on. */
export function disown(state: GraphState, step: StepKey): void {
  for (const child of awaitedBy(state.waits[step])) add(state, child)
}

export function waitsForChildren(state: GraphState, step: StepKey): boolean {
  const wait = state.waits[step]?.wait
  return wait?.kind === 'children' || (wait?.kind === 'child' && !wait.detached)
}

/** The children of a step are to end, and that is heard, however long it takes. A bulk run tells its own. */
export function stopWaiting(state: GraphState, step: StepKey): void {
  const opened = state.waits[step]!
  if (opened.children === undefined) disown(state, step)
  else opened.children.stopped = true
  neverDue(state, step)
}

/**
 * Children of an instance that nobody hears of any more once it is taken back to what it was before. Of those that were dropped on the way
 * one that has ended has told all; some may be waited for again.
 */
export function orphans(now: GraphState, before: GraphState): UnwantedChild[] {
  const dropped = now.status === 'ended' ? [] : (now.unwanted ?? [])
  const found = [...dropped, ...Object.values(now.waits).flatMap(awaitedBy)]
  const byId = new Map(found.map((child) => [child.instanceId, child]))
  return [...byId.values()].filter(({ instanceId }) => !isAwaited(before, instanceId))
}

/** Steps of an instance that was taken back begin anew where a child that they waited for then was told to end since. */
export function replaceUnwanted(now: GraphState, before: GraphState): void {
  const told = new Set((now.unwanted ?? []).map(({ instanceId }) => instanceId))
  for (const [step, opened] of Object.entries(before.waits)) {
    if (!awaitedBy(opened).some(({ instanceId }) => told.has(instanceId))) continue
    before.executions[step]!.phase = 'active'
    delete before.waits[step]
  }
}

/** It knows, or never was. No fact says so: whoever replays the journal tells it once more, which is harmless. */
export function forgetUnwanted(state: GraphState, child: UnwantedChild): void {
  const left = state.unwanted?.filter(({ instanceId }) => instanceId !== child.instanceId) ?? []
  if (left.length === 0) delete state.unwanted
  else state.unwanted = left
}

function awaitedBy(opened: OpenWait | undefined): UnwantedChild[] {
  if (opened?.wait.kind === 'child' && !opened.wait.detached)
    return [{ instanceId: opened.wait.instanceId, place: opened.step }]
  if (opened?.wait.kind !== 'children') return []
  const { firstId } = opened.wait
  return opened.children!.live.map((index) => ({
    instanceId: childIdOf(firstId, index),
    place: `${opened.step}@${index}`,
  }))
}

/** A bulk run that is taken back goes on with the same ids: its children are its own, also those that began since. */
function isAwaited(state: GraphState, instanceId: string): boolean {
  return Object.values(state.waits).some(({ wait }) => {
    if (wait.kind !== 'children') return wait.kind === 'child' && wait.instanceId === instanceId
    const index = childIndexOf(wait.firstId, instanceId)
    return index !== undefined && index < wait.items.length
  })
}

function add(state: GraphState, child: UnwantedChild): void {
  state.unwanted ??= []
  state.unwanted.push(child)
}

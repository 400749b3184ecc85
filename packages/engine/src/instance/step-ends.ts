import type { GraphProgram } from '../graph/graph-program.ts'
import type { StepKey } from '../journal/fact.ts'
import { activityOf } from './step-place.ts'

/** When the runs of each activity last ended, apart for every turn of a loop; the turns that were told of last. */
export type StepEnds = Map<string, Map<string, number>>

/** What leads to a step ended a few turns ago: a journal may tell of a million. */
const MOST_SCOPES = 1_000

/** Facts come in the order of their moments: the last one told is the latest. */
export function noteEnd(ends: StepEnds, step: StepKey, at: number): void {
  const scope = scopeOf(step)
  const within = ends.get(scope) ?? new Map<string, number>()
  ends.delete(scope)
  ends.set(scope, within.set(activityOf(step), at))
  if (ends.size > MOST_SCOPES) ends.delete(ends.keys().next().value!)
}

/** When the last of the steps that lead to it ended. `undefined`: none did. */
export function endedBefore(program: GraphProgram, ends: StepEnds, step: StepKey): number | undefined {
  const within = ends.get(scopeOf(step))
  const times = (incomingOf(program).get(activityOf(step)) ?? []).flatMap((activity) => within?.get(activity) ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Steps with the same one are in the same turn of the same loop. */
const scopeOf = (step: StepKey): string => step.slice(0, step.lastIndexOf('.') + 1)

const known = new WeakMap<GraphProgram, ReadonlyMap<string, readonly string[]>>()

function incomingOf(program: GraphProgram): ReadonlyMap<string, readonly string[]> {
  const found = known.get(program)
  if (found !== undefined) return found
  const incoming = new Map<string, string[]>()
  for (const { id, targets } of program.activities)
    for (const target of [...targets.values()].flat()) incoming.set(target.id, [...(incoming.get(target.id) ?? []), id])
  known.set(program, incoming)
  return incoming
}

import type { CompiledActivity, GraphProgram } from '../graph/graph-program.ts'
import type { StepKey } from '../journal/fact.ts'
import { activityOf, ownerOf } from './step-place.ts'

/** How far a failure goes outward from its step. */
export interface FailurePath {
  /** Containers that fail with it, the innermost first. */
  readonly failing: readonly StepKey[]
  /** The step, or the last of these containers, that goes on by an outcome of its own. Absent: somebody catches it, or nobody does. */
  readonly goesOn: { readonly step: StepKey; readonly activity: CompiledActivity } | undefined
  /** Nobody deals with it: it holds the instance up. */
  readonly holdsUp: boolean
}

/** A failure that nobody deals with fails the containers around it, up to the one that does. `activityIn`: the activity of a container that was opened. */
export function failurePath(
  program: GraphProgram,
  failed: StepKey,
  activityIn: (container: StepKey) => string | undefined,
): FailurePath {
  const own = program.byId.get(activityOf(failed))
  if (own !== undefined && own.onError !== 'fault')
    return { failing: [], goesOn: { step: failed, activity: own }, holdsUp: false }
  const failing: StepKey[] = []
  for (let step = failed, owner = ownerOf(step); owner !== undefined; step = owner, owner = ownerOf(step)) {
    const activity = program.byId.get(activityIn(owner) ?? '')
    if (activity === undefined) return { failing, goesOn: undefined, holdsUp: false }
    if (activity.container === 'try' && activity.parts.catch !== undefined && step.startsWith(`${owner}.`))
      return { failing, goesOn: undefined, holdsUp: false }
    failing.push(owner)
    if (activity.onError !== 'fault') return { failing, goesOn: { step: owner, activity }, holdsUp: false }
  }
  return { failing, goesOn: undefined, holdsUp: true }
}

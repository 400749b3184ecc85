import type { StepKey } from '../journal/fact.ts'

/** The activity that a step of a graph is a run of: `loop[3].ask#2` is one of `ask`. */
export function activityOf(step: StepKey): string {
  const last = step.slice(step.lastIndexOf('.') + 1)
  return /^[^#[:]*/.exec(last)![0]
}

/** The step around it: `loop` of `loop[3].ask`, `guard` of `guard:catch.y`. `undefined`: it stands in the outermost graph. */
export function ownerOf(step: StepKey): StepKey | undefined {
  const end = step.lastIndexOf('.')
  return end === -1 ? undefined : step.slice(0, end).replace(/(\[\d+\]|:[^.[\]:]*)$/, '')
}

/** The step as a version knows it in which activities have other ids. */
export const renamedStep = (step: StepKey, mapping: Readonly<Record<string, string>>): StepKey =>
  step
    .split('.')
    .map((part) => part.replace(/^[^#[:]*/, (id) => mapping[id] ?? id))
    .join('.')

import type { Conversion } from './conversion.ts'
import type { ElsaJson } from './elsa-json.ts'
import type { Fragment, GraphBuilder } from './graph-builder.ts'

/** What an activity is placed into. */
export interface Site {
  readonly conversion: Conversion
  readonly graph: GraphBuilder
  readonly isInLoop: boolean
  /** Whether a trigger may stand here: at the start of the outermost graph. */
  readonly isOutermost: boolean
  /** Puts an activity, with all inside it, into a graph. */
  readonly place: Place
}

export type Place = (site: Site, activity: ElsaJson) => Fragment

/** Left out, because it would start with the workflow. */
export function noteUnreached({ conversion }: Site, activity: ElsaJson): void {
  conversion.activityCount += 1
  conversion.note({
    pointer: activity.pointer,
    elsaType: activity.get('type').text ?? '?',
    kind: 'not-mapped',
    reason: 'Nothing leads to it, so Elsa never runs it; here it would start with the workflow',
    suggestion: 'Add it where it belongs, if it is meant to run',
  })
}

/** `Elsa.ForEach<T>` and `Elsa.ForEach` are one. */
export function shortType(activity: ElsaJson): string {
  return (activity.get('type').text ?? '').replace(/^Elsa\./, '').split(/[`<]/, 1)[0]!
}

export function canStart(activity: ElsaJson): boolean {
  const { value } = activity.get('canStartWorkflow')
  return value === true || activity.get('customProperties').get('canStartWorkflow').value === true
}

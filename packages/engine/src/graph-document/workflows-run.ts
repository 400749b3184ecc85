import type { GraphDocument } from '../graph/document.ts'
import { eachActivity } from './each-activity.ts'

/** Types whose input `definitionId` names the workflow that they start. */
const RUNNERS: ReadonlySet<string> = new Set(['run-workflow', 'bulk-run'])

/** Ids of the workflows that a document runs, sorted. One that an expression chooses at run time is not known here. */
export function workflowsRun(document: GraphDocument): readonly string[] {
  const found = new Set<string>()
  for (const { activity } of eachActivity(document)) {
    const target = RUNNERS.has(activity.type) ? activity.inputs?.definitionId : undefined
    if (typeof target === 'string') found.add(target)
  }
  return [...found].sort()
}

/** What can be said of tasks in a document before anything runs. */
import type { GraphDocument } from '../graph/document.ts'
import { type GraphProblem, problem } from '../graph/graph-problem.ts'
import { containsExpression } from '../graph/input-template.ts'
import { pointerTo } from '../graph/json-pointer.ts'
import { eachActivity } from '../graph-document/each-activity.ts'
import { formProblem } from './form.ts'

/** Of a document that has the shape of one. */
export function* taskProblems(document: GraphDocument): Generator<GraphProblem> {
  for (const { activity, pointer } of eachActivity(document)) {
    if (activity.type !== 'human-task') continue
    const { form, outcomes } = activity.inputs ?? {}
    if (form !== undefined && form !== null && !containsExpression(form)) {
      const fault = formProblem(form)
      if (fault !== undefined)
        yield problem(
          pointerTo(pointer, 'inputs', 'form'),
          'INVALID_INPUT',
          `Input "form" of "${activity.id}" ${fault}`,
        )
    }
    if (Array.isArray(outcomes) && outcomes.includes('timeout')) {
      const text = `"${activity.id}" (human-task) has the outcome "timeout" by itself: rename the one that people choose`
      yield problem(pointerTo(pointer, 'inputs', 'outcomes'), 'INVALID_INPUT', text)
    }
  }
}

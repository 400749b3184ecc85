import type { JsonObject } from '@lockstep/base'
import { WorkflowFault } from '../../step/workflow-fault.ts'
import { formProblem } from '../../task/form.ts'
import { humanWait } from '../../task/human-wait.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { waitOutside } from './open-outside.ts'

/** Leaves the work to a person. */
export function runHumanTask(graph: LiveGraph, run: Run, inputs: JsonObject): void {
  const { step, activity } = run
  const wait = humanWait(graph.host.newId(), activity.id, inputs, activity.timeoutMs)
  const problem = wait.form === undefined ? undefined : formProblem(wait.form)
  if (problem !== undefined) {
    const message = `input "form" ${problem}`
    return graph.fail(run, new WorkflowFault({ message, faultCode: 'INVALID_INPUT' }))
  }
  waitOutside(graph, step, wait)
}

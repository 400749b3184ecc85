import type { JsonObject } from '@lockstep/base'
import { taskWait } from '../../task/task-wait.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { waitOutside } from './open-outside.ts'

/** Leaves the work to whoever claims it. */
export function runTask(graph: LiveGraph, { step, activity }: Run, inputs: JsonObject): void {
  waitOutside(graph, step, taskWait(graph.host.newId(), inputs, activity.timeoutMs))
}

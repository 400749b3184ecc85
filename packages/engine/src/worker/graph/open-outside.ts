/**
 * Waits that have a row of their own outside: a task for a worker or a person. The fact that the step waits is written first, with the bookmark;
 * the row follows. A crash between leaves a fact from which the row is made again.
 */
import { openWaits } from '../../graph/waits.ts'
import type { HumanWait, StepKey, TaskWait } from '../../journal/fact.ts'
import { keepTrying } from './keep-trying.ts'
import type { LiveGraph } from './live-graph.ts'

type OutsideWait = TaskWait | HumanWait

export function waitOutside(graph: LiveGraph, step: StepKey, wait: OutsideWait): void {
  graph.openWait(step, wait)
  void openRow(graph, step, wait)
}

/** The process that wrote the wait may have died before it made the row; making it again is harmless. */
export function reopenOutside(graph: LiveGraph): void {
  for (const { step, wait } of openWaits(graph.state))
    if (wait.kind === 'task' || wait.kind === 'human') void openRow(graph, step, wait)
}

async function openRow(graph: LiveGraph, step: StepKey, wait: OutsideWait): Promise<void> {
  const { host } = graph
  const isWanted = (): boolean => {
    const open = graph.isAlive(step) ? graph.state.waits[step]?.wait : undefined
    return !graph.isDisposed && open !== undefined && 'id' in open && open.id === wait.id
  }
  graph.activeCount += 1
  await host.durable()
  const failure = await keepTrying(graph, 'opening a task', isWanted, () => write(graph, step, wait))
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (failure !== undefined && isWanted())
      graph.fold({ kind: 'failed', step, attempt: 1, error: graph.failureOf(failure, step) }, { closes: [step] })
    graph.goOn()
  })
}

function write(graph: LiveGraph, step: StepKey, wait: OutsideWait): Promise<void> {
  const { tenant, instanceId } = graph.host.identity
  const { id } = wait
  const { outside } = graph.shell
  if (wait.kind === 'task') {
    const { name, queue, leaseMs, mostClaims } = wait
    const payload = JSON.stringify(wait.payload)
    return outside.openTask({ tenant, id, instanceId, step, queue, name, payload, leaseMs, mostClaims })
  }
  const { title, description, form, outcomes, assignee, candidates, dueInMs } = wait
  return outside.openHumanTask({
    ...{ tenant, id, instanceId, step, title, description, outcomes, assignee, candidates, dueInMs },
    form: form === undefined ? undefined : JSON.stringify(form),
  })
}

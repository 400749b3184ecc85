/**
 * Children of branches that were dropped, and of steps that an operator took back, are told to cancel, with what they did undone. The fold of
 * the journal names them, and the instance neither rests nor ends before they are told: should this process die in between, the next owner
 * finds them in the same place.
 */
import { errorMessage } from '@lockstep/base'
import type { OpenWait, UnwantedChild } from '../../graph/graph-state.ts'
import { isLate } from '../../graph/saga/late-step.ts'
import { forgetUnwanted } from '../../graph/unwanted-children.ts'
import { openWaits } from '../../graph/waits.ts'
import { keepTrying } from './keep-trying.ts'
import type { LiveGraph } from './live-graph.ts'

/** Called with every turn; tells none twice. */
export function stopUnwanted(graph: LiveGraph): void {
  if (graph.host.isStill) return
  for (const child of graph.state.unwanted ?? []) {
    if (graph.parting.has(child.instanceId)) continue
    graph.parting.add(child.instanceId)
    // One whose start is on its way would not be found yet. Looked up now: a bulk run that is over is forgotten.
    const started = graph.starting.get(child.place) ?? graph.begun.get(child.place)
    void stop(graph, child, started)
  }
}

async function stop(graph: LiveGraph, child: UnwantedChild, started: Promise<void> | undefined): Promise<void> {
  const { host, shell } = graph
  graph.activeCount += 1
  await started
  await host.durable()
  const isWanted = (): boolean => !graph.isDisposed
  let exists = true
  const refused = await keepTrying(graph, 'stopping a child', isWanted, async () => {
    const reason = 'Nobody waits for it any more'
    exists = await shell.outside.cancelInstance(host.identity.tenant, child.instanceId, { reason })
  })
  if (refused !== undefined) shell.logger.warn('a child was not told to stop', { reason: errorMessage(refused) })
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    graph.parting.delete(child.instanceId)
    forgetUnwanted(graph.state, child)
    if (!exists) neverBegan(graph, child.instanceId)
    graph.goOn()
  })
}

/** A step that is kept until its child has ended hears nothing of one that never was. By its id: the step may have got another name. */
export function neverBegan(graph: LiveGraph, instanceId: string): void {
  const { state } = graph
  const isIts = ({ step, wait }: OpenWait): boolean =>
    wait.kind === 'child' && wait.instanceId === instanceId && isLate(state, step)
  const step = openWaits(state).find(isIts)?.step
  if (step === undefined) return
  const error = { code: 'CHILD_CANCELLED', message: 'The child workflow never began', step }
  graph.fold({ kind: 'failed', step, attempt: state.executions[step]!.attempt, error })
}

/** What the shell does for an instance that is undone: steps that came late are told to stop, children are told to cancel. */
import { Cancelled, errorMessage, sleep } from '@lockstep/base'
import { isLate } from '../../graph/saga/late-step.ts'
import { canCancel } from '../../graph/saga/undo-all.ts'
import { openWaits } from '../../graph/waits.ts'
import type { CancelledFact, StepKey } from '../../journal/fact.ts'
import type { Cancellation } from '../execution.ts'
import type { LiveGraph } from './live-graph.ts'
import { neverBegan } from './stop-unwanted.ts'

const PAUSE_MS = 1_000

/** Cancels the graph once no transaction is open any more; one that is open is told to roll back now. */
export function cancelGraph(graph: LiveGraph, cancellation: Cancellation): void {
  if (!canCancel(graph.state)) return
  const { reason, compensate } = cancellation
  const why = new Cancelled({ what: `Instance ${graph.host.identity.instanceId}` })
  const open = graph.transacting
  if (open !== undefined) {
    graph.isCancelling = true
    graph.running.get(open)?.abort(why)
  }
  graph.freeze.afterwards(() => {
    if (!canCancel(graph.state)) return
    const fact: CancelledFact = {
      kind: 'cancelled',
      ...(reason && { reason }),
      ...(!compensate && { compensate: false }),
    }
    graph.isCancelling = false
    graph.fold(fact)
    graph.dropCancelled(why)
    const { rolledBack } = graph
    if (rolledBack !== undefined && isLate(graph.state, rolledBack.step)) graph.fail(rolledBack, why)
    graph.goOn()
  })
}

/** Children that an instance waits for before it undoes itself. Told once by each process that has it: a second time is harmless. */
export function stopChildren(graph: LiveGraph): void {
  if (graph.state.undoing === undefined || graph.toldChildren) return
  graph.toldChildren = true
  for (const { step, wait } of openWaits(graph.state)) {
    if (wait.kind === 'child' && isLate(graph.state, step)) void stopChild(graph, step, wait.instanceId)
  }
}

async function stopChild(graph: LiveGraph, step: StepKey, instanceId: string): Promise<void> {
  const { host, shell, state } = graph
  const { cause, skips, error } = state.undoing!
  graph.activeCount += 1
  let exists = true
  // One whose start is on its way would not be found yet.
  await graph.starting.get(step)
  await host.durable()
  while (!graph.isDisposed && graph.isAlive(step)) {
    try {
      const options = { compensate: skips !== true, ...(cause === 'cancel' && { reason: error.message }) }
      exists = await shell.outside.cancelInstance(host.identity.tenant, instanceId, options)
      break
    } catch (refused) {
      shell.logger.warn('a child was not told to cancel yet', { instanceId, reason: errorMessage(refused) })
      await sleep(shell.clock, PAUSE_MS)
    }
  }
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (!exists) neverBegan(graph, instanceId)
    graph.goOn()
  })
}

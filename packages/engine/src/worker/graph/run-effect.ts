import { type JsonObject, LazyAbort } from '@lockstep/base'
import type { ActivityResult, EffectActivity } from '../../activity/activity-handler.ts'
import { runAttempt } from '../../step/run-attempt.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { activityContext, checkedResult, settleStep } from './settle-step.ts'

/** Runs code that does something outside: when everything before it is durable, and announced where it must not run twice. */
export async function runEffect(
  graph: LiveGraph,
  run: Run,
  handler: EffectActivity,
  inputs: JsonObject,
): Promise<void> {
  const { step, activity, attempt } = run
  const { host, shell } = graph
  const abort = new LazyAbort(host.abort)
  graph.running.set(step, abort)
  graph.activeCount += 1
  let end: { readonly result: ActivityResult } | { readonly error: unknown }
  try {
    if (activity.effect === 'atMostOnce') graph.fold({ kind: 'attempting', step, attempt })
    await host.durable()
    const result = await host.effect(() =>
      runAttempt(shell.clock, abort, `Step "${step}"`, activity.timeoutMs, async (own) =>
        handler.run(inputs, activityContext(graph, run, own)),
      ),
    )
    end = { result: checkedResult(run, result) }
  } catch (error) {
    end = { error }
  }
  abort.release()
  graph.running.delete(step)
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (graph.isAlive(step)) conclude(graph, run, end)
    graph.goOn()
  })
}

function conclude(
  graph: LiveGraph,
  run: Run,
  end: { readonly result: ActivityResult } | { readonly error: unknown },
): void {
  if ('error' in end) return graph.fail(run, end.error)
  try {
    settleStep(graph, run, end.result)
  } catch (error) {
    graph.fail(run, error) // a result that no fact can hold, such as a variable that is not declared
  }
}

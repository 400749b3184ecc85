import { abortable, errorMessage, type JsonObject, LazyAbort } from '@lockstep/base'
import type { ActivityResult, EffectActivity } from '../../activity/activity-handler.ts'
import type { Passed } from '../../limit/passed-gate.ts'
import { EffectOutlet } from '../../progress/attempt-outlet.ts'
import { runPoliced } from '../../step/policed-attempt.ts'
import { enterStep, gateNames, noLongerWanted, putOff } from './enter-step.ts'
import { inputsWithSecrets } from './inputs-with-secrets.ts'
import type { LiveGraph, Run } from './live-graph.ts'
import { activityContext, checkedResult, settleStep } from './settle-step.ts'

type End = { readonly result: ActivityResult } | { readonly error: unknown } | { readonly later: () => void }

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
  const again = (): void => void runEffect(graph, run, handler, inputs)
  let passed: Passed | undefined
  let end: End
  try {
    const entry = activity.policies?.isGated ? await enter(graph, run, abort, again) : undefined
    if (typeof entry === 'function') end = { later: entry }
    else {
      passed = entry
      if (activity.effect === 'atMostOnce') {
        while (host.isDraining) await calledOff(graph, run, abort)
        graph.fold({ kind: 'attempting', step, attempt })
      }
      const durable = host.durable()
      await (passed === undefined ? durable : abortable(durable, abort.signal))
      if (!graph.isAlive(step)) throw noLongerWanted(run)
      const withoutSecrets = (text: string): string => graph.secrets.text(text)
      const about = { step, attempt, effect: activity.effect, withoutSecrets }
      const result = await host.effect(() => attemptEffect(graph, run, handler, inputs, abort, passed), about)
      end = { result: checkedResult(run, result, shell.limits) }
    }
  } catch (error) {
    end = { error }
  }
  // An attempt that was told to stop says nothing of what it tried.
  const why = 'error' in end ? whyOf(graph, end.error) : undefined
  passed?.leave('result' in end ? 'completed' : isAborted(host.abort, abort, passed) ? 'untried' : 'failed', why)
  abort.release()
  graph.running.delete(step)
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (graph.isAlive(step)) conclude(graph, run, end)
    if (!graph.isAlive(step)) shell.progress.ended(host.identity, step)
    graph.goOn()
  })
}

/** As it may be told to whoever sees the breaker. */
const whyOf = (graph: LiveGraph, error: unknown) => (): string => graph.secrets.text(errorMessage(error))

/** What is announced and then not tried would be a matter for a person: settles when the drain is over and the step still wanted. */
async function calledOff(graph: LiveGraph, run: Run, { signal }: LazyAbort): Promise<void> {
  await abortable(graph.host.durable(), signal)
  await abortable(new Promise<void>((resolve) => graph.freeze.afterwards(resolve)), signal)
  if (!graph.isAlive(run.step)) throw noLongerWanted(run)
}

/** A function: not now; it puts the step off. */
async function enter(graph: LiveGraph, run: Run, abort: LazyAbort, again: () => void): Promise<Passed | (() => void)> {
  const names = await gateNames(graph, run)
  const entry = await enterStep(graph, run, names, abort)
  return typeof entry === 'number' ? () => putOff(graph, run, names, entry, again) : entry
}

async function attemptEffect(
  graph: LiveGraph,
  run: Run,
  handler: EffectActivity,
  inputs: JsonObject,
  abort: LazyAbort,
  passed: Passed | undefined,
): Promise<ActivityResult> {
  const { step, activity } = run
  const { clock, progress } = graph.shell
  const heartbeatMs = activity.policies?.heartbeatMs
  const lastHeartbeat = heartbeatMs === undefined ? undefined : await progress.lastBeat(graph.host.identity, step)
  const lease = passed?.lease
  const bounds = { timeoutMs: activity.timeoutMs, heartbeatMs, lease }
  return runPoliced(clock, abort, `Step "${step}"`, bounds, async (own, beat) => {
    const given = activity.secrets.length === 0 ? inputs : await inputsWithSecrets(graph, run, inputs)
    const outlet = new EffectOutlet(graph, step, run.attempt, own, beat)
    const context = activityContext(graph, run, own, outlet, { lastHeartbeat, fence: lease?.fence })
    return outlet.around(() => handler.run(given, context))
  })
}

function isAborted(host: LazyAbort, abort: LazyAbort, { lease }: Passed): boolean {
  return host.signal.aborted || (abort.signal.aborted && lease?.signal.aborted !== true)
}

function conclude(graph: LiveGraph, run: Run, end: End): void {
  if ('later' in end) return end.later()
  if ('error' in end) return graph.fail(run, end.error)
  try {
    settleStep(graph, run, end.result)
  } catch (error) {
    graph.fail(run, error) // a result that no fact can hold, such as a variable that is not declared
  }
}

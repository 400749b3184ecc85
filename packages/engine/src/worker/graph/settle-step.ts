import type { ActivityContext, ActivityResult, CompletedResult } from '../../activity/activity-handler.ts'
import type { CompletedFact } from '../../journal/fact.ts'
import { toPayload } from '../../step/payload.ts'
import type { NewEvent } from '../../store/commit-store.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** Makes what came of a step a fact. */
export function settleStep(graph: LiveGraph, run: Run, result: ActivityResult): void {
  if (result.kind === 'waiting') return graph.openWait(run.step, result.wait)
  const event = eventOf(graph, result)
  graph.fold(completedFact(run, result), event === undefined ? {} : { publishes: [event] })
}

export function completedFact({ step, attempt }: Run, result: CompletedResult): CompletedFact {
  const { outcome, output, assign, result: named } = result
  return {
    kind: 'completed',
    step,
    outcome,
    ...(output === undefined ? {} : { output }),
    ...(assign === undefined ? {} : { assign }),
    ...(named === undefined ? {} : { result: named }),
    ...(attempt > 1 ? { attempt } : {}),
  }
}

export function eventOf({ host, shell }: LiveGraph, { publish }: CompletedResult): NewEvent | undefined {
  if (publish === undefined) return undefined
  return {
    tenant: host.identity.tenant,
    id: host.newId(),
    name: publish.name,
    correlationId: publish.correlationId,
    payload: JSON.stringify(publish.payload),
    ttlMs: shell.eventTtlMs,
  }
}

/** A copy of what code gave back, checked for what a journal can hold. */
export function checkedResult<R extends ActivityResult>({ step }: Run, result: R): R {
  if (result.kind !== 'completed' || result.output === undefined) return result
  return { ...result, output: toPayload(result.output, `The output of step "${step}"`) }
}

export function activityContext(
  graph: LiveGraph,
  { step, attempt }: Run,
  abort: { readonly signal: AbortSignal },
): ActivityContext {
  const { instanceId, definitionId, correlationId } = graph.host.identity
  return {
    instanceId,
    definitionId,
    correlationId,
    step,
    attempt,
    idempotencyKey: `${instanceId}:${step}`,
    get signal() {
      return abort.signal
    },
    logger: graph.shell.logger,
  }
}

import type { Json } from '@lockstep/base'
import type { ActivityContext, ActivityResult, CompletedResult, InlineResult } from '../../activity/activity-handler.ts'
import type { CompletedFact } from '../../journal/fact.ts'
import { toPayload } from '../../step/payload.ts'
import type { NewEvent } from '../../store/commit-store.ts'
import type { AttemptOutlet } from './attempt-outlet.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** Makes what came of a step a fact. */
export function settleStep(graph: LiveGraph, run: Run, result: ActivityResult | InlineResult): void {
  if (result.kind === 'waiting') return graph.openWait(run.step, result.wait)
  const event = eventOf(graph, result)
  const fact = completedFact(run, result)
  graph.fold(fact, {
    ...(event === undefined ? {} : { publishes: [event] }),
    ...(fact.correlationId === undefined ? {} : { correlationId: fact.correlationId }),
  })
  if (fact.answers) tellAnswer(graph)
}

export function completedFact({ step, attempt }: Run, result: CompletedResult | InlineResult): CompletedFact {
  const { outcome, output, assign, result: named } = result
  const { outcomes, correlationId, answers } = result as InlineResult
  return {
    kind: 'completed',
    step,
    outcome,
    ...(outcomes === undefined ? {} : { outcomes }),
    ...(output === undefined ? {} : { output }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(assign === undefined ? {} : { assign }),
    ...(named === undefined ? {} : { result: named }),
    ...(answers === undefined ? {} : { answers }),
    ...(attempt > 1 ? { attempt } : {}),
  }
}

/** Somebody may wait for it on another node. It is told when the answer is durable, and not held up by what follows. */
function tellAnswer(graph: LiveGraph): void {
  const { host, shell } = graph
  graph.activeCount += 1
  void host.durable().then(() => {
    shell.outside.answered(host.identity.instanceId)
    graph.freeze.afterwards(() => {
      graph.activeCount -= 1
      graph.goOn()
    })
  })
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
export function checkedResult<R extends ActivityResult>({ step }: Run, result: R, limit?: number): R {
  if (result.kind !== 'completed' || result.output === undefined) return result
  return { ...result, output: toPayload(result.output, `The output of step "${step}"`, limit) }
}

/** What an attempt has of its own, besides its inputs. */
export interface AttemptScope {
  readonly lastHeartbeat?: Json | undefined
  readonly fence?: bigint | undefined
}

export function activityContext(
  graph: LiveGraph,
  { step, attempt }: Run,
  abort: { readonly signal: AbortSignal },
  outlet: AttemptOutlet,
  { lastHeartbeat, fence }: AttemptScope = {},
): ActivityContext {
  const { instanceId, definitionId } = graph.host.identity
  return {
    instanceId,
    definitionId,
    correlationId: graph.state.correlationId,
    step,
    attempt,
    idempotencyKey: `${instanceId}:${step}${graph.state.rewinds === undefined ? '' : `~${graph.state.rewinds}`}`,
    get signal() {
      return abort.signal
    },
    logger: graph.shell.logger,
    fence,
    lastHeartbeat,
    secret: (name) => graph.secrets.read(name, graph.host.identity.tenant),
    holdsSecret: (text) => graph.secrets.shows(text),
    progress: (progress) => outlet.report().progress(progress),
    heartbeat: (details) => outlet.report().heartbeat(details),
    emit: (part, number) => outlet.parts().emit(part, number),
    emitted: () => outlet.parts().emitted(),
  }
}

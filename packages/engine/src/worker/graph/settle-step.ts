import type { Json } from '@lockstep/base'
import type { ActivityContext, ActivityResult, CompletedResult, InlineResult } from '../../activity/activity-handler.ts'
import type { CompletedFact } from '../../journal/fact.ts'
import type { EngineLimits } from '../../limit/engine-limits.ts'
import type { AttemptOutlet } from '../../progress/attempt-outlet.ts'
import { requireKept, toKept } from '../../step/payload.ts'
import type { NewEvent } from '../../store/commit-store.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** Makes what came of a step a fact. */
export function settleStep(graph: LiveGraph, run: Run, result: ActivityResult | InlineResult): void {
  if (result.kind === 'waiting') return graph.openWait(run.step, result.wait)
  requireRoom(run, result, graph.shell.limits)
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
export function checkedResult<R extends ActivityResult>({ step }: Run, result: R, limits: EngineLimits): R {
  if (result.kind !== 'completed' || result.output === undefined) return result
  return { ...result, output: toKept(result.output, `The output of step "${step}"`, limits) }
}

/** Whatever a step leaves behind, each for itself. */
export function requireRoom({ step }: Run, result: CompletedResult | InlineResult, limits: EngineLimits): void {
  const { output, assign, result: named, publish } = result
  if (output !== undefined) requireKept(output, `The output of step "${step}"`, limits)
  for (const name in assign) requireKept(assign[name]!, `Variable "${name}"`, limits)
  for (const name in named) requireKept(named[name]!, `Output "${name}"`, limits)
  if (publish !== undefined) requireKept(publish.payload, `The payload of event "${publish.name}"`, limits)
}

/** What an attempt has of its own, besides its inputs. */
export interface AttemptScope {
  readonly lastHeartbeat?: Json | undefined
  readonly fence?: bigint | undefined
}

export function activityContext(
  graph: LiveGraph,
  run: Run,
  abort: { readonly signal: AbortSignal },
  outlet: AttemptOutlet,
  scope: AttemptScope = {},
): ActivityContext {
  return new StepContext(graph, run, abort, outlet, scope)
}

/** What code of an activity sees; made as it is read, for the reasons that `FunctionContext` tells. */
class StepContext implements ActivityContext {
  readonly tenant: string
  readonly instanceId: string
  readonly definitionId: string
  readonly correlationId: string | undefined
  readonly step: string
  readonly attempt: number
  readonly idempotencyKey: string
  readonly fence: bigint | undefined
  readonly lastHeartbeat: Json | undefined
  readonly #graph: LiveGraph
  readonly #abort: { readonly signal: AbortSignal }
  readonly #outlet: AttemptOutlet

  constructor(
    graph: LiveGraph,
    { step, attempt }: Run,
    abort: { readonly signal: AbortSignal },
    outlet: AttemptOutlet,
    { lastHeartbeat, fence }: AttemptScope,
  ) {
    const { tenant, instanceId, definitionId } = graph.host.identity
    const { rewinds } = graph.state
    this.tenant = tenant
    this.instanceId = instanceId
    this.definitionId = definitionId
    this.correlationId = graph.state.correlationId
    this.step = step
    this.attempt = attempt
    this.idempotencyKey = `${instanceId}:${step}${rewinds === undefined ? '' : `~${rewinds}`}`
    this.fence = fence
    this.lastHeartbeat = lastHeartbeat
    this.#graph = graph
    this.#abort = abort
    this.#outlet = outlet
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  get logger(): ActivityContext['logger'] {
    return this.#graph.shell.logger
  }

  get secret(): ActivityContext['secret'] {
    return (name, to) => this.#graph.secrets.read(name, this.#graph.host.identity.tenant, to)
  }

  get holdsSecret(): ActivityContext['holdsSecret'] {
    return (text) => this.#graph.secrets.shows(text)
  }

  get withoutSecrets(): ActivityContext['withoutSecrets'] {
    return (text) => this.#graph.secrets.text(text)
  }

  get progress(): ActivityContext['progress'] {
    return (progress) => this.#outlet.report().progress(progress)
  }

  get heartbeat(): ActivityContext['heartbeat'] {
    return (details) => this.#outlet.report().heartbeat(details)
  }

  get emit(): ActivityContext['emit'] {
    return (part, number) => this.#outlet.parts().emit(part, number)
  }

  get emitted(): ActivityContext['emitted'] {
    return () => this.#outlet.parts().emitted()
  }
}

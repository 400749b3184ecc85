import type { Json, JsonObject } from '@lockstep/base'
import { isLate } from '../../graph/saga/late-step.ts'
import { openWaits } from '../../graph/waits.ts'
import type { StepKey } from '../../journal/fact.ts'
import { checkDepth } from '../../limit/check-depth.ts'
import { inputsFromSandbox } from './evaluate-inputs.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** Writes that the step waits for a child, whose id is in that fact, and starts the child after it: a crash between leaves a name to start. */
export function runChild(graph: LiveGraph, run: Run, inputs: JsonObject): void {
  const { state, shell, host } = graph
  const tooDeep = checkDepth(run.step, state.depth ?? 0, shell.limits.depth)
  if (tooDeep !== undefined) return graph.breach(run, tooDeep)
  const instanceId = host.newId()
  const { timeoutMs } = run.activity
  const how = inputs.wait === false ? ({ detached: true } as const) : timeoutMs === undefined ? {} : { timeoutMs }
  const canBeUndone = run.activity.parts.compensate !== undefined && inputs.wait !== false
  const undo = canBeUndone ? ({ undo: true } as const) : {}
  graph.fold({ kind: 'waiting', step: run.step, wait: { kind: 'child', instanceId, ...how }, ...undo })
  begin(graph, run, instanceId, () => inputs)
}

/** The process that wrote the wait may have died before it started the child; starting it again is harmless. */
export function restartChildren(graph: LiveGraph): void {
  for (const { step, wait } of openWaits(graph.state)) {
    const execution = graph.state.executions[step]
    const activity = execution && graph.program.byId.get(execution.activity)
    if (wait.kind !== 'child' || execution === undefined || activity === undefined) continue
    if (isLate(graph.state, step)) continue // it is to be stopped
    const run: Run = { step, activity, attempt: execution.attempt, unclear: false }
    begin(graph, run, wait.instanceId, () => inputsFromSandbox(graph, run))
  }
}

function begin(graph: LiveGraph, run: Run, instanceId: string, inputsOf: () => JsonObject | Promise<JsonObject>): void {
  const { step } = run
  const started = startChild(graph, run, instanceId, inputsOf).finally(() => graph.starting.delete(step))
  graph.starting.set(step, started)
}

async function startChild(
  graph: LiveGraph,
  { step, attempt }: Run,
  instanceId: string,
  inputsOf: () => JsonObject | Promise<JsonObject>,
): Promise<void> {
  const { host, state } = graph
  graph.activeCount += 1
  let finish: (() => void) | undefined
  try {
    const inputs = await inputsOf()
    await host.durable()
    const child = childOf(inputs, state.correlationId)
    // Its branch may have been dropped meanwhile.
    if (!child.awaited || (waitsFor(graph, step, instanceId) && !isLate(state, step)))
      await host.startChild({ ...child, instanceId, step, depth: (state.depth ?? 0) + 1 })
    if (inputs.wait === false)
      finish = () => graph.fold({ kind: 'completed', step, outcome: 'done', output: { instanceId } })
  } catch (error) {
    finish = () => graph.fold({ kind: 'failed', step, attempt, error: graph.failureOf(error, step) })
  }
  graph.freeze.afterwards(() => {
    graph.activeCount -= 1
    if (waitsFor(graph, step, instanceId)) finish?.()
    graph.goOn()
  })
}

function childOf(inputs: JsonObject, correlationId: string | undefined) {
  return {
    definitionId: String(inputs.definitionId),
    version: typeof inputs.version === 'number' ? inputs.version : undefined,
    input: (inputs.input ?? null) as Json,
    correlationId: typeof inputs.correlationId === 'string' ? inputs.correlationId : correlationId,
    awaited: inputs.wait !== false,
  }
}

function waitsFor(graph: LiveGraph, step: StepKey, instanceId: string): boolean {
  const wait = graph.isAlive(step) ? graph.state.waits[step]?.wait : undefined
  return wait?.kind === 'child' && wait.instanceId === instanceId
}

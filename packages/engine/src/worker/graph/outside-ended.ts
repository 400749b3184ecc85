import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import { type CompiledActivity, isConnected } from '../../graph/graph-program.ts'
import type { OpenWait } from '../../graph/graph-state.ts'
import { TIMED_OUT } from '../../graph/unwanted-children.ts'
import type { Fact, Failure, HumanWait, StepKey } from '../../journal/fact.ts'
import { retryDelayMs } from '../../step/retry-policy.ts'
import type { InboxMessage } from '../../store/agenda-store.ts'
import type { LiveGraph } from './live-graph.ts'

/** The fact that follows from what a worker or a person handed in. Somebody who resumes the bookmark instead decides in their place. */
export function outsideEnded(graph: LiveGraph, { step, wait }: OpenWait, message: InboxMessage): Fact {
  const payload = isJsonObject(message.payload as Json) ? (message.payload as JsonObject) : {}
  if (wait.kind === 'human') return humanEnded(step, wait, message, payload)
  if (message.kind !== 'task')
    return { kind: 'completed', step, outcome: 'done', output: (message.payload ?? null) as Json, by: 'resume' }
  if (payload.status === 'completed')
    return { kind: 'completed', step, outcome: 'done', output: payload.output ?? null, by: 'worker' }
  return failedFact(graph, step, failureFrom(step, payload), payload.retryable !== false)
}

/** What becomes of a wait that was not over in time: a way out where one is connected, else a failure like any other. */
export function timeoutFact(graph: LiveGraph, step: StepKey): Fact {
  const wait = graph.state.waits[step]?.wait
  if (wait?.kind === 'child' || wait?.kind === 'children') return tookTooLong(step, wait.timeoutMs!)
  const completed: Fact = { kind: 'completed', step, outcome: 'timeout', by: 'timer' }
  if (wait?.kind !== 'task' && wait?.kind !== 'human') return completed
  if (isConnected(activityOf(graph, step), 'timeout')) return completed
  const who = wait.kind === 'task' ? `No worker has completed task "${wait.name}"` : `Nobody has done "${wait.title}"`
  const message = `${who} within ${wait.timeoutMs} ms`
  return failedFact(graph, step, { code: 'TASK_TIMED_OUT', message, step }, wait.kind === 'task')
}

/** Of a step that contains others: those are dropped. */
export function tookTooLong(step: StepKey, ms: number): Fact {
  const message = `"${step}" took longer than ${ms} ms`
  return { kind: 'failed', step, attempt: 1, error: { code: TIMED_OUT, message, step } }
}

function humanEnded(step: StepKey, wait: HumanWait, message: InboxMessage, payload: JsonObject): Fact {
  const isHandedIn = message.kind === 'human'
  const outcome = isHandedIn ? String(payload.outcome) : wait.outcomes[0]!
  const data = isHandedIn ? (payload.data ?? null) : ((message.payload ?? null) as Json)
  const output = { outcome, data, completedBy: isHandedIn ? (payload.by ?? null) : null }
  return { kind: 'completed', step, outcome, output, by: isHandedIn ? 'person' : 'resume' }
}

function failedFact(graph: LiveGraph, step: StepKey, error: Failure, retryable: boolean): Fact {
  const { attempt } = graph.state.executions[step]!
  const { retry } = activityOf(graph, step)
  const delayMs = retryable ? retryDelayMs(retry, attempt, error, graph.shell.random.next()) : undefined
  if (delayMs === undefined) return { kind: 'failed', step, attempt, error }
  return { kind: 'retrying', step, attempt, error, delayMs }
}

function activityOf({ program, state }: LiveGraph, step: StepKey): CompiledActivity {
  return program.byId.get(state.executions[step]!.activity)!
}

function failureFrom(step: StepKey, { error }: JsonObject): Failure {
  const given = isJsonObject(error) ? error : {}
  return {
    code: typeof given.code === 'string' ? given.code : 'TASK_FAILED',
    message: typeof given.message === 'string' ? given.message : 'The worker failed the task',
    step,
    ...(given.data === undefined || given.data === null ? {} : { data: given.data }),
  }
}

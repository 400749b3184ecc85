import { type Clock, errorCode, errorMessage, type Json, type Random, type Timer } from '@lockstep/base'
import { BackOff } from './back-off.ts'
import type { ClaimedTask, Refusal, TaskApi } from './task-api.ts'

export interface TaskContext {
  readonly task: ClaimedTask
  /** Aborts when the work is not wanted any more: the claim is lost, the workflow does not wait, or the worker stops. */
  readonly signal: AbortSignal
  /** Says how far the work is, for people to see. */
  progress(progress: Json): Promise<void>
  /**
   * Hands out a part of the result before the end: every reader gets it once, in order. Settles when it is durable; throws when it could not
   * be kept. The first one has the number 1, for each worker that tries: what another one handed out under a number stays.
   */
  emit(part: Json): Promise<void>
}

/** What it answers is the output of the step. What it throws fails the task; `retryable: false` on the error says that trying again is of no use. */
export type TaskHandler = (payload: Json, context: TaskContext) => Promise<Json | undefined> | Json | undefined

export interface RunContext {
  readonly api: TaskApi
  readonly handler: TaskHandler
  readonly leaseMs: number
  readonly clock: Clock
  readonly random: Random
  readonly onProblem: (problem: { readonly message: string; readonly task?: string }) => void
  /** Handlers must end now. */
  readonly stop: AbortSignal
}

/** Heartbeats in one lease: two of them may get lost. */
const BEATS = 3
/** What frees a task at once. */
const GIVE_BACK_MS = 100
const MOST_ATTEMPTS = 12

/** Runs one task to its end. Never rejects: whatever goes wrong is told, and the lease takes care of the rest. */
export async function runTask(context: RunContext, task: ClaimedTask): Promise<void> {
  const { api, handler, onProblem, stop } = context
  const wanted = new AbortController()
  const unwanted = (refusal: Refusal): void => {
    if (wanted.signal.aborted) return
    onProblem({ message: `Task ${task.id} is not wanted from this worker any more: ${refusal}`, task: task.id })
    wanted.abort(refusal)
  }
  const stopped = (): void => wanted.abort('the worker stops')
  stop.addEventListener('abort', stopped, { once: true })
  const beats = keepAlive(context, task, unwanted)
  const progress = async (value: Json): Promise<void> => {
    const refusal = await api.say(task, 'progress', { progress: value })
    if (refusal !== undefined) unwanted(refusal)
  }
  const emit = partsOf(context, task, unwanted)
  let end: { readonly output: Json } | { readonly error: unknown }
  try {
    end = { output: (await handler(task.payload, { task, signal: wanted.signal, progress, emit })) ?? null }
  } catch (error) {
    end = { error }
  }
  beats.stop()
  stop.removeEventListener('abort', stopped)
  if (wanted.signal.aborted && !('output' in end)) {
    // The error is that of having been stopped. Where the task is still ours somebody else can have it now.
    if (stop.aborted) await api.say(task, 'heartbeat', { leaseFor: GIVE_BACK_MS }).catch(() => undefined)
    return
  }
  await handIn(context, task, end)
}

/** One after the other, each repeated until the server has it: its number makes that harmless. */
function partsOf(
  { api, clock, random, onProblem }: RunContext,
  task: ClaimedTask,
  unwanted: (refusal: Refusal) => void,
): TaskContext['emit'] {
  const never = new AbortController().signal
  let last = 0
  let before: Promise<void> = Promise.resolve()
  const send = async (part: Json, from: number): Promise<void> => {
    const backOff = new BackOff(clock, random)
    for (let attempt = 1; ; attempt += 1) {
      try {
        const refusal = await api.say(task, 'results', { from, parts: [part] })
        if (refusal !== undefined) unwanted(refusal)
        return
      } catch (error) {
        if (isRefusedForGood(error) || attempt >= MOST_ATTEMPTS) throw error
        onProblem({ message: errorMessage(error), task: task.id })
        await backOff.failed(never)
      }
    }
  }
  return (part) => {
    last += 1
    const number = last
    const sent = before.then(() => send(part, number))
    before = sent
    sent.catch(() => undefined) // told to whoever waits for it
    return sent
  }
}

/** The claim lasts as long as this is heard. */
function keepAlive(
  { api, clock, leaseMs, onProblem }: RunContext,
  task: ClaimedTask,
  unwanted: (refusal: Refusal) => void,
): { stop(): void } {
  let timer: Timer | undefined
  let over = false
  const beat = async (): Promise<void> => {
    try {
      const refusal = await api.say(task, 'heartbeat', { leaseFor: leaseMs })
      if (refusal !== undefined && !over) return unwanted(refusal)
    } catch (error) {
      onProblem({ message: `A heartbeat was not heard: ${errorMessage(error)}`, task: task.id })
    }
    plan()
  }
  const plan = (): void => {
    if (!over) timer = clock.schedule(leaseMs / BEATS, () => void beat(), { keepAlive: true })
  }
  plan()
  return {
    stop: () => {
      over = true
      timer?.cancel()
    },
  }
}

/** Repeated until the server has it: a second one is refused as such, and means that the first was heard. */
async function handIn(
  { api, clock, random, onProblem }: RunContext,
  task: ClaimedTask,
  end: { readonly output: Json } | { readonly error: unknown },
): Promise<void> {
  const backOff = new BackOff(clock, random)
  const never = new AbortController().signal
  for (let attempt = 1; ; attempt += 1) {
    try {
      const refusal =
        'output' in end
          ? await api.say(task, 'complete', { output: end.output })
          : await api.say(task, 'fail', failureOf(end.error))
      if (refusal !== undefined && !(refusal === 'already-completed' && attempt > 1))
        onProblem({ message: `What task ${task.id} gave came too late: ${refusal}`, task: task.id })
      return
    } catch (error) {
      onProblem({ message: errorMessage(error), task: task.id })
      if (isRefusedForGood(error) && 'output' in end) end = { error }
      else if (attempt >= MOST_ATTEMPTS) return
      await backOff.failed(never)
    }
  }
}

/** The server does not take the output, and never will: too large, or no JSON that can be kept. */
function isRefusedForGood(error: unknown): boolean {
  const { status } = ((error as { readonly details?: object }).details ?? {}) as { readonly status?: number }
  return status !== undefined && status >= 400 && status < 500 && status !== 401 && status !== 403 && status !== 429
}

function failureOf(error: unknown): Readonly<Record<string, unknown>> {
  const code = errorCode(error)
  const retryable = (error as { readonly retryable?: unknown } | null)?.retryable
  return {
    message: errorMessage(error).slice(0, 4_000) || 'The handler failed',
    ...(code === undefined ? {} : { code: code.slice(0, 255) }),
    ...(retryable === false ? { retryable: false } : {}),
  }
}

import type { LazyAbort } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import { toFailure } from '../step/failure.ts'
import { placeOf, unclearOutcome } from '../step/incident.ts'
import { toPayload } from '../step/payload.ts'
import type { RetryPolicy } from '../step/retry-policy.ts'
import { runAttempt } from '../step/run-attempt.ts'
import { entryValue } from './entry-value.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { MemoEntry } from './function-memo.ts'
import type { StepScope } from './workflow-context.ts'

interface StepPlan<T> {
  readonly code: (step: StepScope) => T | Promise<T>
  readonly retry: RetryPolicy
  readonly timeoutMs: number | undefined
  readonly effect: 'atLeastOnce' | 'atMostOnce'
}

/** One step: answered from the record, or run under its policies until it has an end that is recorded. */
export async function runStep<T>(execution: FunctionExecution, name: string, plan: StepPlan<T>): Promise<T> {
  const step = execution.keyOf(name)
  const known = execution.recall(step)
  if (known !== undefined) return entryValue(known) as T
  if (execution.memo.waits.get(step)?.wait.kind === 'signal') return entryValue(await execution.ended(step)) as T
  if (execution.memo.announced.has(step)) return entryValue(await askPerson(execution, step)) as T
  for (;;) {
    // Found in the record, or just recorded below: the next attempt has a moment.
    if (execution.memo.waits.get(step)?.wait.kind === 'retry') await execution.ended(step)
    const entry = await execution.whileActive(() => attempt(execution, step, plan))
    if (entry !== undefined) return entryValue(entry) as T
  }
}

class Scope implements StepScope {
  readonly attempt: number
  readonly idempotencyKey: string
  readonly #abort: LazyAbort

  constructor(attempt: number, idempotencyKey: string, abort: LazyAbort) {
    this.attempt = attempt
    this.idempotencyKey = idempotencyKey
    this.#abort = abort
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }
}

/** `undefined`: it failed and will be tried again. */
async function attempt<T>(
  execution: FunctionExecution,
  step: StepKey,
  plan: StepPlan<T>,
): Promise<MemoEntry | undefined> {
  await execution.beyondRecord(step)
  const { host } = execution
  const number = execution.memo.attempts.get(step) ?? 1
  if (plan.effect === 'atMostOnce') execution.record({ kind: 'attempting', step, attempt: number })
  await host.durable()
  const scope = { attempt: number, idempotencyKey: `${host.identity.instanceId}:${step}` }
  const outcome = await host.effect(() => makeAttempt(execution, step, plan, scope))
  await new Promise<void>((resolve) => execution.freeze.afterwards(resolve))
  if (outcome.kind === 'completed') {
    execution.settle({
      kind: 'completed',
      step,
      outcome: 'done',
      output: outcome.output,
      ...(number > 1 ? { attempt: number } : {}),
    })
    return execution.memo.entries.get(step)
  }
  const delayMs = execution.retryDelay(plan.retry, number, outcome.error)
  if (delayMs === undefined) {
    execution.settle({ kind: 'failed', step, attempt: number, error: outcome.error })
    return execution.memo.entries.get(step)
  }
  execution.record({ kind: 'retrying', step, attempt: number, error: outcome.error, delayMs })
  return undefined
}

async function makeAttempt<T>(
  execution: FunctionExecution,
  step: StepKey,
  plan: StepPlan<T>,
  scope: Omit<StepScope, 'signal'>,
): Promise<MemoEntry> {
  const { shell, host } = execution
  try {
    const value = await runAttempt(shell.clock, host.abort, `Step "${step}"`, plan.timeoutMs, async (abort) =>
      plan.code(new Scope(scope.attempt, scope.idempotencyKey, abort)),
    )
    return { kind: 'completed', outcome: 'done', output: toPayload(value, `The output of step "${step}"`) }
  } catch (error) {
    return { kind: 'failed', error: toFailure(error, step) }
  }
}

/** Nobody knows whether the announced attempt happened. Waits for a person to say. */
function askPerson(execution: FunctionExecution, step: StepKey): Promise<MemoEntry> {
  const { host } = execution
  const incident = unclearOutcome(host.newId(), host.identity.definitionId, placeOf(step), step)
  const ended = execution.ended(step)
  execution.openWait(step, { kind: 'signal', name: step }, [incident])
  return ended
}

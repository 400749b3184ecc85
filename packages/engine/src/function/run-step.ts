import { abortable, type Json, type LazyAbort } from '@lockstep/base'
import type { Lease } from '@lockstep/coordination'
import { isBreach, type StepKey } from '../journal/fact.ts'
import type { Passed } from '../limit/passed-gate.ts'
import { type AttemptOutlet, EffectOutlet } from '../progress/attempt-outlet.ts'
import { placeOf, unclearOutcome } from '../step/incident.ts'
import { toKept } from '../step/payload.ts'
import { runPoliced } from '../step/policed-attempt.ts'
import type { RetryPolicy } from '../step/retry-policy.ts'
import { enterStep, type StepPolicies } from './enter-step.ts'
import { entryValue } from './entry-value.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { MemoEntry } from './function-memo.ts'
import { isUndoKey } from './saga-memo.ts'
import type { CompensationPlan } from './saga-port.ts'
import type { StepScope } from './workflow-context.ts'

interface StepPlan<T> {
  readonly code: (step: StepScope) => T | Promise<T>
  readonly retry: RetryPolicy
  readonly timeoutMs: number | undefined
  readonly policies: StepPolicies
  readonly effect: 'atLeastOnce' | 'atMostOnce'
  readonly compensation?: CompensationPlan | undefined
}

/** One step: answered from the record, or run under its policies until it has an end that is recorded. */
export function runStep<T>(execution: FunctionExecution, name: string, plan: StepPlan<T>): Promise<T> {
  const step = execution.keyOf(name)
  execution.saga.register(step, plan.compensation)
  return runStepAt(execution, step, plan)
}

/** The same under a key that is known already. */
export async function runStepAt<T>(execution: FunctionExecution, step: StepKey, plan: StepPlan<T>): Promise<T> {
  const { saga } = execution
  const known = execution.recall(step)
  if (known !== undefined) return (await saga.answer(step, known)) as T
  if (!saga.mayBegin(step, plan.compensation !== undefined)) return new Promise(() => {})
  if (execution.memo.waits.get(step)?.wait.kind === 'signal') return entryValue(await execution.ended(step)) as T
  if (execution.memo.announced.has(step)) return entryValue(await askPerson(execution, step, plan)) as T
  for (let isFirst = true; ; isFirst = false) {
    if (!isFirst && !saga.mayBegin(step)) return new Promise(() => {})
    // Found in the record, or just recorded below: the next attempt has a moment.
    if (execution.memo.waits.get(step)?.wait.kind === 'retry') await execution.ended(step)
    const work = () =>
      execution.whileActive<Attempted>(() =>
        plan.policies.isGated ? attempt(execution, step, plan) : tryOnce(execution, step, plan),
      )
    const entry = await (plan.compensation === undefined ? work() : saga.atWork(step, work))
    if (entry !== undefined && 'later' in entry) await entry.later
    else if (entry !== undefined) return entryValue(entry) as T
  }
}

interface AttemptFacts {
  readonly number: number
  readonly idempotencyKey: string
  readonly lease: Lease | undefined
}

class Scope implements StepScope {
  readonly attempt: number
  readonly idempotencyKey: string
  readonly fence: bigint | undefined
  readonly lastHeartbeat: Json | undefined
  readonly #execution: FunctionExecution
  readonly #abort: LazyAbort
  readonly #outlet: AttemptOutlet

  constructor(
    execution: FunctionExecution,
    attempt: AttemptFacts,
    lastHeartbeat: Json | undefined,
    abort: LazyAbort,
    outlet: AttemptOutlet,
  ) {
    this.attempt = attempt.number
    this.idempotencyKey = attempt.idempotencyKey
    this.fence = attempt.lease?.fence
    this.lastHeartbeat = lastHeartbeat
    this.#execution = execution
    this.#abort = abort
    this.#outlet = outlet
  }

  // Getters: `({ progress }) => …` takes the function without its object. Few steps ask for one, and then one is made.

  get secret(): StepScope['secret'] {
    return (name, to) => this.#execution.secrets.read(name, this.#execution.host.identity.tenant, to)
  }

  get progress(): StepScope['progress'] {
    return (progress) => this.#outlet.report().progress(progress)
  }

  get heartbeat(): StepScope['heartbeat'] {
    return (details) => this.#outlet.report().heartbeat(details)
  }

  get emit(): StepScope['emit'] {
    return (part, number) => this.#outlet.parts().emit(part, number)
  }

  get emitted(): StepScope['emitted'] {
    return () => this.#outlet.parts().emitted()
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }
}

/** `undefined`: it failed and will be tried again. `later`: it was not tried, and should ask again then. */
type Attempted = MemoEntry | { readonly kind: 'later'; readonly later: Promise<void> } | undefined

/** One attempt, with all that its policies demand in hand. */
async function attempt<T>(execution: FunctionExecution, step: StepKey, plan: StepPlan<T>): Promise<Attempted> {
  await execution.beyondRecord(step)
  const hold = execution.holdOn()
  let passed: Passed | undefined
  try {
    const entry = await enterStep(execution, step, plan.policies, hold.abort)
    if (entry.kind === 'later') return entry
    passed = entry
    return await tryOnce(execution, step, plan, passed, hold.abort.signal)
  } catch (error) {
    // Never, once the instance is out of hand.
    await new Promise<void>((resolve) => execution.freeze.afterwards(resolve))
    const number = execution.memo.attempts.get(step) ?? 1
    return settleAttempt(execution, step, plan, number, { kind: 'failed', error: execution.failureOf(error, step) })
  } finally {
    passed?.leave('untried') // where its code has not run
    hold.end()
  }
}

async function tryOnce<T>(
  execution: FunctionExecution,
  step: StepKey,
  plan: StepPlan<T>,
  passed?: Passed,
  signal?: AbortSignal,
): Promise<MemoEntry | undefined> {
  const { host } = execution
  // What is announced and then not tried would be a matter for a person.
  while (plan.effect === 'atMostOnce' && host.isDraining) await abortable(host.durable(), signal)
  const beyond = execution.beyondRecord(step)
  if (beyond !== undefined) await beyond
  const number = execution.memo.attempts.get(step) ?? 1
  if (plan.effect === 'atMostOnce') execution.record({ kind: 'attempting', step, attempt: number })
  await abortable(host.durable(), signal)
  const idempotencyKey = `${host.identity.instanceId}:${step}${execution.memo.repetition(step)}`
  const facts = { number, idempotencyKey, lease: passed?.lease }
  const withoutSecrets = (text: string): string => execution.secrets.text(text)
  const about = { step, attempt: number, effect: plan.effect, withoutSecrets }
  const outcome = await host.effect(() => makeAttempt(execution, step, plan, facts), about)
  // An attempt that was told to stop says nothing of what it tried.
  const why = outcome.kind === 'failed' ? () => execution.secrets.text(outcome.error.message) : undefined
  passed?.leave(signal?.aborted ? 'untried' : outcome.kind, why)
  if (execution.freeze.holdsBack) await new Promise<void>((resolve) => execution.freeze.afterwards(resolve))
  return settleAttempt(execution, step, plan, number, outcome)
}

function settleAttempt<T>(
  execution: FunctionExecution,
  step: StepKey,
  plan: StepPlan<T>,
  number: number,
  outcome: MemoEntry,
): MemoEntry | undefined | Promise<never> {
  if (outcome.kind === 'completed') {
    execution.settle({
      kind: 'completed',
      step,
      outcome: 'done',
      output: outcome.output,
      ...(plan.compensation === undefined ? {} : { undo: true }),
      ...(number > 1 ? { attempt: number } : {}),
    })
    execution.shell.progress.ended(execution.host.identity, step)
    return execution.memo.entries.get(step)
  }
  // One that came late is only waited for.
  const isLast = execution.saga.isUndoing && !isUndoKey(step)
  const delayMs = isLast ? undefined : execution.retryDelay(plan.retry, number, outcome.error)
  if (delayMs === undefined) {
    const fact = { kind: 'failed', step, attempt: number, error: outcome.error } as const
    if (isBreach(outcome.error)) return execution.settleBreach(fact)
    execution.settle(fact)
    execution.shell.progress.ended(execution.host.identity, step)
    return execution.memo.entries.get(step)
  }
  execution.record({ kind: 'retrying', step, attempt: number, error: outcome.error, delayMs })
  return undefined
}

async function makeAttempt<T>(
  execution: FunctionExecution,
  step: StepKey,
  plan: StepPlan<T>,
  facts: AttemptFacts,
): Promise<MemoEntry> {
  const { shell, host } = execution
  try {
    const { heartbeatMs } = plan.policies
    const lastHeartbeat = heartbeatMs === undefined ? undefined : await shell.progress.lastBeat(host.identity, step)
    const bounds = { timeoutMs: plan.timeoutMs, heartbeatMs, lease: facts.lease }
    const parent = isUndoKey(step) ? host.abort : execution.abort
    const value = await runPoliced(shell.clock, parent, `Step "${step}"`, bounds, (abort, beat) => {
      const outlet = new EffectOutlet(execution, step, facts.number, abort, beat)
      return outlet.around(() => plan.code(new Scope(execution, facts, lastHeartbeat, abort, outlet)))
    })
    const output = toKept(value, `The output of step "${step}"`, shell.limits)
    return { kind: 'completed', outcome: 'done', output }
  } catch (error) {
    return { kind: 'failed', error: execution.failureOf(error, step) }
  }
}

/** Nobody knows whether the announced attempt happened. Waits for a person to say. */
function askPerson<T>(execution: FunctionExecution, step: StepKey, { compensation }: StepPlan<T>): Promise<MemoEntry> {
  const { host } = execution
  const incident = unclearOutcome(host.newId(), host.identity.definitionId, placeOf(step), step)
  const ended = execution.ended(step)
  execution.openWait(
    step,
    { kind: 'signal', name: step },
    { incidents: [incident], canBeUndone: compensation !== undefined },
  )
  return ended
}

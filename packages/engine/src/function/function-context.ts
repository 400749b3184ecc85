import { type Json, parseDuration } from '@lockstep/base'
import { checkFanOut } from '../limit/check-fan-out.ts'
import { type RetryPolicy, resolveRetry } from '../step/retry-policy.ts'
import { stepPolicies } from './enter-step.ts'
import { entryValue } from './entry-value.ts'
import type { FunctionExecution } from './function-execution.ts'
import { runChild } from './run-child.ts'
import { runLock } from './run-lock.ts'
import { runStep } from './run-step.ts'
import { runTransaction } from './run-transaction.ts'
import { compensate } from './saga-compensate.ts'
import type { CompensationPlan } from './saga-port.ts'
import { waitAt } from './wait-at.ts'
import type {
  AnyWorkflow,
  CompensateOption,
  StepOptions,
  StepRetry,
  WaitOptions,
  WorkflowContext,
} from './workflow-context.ts'

/** Names of calls that the author does not name begin with @, so that they cannot meet a step's name. */
const unnamed = { sleep: '@sleep', now: '@now', random: '@random', publish: '@publish' } as const

/** What the function sees. All memory of it is the execution's; each call that does more than look there is a file of its own. */
export const functionContext = (execution: FunctionExecution): WorkflowContext => new FunctionContext(execution)

/**
 * Each call is made when it is read, so that it may be taken out of the context and an instance has only those that it uses. In an object
 * literal `signal` would give every instance a hidden class of its own, which keeps all of the instance until the next full collection.
 */
class FunctionContext implements WorkflowContext {
  readonly instanceId: string
  readonly correlationId: string | undefined
  readonly #execution: FunctionExecution

  constructor(execution: FunctionExecution) {
    const { instanceId, correlationId } = execution.host.identity
    this.instanceId = instanceId
    this.correlationId = correlationId
    this.#execution = execution
  }

  get signal(): AbortSignal {
    return this.#execution.abort.signal
  }

  get step(): WorkflowContext['step'] {
    return (name, code, options = {}) =>
      runStep(this.#execution, name, {
        code,
        retry: retryOf(options),
        timeoutMs: options.timeout === undefined ? undefined : parseDuration(options.timeout),
        effect: options.effect ?? 'atLeastOnce',
        policies: stepPolicies(options),
        compensation: compensationOf(options, options.retry),
      })
  }

  get transaction(): WorkflowContext['transaction'] {
    return (name, code, options = {}) => runTransaction(this.#execution, name, code, compensationOf(options))
  }

  get compensate(): WorkflowContext['compensate'] {
    return (...names) => compensate(this.#execution, names)
  }

  get lock(): WorkflowContext['lock'] {
    return (name, section, options = {}) => runLock(this.#execution, name, section, options)
  }

  get sleep(): WorkflowContext['sleep'] {
    return async (duration) => {
      const ms = parseDuration(duration)
      await waitAt(this.#execution, this.#execution.keyOf(unnamed.sleep), () => ({ kind: 'timer', ms }))
    }
  }

  get sleepUntil(): WorkflowContext['sleepUntil'] {
    return async (moment) => {
      const at = typeof moment === 'number' ? moment : moment.getTime()
      await waitAt(this.#execution, this.#execution.keyOf(unnamed.sleep), () => ({ kind: 'timer', at }))
    }
  }

  get waitFor(): WorkflowContext['waitFor'] {
    const waitFor = (event: string, options: WaitForOptions = {}): Promise<unknown> =>
      waitForEvent(this.#execution, event, options)
    return waitFor as WorkflowContext['waitFor']
  }

  get run(): WorkflowContext['run'] {
    return async (child: AnyWorkflow | string, input: unknown, options = {}): Promise<never> => {
      const definitionId = typeof child === 'string' ? child : child.id
      const payload = this.#execution.kept(`@run:${definitionId}`, input, `The input of "${definitionId}"`)
      if (payload === undefined) return new Promise(() => {})
      const shown = this.#execution.secrets.json(payload)
      return (await runChild(this.#execution, definitionId, shown, options, compensationOf(options))) as never
    }
  }

  get all(): WorkflowContext['all'] {
    return (work) => {
      const breach = checkFanOut('ctx.all', work.length, this.#execution.shell.limits.fanOut)
      return (breach === undefined ? Promise.all(work) : this.#execution.stop(breach)) as never
    }
  }

  get secret(): WorkflowContext['secret'] {
    return (name, to) => {
      const { secrets, host } = this.#execution
      const value = this.#execution.whileActive(() => secrets.read(name, host.identity.tenant, to))
      this.#execution.hurdle(value)
      return value
    }
  }

  get publish(): WorkflowContext['publish'] {
    return (event, payload, options = {}) => publish(this.#execution, event, payload, options.correlationId)
  }

  get now(): WorkflowContext['now'] {
    return () => Number(recorded(this.#execution, unnamed.now, () => Math.floor(this.#execution.host.storeNow())))
  }

  get random(): WorkflowContext['random'] {
    return () => Number(recorded(this.#execution, unnamed.random, () => this.#execution.shell.random.next()))
  }
}

type WaitForOptions = WaitOptions & { readonly timeout?: string | number }

async function waitForEvent(execution: FunctionExecution, event: string, options: WaitForOptions): Promise<unknown> {
  const correlationId = options.correlationId ?? execution.host.identity.correlationId
  const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout)
  const entry = await waitAt(execution, execution.keyOf(`@event:${event}`), () => ({
    kind: 'event',
    name: event,
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  }))
  const value = entryValue(entry)
  return entry.kind === 'completed' && entry.outcome === 'timeout' ? undefined : value
}

async function publish(
  execution: FunctionExecution,
  event: string,
  payload: unknown,
  correlationId: string | undefined,
): Promise<void> {
  const step = execution.keyOf(`${unnamed.publish}:${event}`)
  if (execution.recall(step) !== undefined) return
  await execution.whileActive(async () => execution.beyondRecord(step))
  if (!execution.saga.mayBegin(step)) return new Promise(() => {})
  const { host, shell } = execution
  const kept = execution.kept(step, payload, `The payload of event "${event}"`)
  if (kept === undefined) return new Promise(() => {})
  const published = {
    tenant: host.identity.tenant,
    id: host.newId(),
    name: event,
    correlationId,
    payload: JSON.stringify(kept),
    ttlMs: shell.eventTtlMs,
  }
  execution.record({ kind: 'completed', step, outcome: 'done' }, { publishes: [published] })
}

/** Asked once, and the same ever after. */
function recorded(execution: FunctionExecution, name: string, make: () => Json): Json {
  const step = execution.keyOf(name)
  const known = execution.recall(step)
  if (known?.kind === 'completed') return known.output
  const output = make()
  execution.record({ kind: 'completed', step, outcome: 'done', output })
  return output
}

const noRetry = resolveRetry()

function compensationOf<T>(
  { compensate: given }: CompensateOption<T>,
  otherwise?: StepRetry,
): CompensationPlan | undefined {
  if (given === undefined) return undefined
  const { run, retry = otherwise, timeout } = typeof given === 'function' ? { run: given } : given
  const timeoutMs = timeout === undefined ? undefined : parseDuration(timeout)
  return { run: run as CompensationPlan['run'], retry: retryOf(retry === undefined ? {} : { retry }), timeoutMs }
}

function retryOf({ retry }: Pick<StepOptions, 'retry'>): RetryPolicy {
  if (retry === undefined) return noRetry
  const { attempts, nonRetryable, ...backoff } = retry
  return resolveRetry({ attempts, backoff, ...(nonRetryable === undefined ? {} : { nonRetryable }) })
}

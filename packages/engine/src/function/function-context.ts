import { type Json, parseDuration } from '@lockstep/base'
import { toPayload } from '../step/payload.ts'
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
export function functionContext(execution: FunctionExecution): WorkflowContext {
  const { instanceId, correlationId } = execution.host.identity
  return {
    instanceId,
    correlationId,
    get signal() {
      return execution.abort.signal
    },
    step: (name, code, options = {}) =>
      runStep(execution, name, {
        code,
        retry: retryOf(options),
        timeoutMs: options.timeout === undefined ? undefined : parseDuration(options.timeout),
        effect: options.effect ?? 'atLeastOnce',
        policies: stepPolicies(options),
        compensation: compensationOf(options, options.retry),
      }),
    transaction: (name, code, options = {}) => runTransaction(execution, name, code, compensationOf(options)),
    compensate: (...names) => compensate(execution, names),
    lock: (name, section, options = {}) => runLock(execution, name, section, options),
    sleep: async (duration) => {
      const ms = parseDuration(duration)
      await waitAt(execution, execution.keyOf(unnamed.sleep), () => ({ kind: 'timer', ms }))
    },
    sleepUntil: async (moment) => {
      const at = typeof moment === 'number' ? moment : moment.getTime()
      await waitAt(execution, execution.keyOf(unnamed.sleep), () => ({ kind: 'timer', at }))
    },
    waitFor: ((event: string, options: WaitForOptions = {}) =>
      waitForEvent(execution, event, options)) as WorkflowContext['waitFor'],
    run: async (child: AnyWorkflow | string, input: unknown, options = {}): Promise<never> => {
      const definitionId = typeof child === 'string' ? child : child.id
      const payload = execution.secrets.json(toPayload(input, `The input of "${definitionId}"`))
      return (await runChild(execution, definitionId, payload, options, compensationOf(options))) as never
    },
    all: (work) => Promise.all(work) as never,
    secret: (name) => {
      const value = execution.whileActive(() => execution.secrets.read(name, execution.host.identity.tenant))
      execution.hurdle(value)
      return value
    },
    publish: (event, payload, options = {}) => publish(execution, event, payload, options.correlationId),
    now: () => Number(recorded(execution, unnamed.now, () => Math.floor(execution.host.storeNow()))),
    random: () => Number(recorded(execution, unnamed.random, () => execution.shell.random.next())),
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
  const published = {
    tenant: host.identity.tenant,
    id: host.newId(),
    name: event,
    correlationId,
    payload: JSON.stringify(toPayload(payload, 'The event')),
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

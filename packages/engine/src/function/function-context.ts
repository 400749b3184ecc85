import { type Json, parseDuration } from '@lockstep/base'
import { resolveRetry } from '../graph/retry-policy.ts'
import type { Fact, StepKey, Wait } from '../journal/fact.ts'
import { toFailure } from '../step/failure.ts'
import { toPayload } from '../step/payload.ts'
import { StepFailed } from './errors.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { MemoEntry } from './function-memo.ts'
import { runStep } from './run-step.ts'
import type {
  ChildOptions,
  FunctionWorkflow,
  StepOptions,
  StepScope,
  WaitOptions,
  WorkflowContext,
  WorkflowTransaction,
} from './workflow-context.ts'

/** Names of calls that the author does not name begin with @, so that they cannot meet a step's name. */
const unnamed = { sleep: '@sleep', now: '@now', random: '@random', publish: '@publish' } as const

/** What the function sees. All memory of it is the execution's. */
export function functionContext(execution: FunctionExecution): WorkflowContext {
  const { instanceId, correlationId } = execution.host.identity

  /** Answers from the record, or waits: opens the wait first when the journal does not have it yet. */
  const waitAt = async (step: StepKey, wait: () => Wait): Promise<MemoEntry> => {
    const known = execution.recall(step)
    if (known !== undefined) return known
    if (!execution.memo.waits.has(step)) {
      await execution.whileActive(() => execution.beyondRecord(step))
      const ended = execution.ended(step)
      execution.openWait(step, wait())
      return ended
    }
    return execution.ended(step)
  }

  const recorded = (name: string, make: () => Json): Json => {
    const step = execution.keyOf(name)
    const known = execution.recall(step)
    if (known?.kind === 'completed') return known.output
    const output = make()
    execution.record({ kind: 'completed', step, outcome: 'done', output })
    return output
  }

  const waitFor = async (
    event: string,
    options: WaitOptions & { readonly timeout?: string | number } = {},
  ): Promise<unknown> => {
    const correlation = options.correlationId ?? correlationId
    const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout)
    const entry = await waitAt(execution.keyOf(`@event:${event}`), () => ({
      kind: 'event',
      name: event,
      ...(correlation === undefined ? {} : { correlationId: correlation }),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }))
    const value = entryValue(entry)
    return entry.kind === 'completed' && entry.outcome === 'timeout' ? undefined : value
  }

  return {
    instanceId,
    correlationId,
    get signal() {
      return execution.host.abort.signal
    },
    step: <T>(name: string, code: (step: StepScope) => T | Promise<T>, options: StepOptions = {}) => {
      const timeoutMs = options.timeout === undefined ? undefined : parseDuration(options.timeout)
      return runStep<T>(execution, name, {
        code,
        retry: retryOf(options),
        timeoutMs,
        effect: options.effect ?? 'atLeastOnce',
      })
    },
    transaction: async <T>(name: string, code: (tx: WorkflowTransaction) => Promise<T>): Promise<T> => {
      const step = execution.keyOf(name)
      const known = execution.recall(step)
      if (known !== undefined) return entryValue(known) as T
      return execution.whileActive(async () => {
        await execution.beyondRecord(step)
        const work = async (tx: WorkflowTransaction) => {
          const result = toPayload(await code(tx), `The result of "${step}"`)
          return { result, facts: [{ kind: 'completed', step, outcome: 'done', output: result }] as const }
        }
        try {
          const applied = (facts: readonly Fact[], at: number): void =>
            facts.forEach((fact) => execution.memo.fold(fact, at))
          return (await execution.host.transact(work, applied)) as T
        } catch (error) {
          // Recorded, so that code which catches it comes the same way when it runs again.
          execution.settle({ kind: 'failed', step, attempt: 1, error: toFailure(error, step) })
          return entryValue(execution.memo.entries.get(step)!) as T
        }
      })
    },
    sleep: async (duration) => {
      const ms = parseDuration(duration)
      await waitAt(execution.keyOf(unnamed.sleep), () => ({ kind: 'timer', ms }))
    },
    sleepUntil: async (moment) => {
      await waitAt(execution.keyOf(unnamed.sleep), () => ({
        kind: 'timer',
        at: typeof moment === 'number' ? moment : moment.getTime(),
      }))
    },
    waitFor: waitFor as WorkflowContext['waitFor'],
    run: async (
      child: FunctionWorkflow<never, unknown> | string,
      input: unknown,
      options: ChildOptions = {},
    ): Promise<never> => {
      const definitionId = typeof child === 'string' ? child : child.id
      return (await runChild(
        execution,
        definitionId,
        toPayload(input, `The input of "${definitionId}"`),
        options,
      )) as never
    },
    all: (work) => Promise.all(work) as never,
    publish: async (event, payload, options = {}) => {
      const step = execution.keyOf(`${unnamed.publish}:${event}`)
      if (execution.recall(step) !== undefined) return
      await execution.whileActive(() => execution.beyondRecord(step))
      const { tenant } = execution.host.identity
      const published = {
        tenant,
        id: execution.host.newId(),
        name: event,
        correlationId: options.correlationId,
        payload: JSON.stringify(toPayload(payload, 'The event')),
        ttlMs: execution.shell.eventTtlMs,
      }
      execution.record({ kind: 'completed', step, outcome: 'done' }, { publishes: [published] })
    },
    now: () => Number(recorded(unnamed.now, () => Math.floor(execution.host.storeNow()))),
    random: () => Number(recorded(unnamed.random, () => execution.shell.random.next())),
  }

  async function runChild(
    owner: FunctionExecution,
    definitionId: string,
    input: Json,
    options: ChildOptions,
  ): Promise<Json> {
    const step = owner.keyOf(`@run:${definitionId}`)
    const known = owner.recall(step)
    if (known !== undefined) return entryValue(known)
    if (owner.memo.depth >= owner.shell.mostDepth)
      throw new StepFailed({
        step,
        code: 'TOO_DEEP',
        message: `Workflows that run one another are ${owner.memo.depth} deep: look for a circle`,
      })
    const ended = owner.ended(step)
    await owner.whileActive(async () => {
      if (!owner.memo.waits.has(step)) {
        await owner.beyondRecord(step)
        owner.record({ kind: 'waiting', step, wait: { kind: 'child', instanceId: owner.host.newId() } })
      }
      const wait = owner.memo.waits.get(step)?.wait
      if (wait?.kind !== 'child') return
      await owner.host.durable()
      // Repeated after a move: the process that wrote the wait may have died before it started the child.
      await owner.host.startChild({
        instanceId: wait.instanceId,
        definitionId,
        version: undefined,
        input,
        correlationId: options.correlationId ?? correlationId,
        step,
        awaited: true,
        depth: owner.memo.depth + 1,
      })
    })
    return entryValue(await ended)
  }
}

function retryOf({ retry }: StepOptions) {
  if (retry === undefined) return resolveRetry()
  const { attempts, nonRetryable, ...backoff } = retry
  const text = (value: string | number | undefined) => (value === undefined ? undefined : `${parseDuration(value)}ms`)
  const initial = text(backoff.initial)
  const max = text(backoff.max)
  return resolveRetry({
    attempts,
    backoff: {
      ...(initial === undefined ? {} : { initial }),
      ...(max === undefined ? {} : { max }),
      ...(backoff.factor === undefined ? {} : { factor: backoff.factor }),
    },
    ...(nonRetryable === undefined ? {} : { nonRetryable }),
  })
}

function entryValue(entry: MemoEntry): Json {
  if (entry.kind === 'completed') return entry.output
  const { step = '', code, message, data } = entry.error
  throw new StepFailed({ step, code, message, ...(data === undefined ? {} : { data }) })
}

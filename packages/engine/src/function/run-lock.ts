/**
 * A section of a function under a lock of the whole cluster. A lease lives in a process, a workflow does not: so the section as a whole is a
 * call with a key of its own. While it is open the lock is held by whichever node runs the instance; after a move it is taken again before
 * the code goes on. Once its end is recorded, a replay runs through it without the lock: everything inside is answered from the record.
 */
import { deferred, errorCode, sleep } from '@lockstep/base'
import { type Lease, LeaseLost, LockTimeout, ProviderUnavailable } from '@lockstep/coordination'
import type { StepKey } from '../journal/fact.ts'
import { lockNameOf } from '../store/lock-name.ts'
import { entryValue } from './entry-value.ts'
import { LocksNotConfigured } from './errors.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { LockOptions, WorkflowLock } from './workflow-context.ts'

/** A workflow can wait longer than a caller. */
const DEFAULT_WAIT_MS = 600_000
const STORE_AWAY_MS = 1_000

type Section<T> = (lock: WorkflowLock) => Promise<T>

export async function runLock<T>(
  execution: FunctionExecution,
  name: string,
  section: Section<T>,
  options: LockOptions,
): Promise<T> {
  const step = execution.keyOf(`@lock:${name}`)
  const known = execution.recall(step)
  if (known?.kind === 'failed' && known.error.code !== LeaseLost.code) return entryValue(known) as T
  if (known !== undefined) {
    const result = await section(fromRecord(execution, known.kind === 'completed' ? known.output : null))
    return known.kind === 'failed' ? (entryValue(known) as T) : result
  }
  // Nothing inside begins while all is undone: the code only runs on to where it was.
  if (!execution.saga.mayBegin(step)) return section(fromRecord(execution, null))
  return execution.whileActive(() => runOpen(execution, step, name, section, options))
}

async function runOpen<T>(
  execution: FunctionExecution,
  step: StepKey,
  name: string,
  section: Section<T>,
  options: LockOptions,
): Promise<T> {
  const { signal } = execution.abort
  const taken = deferred<void>()
  execution.hurdle(taken.promise)
  let ran: { readonly value: T } | { readonly error: unknown } | undefined
  let fence = 0n
  try {
    await underLock(execution, name, options, step, async (lease) => {
      fence = lease.fence
      execution.lockCount += 1
      taken.resolve()
      const lock: WorkflowLock = { fence, signal: AbortSignal.any([lease.signal, signal]) }
      // An instance that is lost to this node never comes to the end of its section: the lock must not wait for it.
      ran = await Promise.race([outcomeOf(section, lock), aborted(signal)]).finally(() => {
        execution.lockCount -= 1
      })
    })
  } catch (error) {
    taken.resolve()
    if (signal.aborted && execution.saga.isUndoing && fence === 0n) return section(fromRecord(execution, null))
    if (signal.aborted) throw error
    execution.settle({ kind: 'failed', step, attempt: 1, error: execution.failureOf(error, step) })
    return entryValue(execution.memo.entries.get(step)!) as T
  }
  execution.settle({ kind: 'completed', step, outcome: 'done', output: { fence: String(fence) } })
  if (ran !== undefined && 'value' in ran) return ran.value
  throw ran?.error
}

async function outcomeOf<T>(section: Section<T>, lock: WorkflowLock): Promise<{ value: T } | { error: unknown }> {
  try {
    return { value: await section(lock) }
  } catch (error) {
    return { error }
  }
}

/** A store of locks that is away for a while is waited for like a lock that is taken. */
async function underLock(
  execution: FunctionExecution,
  name: string,
  options: LockOptions,
  step: StepKey,
  work: (lease: Lease) => Promise<void>,
): Promise<void> {
  const { shell, host } = execution
  const { clock, locks } = shell
  if (locks === undefined) throw new LocksNotConfigured({ name })
  const { waitMs = DEFAULT_WAIT_MS, ttlMs } = options
  const until = clock.monotonic() + waitMs
  const { instanceId, definitionId, tenant } = host.identity
  const lock = locks.mutex(lockNameOf(tenant, name), { reentrant: true })
  for (;;) {
    let begun = false
    try {
      return await lock.run(
        (lease) => {
          begun = true
          return work(lease)
        },
        {
          waitMs: Math.max(0, until - clock.monotonic()),
          signal: execution.abort.signal,
          meta: { instanceId, definitionId, step },
          ...(ttlMs === undefined ? {} : { ttlMs }),
        },
      )
    } catch (error) {
      if (begun || !ProviderUnavailable.is(error)) throw error
      if (clock.monotonic() + STORE_AWAY_MS >= until)
        throw new LockTimeout({ name, waitMs, holder: `nobody knows (${errorCode(error)})` }, { cause: error })
      await sleep(clock, STORE_AWAY_MS, execution.abort.signal)
    }
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function fromRecord(execution: FunctionExecution, output: unknown): WorkflowLock {
  const fence = typeof output === 'object' && output !== null && 'fence' in output ? String(output.fence) : '0'
  return { fence: BigInt(fence), signal: execution.abort.signal }
}

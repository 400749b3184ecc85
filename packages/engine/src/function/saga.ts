/**
 * Undoes what a function did. The code of each compensation is known only when the function has run past its step, so after a move the
 * function runs again over the record first; nothing new begins then, but for steps that can be undone and may have been at work when their
 * process died: they come to their end, so that they can be undone. Children are told to cancel and waited for. Then what completed is undone,
 * newest first, one after the other, each recorded under a key of its own.
 */
import { Cancelled, errorMessage, type Json, SeldomMap, SeldomSet, sleep } from '@lockstep/base'
import { compensationFailed } from '../graph/saga/compensation-view.ts'
import type { CancelledFact, Failure, StepKey, UndoingFact } from '../journal/fact.ts'
import type { Cancellation } from '../worker/execution.ts'
import { entryValue } from './entry-value.ts'
import { NonDeterministic } from './errors.ts'
import type { FunctionExecution } from './function-execution.ts'
import type { MemoEntry } from './function-memo.ts'
import { isUndoKey, undoKey } from './saga-memo.ts'
import type { CompensationPlan, Saga } from './saga-port.ts'
import { runUndo } from './saga-undo.ts'

const PAUSE_MS = 1_000

export class FunctionSaga implements Saga {
  readonly #execution: FunctionExecution
  readonly #plans = new SeldomMap<StepKey, CompensationPlan>()
  readonly #undos = new SeldomMap<StepKey, Promise<Failure | undefined>>()
  /** Steps that can be undone and whose code is at work. */
  readonly #atWork = new SeldomSet<StepKey>()
  readonly #starting = new SeldomMap<StepKey, Promise<unknown>>()
  #isCaughtUp = true
  #onCalm: (() => void) | undefined

  constructor(execution: FunctionExecution) {
    this.#execution = execution
  }

  get isUndoing(): boolean {
    return this.#execution.memo.saga.undoing !== undefined
  }

  get hasToUndo(): boolean {
    const { memo } = this.#execution
    return this.#atWork.size > 0 || memo.saga.toUndo().length > 0
  }

  register(step: StepKey, plan: CompensationPlan | undefined): void {
    if (plan !== undefined) this.#plans.set(step, plan)
  }

  answer(step: StepKey, entry: MemoEntry): Json | Promise<never> {
    return this.#execution.memo.saga.late.has(step) ? never() : entryValue(entry)
  }

  mayBegin(step: StepKey, canBeUndone = false): boolean {
    return !this.isUndoing || isUndoKey(step) || (canBeUndone && !this.#isCaughtUp)
  }

  async atWork<T>(step: StepKey, work: () => Promise<T>): Promise<T> {
    this.#atWork.add(step)
    try {
      return await work()
    } finally {
      this.#atWork.delete(step)
      this.changed()
    }
  }

  isAtWork(step: StepKey): boolean {
    return this.#atWork.has(step)
  }

  starting<T>(step: StepKey, start: Promise<T>): Promise<T> {
    this.#starting.set(
      step,
      start.catch(() => undefined),
    )
    return start
  }

  replays(): void {
    this.#isCaughtUp = false
    void this.#catchUp()
    if (this.isUndoing) void this.#drive()
  }

  cancel({ reason, compensate }: Cancellation): void {
    const fact: CancelledFact = {
      kind: 'cancelled',
      ...(reason && { reason }),
      ...(!compensate && { compensate: false }),
    }
    this.#begin(fact)
  }

  fault(error: Failure): void {
    this.#begin({ kind: 'undoing', error })
  }

  undo(step: StepKey): Promise<Failure | undefined> {
    const present = this.#undos.get(step)
    if (present !== undefined) return present
    const made = this.#undoOne(step)
    this.#undos.set(step, made)
    return made
  }

  failed(step: StepKey, error: Failure): void {
    const cause = this.#execution.memo.saga.undoing?.error
    this.#execution.conclude({
      kind: 'ended',
      status: 'faulted',
      output: null,
      error: compensationFailed(step, error, cause),
    })
  }

  changed(): void {
    if (this.#onCalm !== undefined && this.#isCalm()) this.#onCalm()
  }

  #begin(fact: CancelledFact | UndoingFact): void {
    const execution = this.#execution
    const dropped = execution.dropWaits()
    execution.record(fact, { closes: dropped })
    execution.abort.abort(new Cancelled({ what: `Instance ${execution.host.identity.instanceId}` }))
    void this.#drive()
  }

  async #drive(): Promise<void> {
    const execution = this.#execution
    await execution.whileActive(() => this.#catchUp())
    for (const [step, { wait }] of execution.memo.waits) {
      if (wait.kind === 'child' && !isUndoKey(step)) void this.#stopChild(step, wait.instanceId)
    }
    if (!this.#isCalm()) await new Promise<void>((resolve) => (this.#onCalm = resolve))
    this.#onCalm = undefined
    const { cause, error, skips } = execution.memo.saga.undoing!
    for (const step of skips ? [] : execution.memo.saga.toUndo()) {
      const failure = await this.undo(step)
      if (failure !== undefined) return this.failed(step, failure)
    }
    const status = cause === 'fault' ? 'faulted' : 'cancelled'
    execution.conclude({ kind: 'ended', status, output: null, error: cause === 'fault' ? error : undefined })
  }

  /** The code has come as far as the record leads it, and has begun what follows. */
  async #catchUp(): Promise<void> {
    const { shell } = this.#execution
    for (let calm = 0; !this.#isCaughtUp && calm < 2; calm += 1) {
      const before = this.#execution.unaskedCount
      await new Promise<void>((resolve) => shell.clock.soon(resolve))
      if (this.#execution.unaskedCount !== before) calm = -1
    }
    this.#isCaughtUp = true
  }

  #isCalm(): boolean {
    if (this.#atWork.size > 0) return false
    for (const step of this.#execution.memo.waits.keys()) if (!isUndoKey(step)) return false
    return true
  }

  async #stopChild(step: StepKey, instanceId: string): Promise<void> {
    const { host, shell, memo } = this.#execution
    const { cause, skips, error } = memo.saga.undoing!
    const options = { compensate: !skips, ...(cause === 'cancel' && { reason: error.message }) }
    await this.#execution.whileActive(async () => {
      await this.#starting.get(step) // one whose start is on its way would not be found yet
      await host.durable()
      while (memo.waits.has(step) && !this.#execution.isDisposed) {
        try {
          if (!(await shell.cancelInstance(host.identity.tenant, instanceId, options))) this.#neverBegan(step)
          return
        } catch (refused) {
          shell.logger.warn('a child was not told to cancel yet', { instanceId, reason: errorMessage(refused) })
          await sleep(shell.clock, PAUSE_MS)
        }
      }
    })
  }

  #neverBegan(step: StepKey): void {
    this.#execution.freeze.afterwards(() => {
      if (!this.#execution.memo.waits.has(step)) return
      const error = { code: 'CHILD_CANCELLED', message: 'The child workflow never began', step }
      this.#execution.settle({ kind: 'failed', step, attempt: 1, error })
    })
  }

  async #undoOne(step: StepKey): Promise<Failure | undefined> {
    const execution = this.#execution
    const key = undoKey(step)
    const known = execution.recall(key)
    if (known !== undefined) return known.kind === 'failed' ? known.error : undefined
    const plan = this.#plans.get(step)
    if (plan === undefined) {
      const asked = `no compensation for "${step}"`
      const recorded = `"${step}", which could be undone when it was recorded,`
      return execution.failureOf(new NonDeterministic({ asked, recorded }), key)
    }
    return runUndo(execution, step, plan)
  }
}

const never = (): Promise<never> => new Promise(() => {})

import type { Json } from '@lockstep/base'
import type { Failure, StepKey } from '../journal/fact.ts'
import type { RetryPolicy } from '../step/retry-policy.ts'
import type { Cancellation } from '../worker/execution.ts'
import type { MemoEntry } from './function-memo.ts'
import type { StepScope } from './workflow-context.ts'

/** How one step is undone. */
export interface CompensationPlan {
  readonly run: (result: never, step: StepScope) => unknown
  readonly retry: RetryPolicy
  readonly timeoutMs: number | undefined
}

/** What an execution and its calls ask of whoever undoes what they did. */
export interface Saga {
  readonly isUndoing: boolean
  /** Whether something was done that can be undone, or is being done. */
  readonly hasToUndo: boolean
  /** How a step is undone, once it has completed. */
  register(step: StepKey, plan: CompensationPlan | undefined): void
  /** What the code gets of a recorded step. From one that ended while all was undone it does not go on. */
  answer(step: StepKey, entry: MemoEntry): Json | Promise<never>
  /** Whether the code may begin this: nothing new while all is undone. */
  mayBegin(step: StepKey, canBeUndone?: boolean): boolean
  /** Runs an attempt of a step that can be undone: nothing is undone before it has ended. */
  atWork<T>(step: StepKey, work: () => Promise<T>): Promise<T>
  isAtWork(step: StepKey): boolean
  /** The start of a child is on its way. */
  starting<T>(step: StepKey, start: Promise<T>): Promise<T>
  /** The function is about to run, over what is recorded. */
  replays(): void
  cancel(cancellation: Cancellation): void
  /** The code has failed for good. */
  fault(error: Failure): void
  /** Undoes one step; a second asker waits with the first. Answers what it failed with, where it did. */
  undo(step: StepKey): Promise<Failure | undefined>
  /** It cannot be undone: the instance stands there until somebody retries it. */
  failed(step: StepKey, error: Failure): void
  /** Something has ended. */
  changed(): void
}

import { SeldomMap, SeldomSet } from '@lockstep/base'
import type { CancelledFact, Fact, Failure, StepKey, UndoingFact } from '../journal/fact.ts'

/** The key under which the compensation of a step runs. */
export const undoKey = (step: StepKey): StepKey => `${UNDO}${step}`
export const isUndoKey = (step: StepKey): boolean => step.startsWith(UNDO)
const UNDO = '@undo:'

/** Why all that a function did is undone. */
export interface FunctionUndoing {
  readonly cause: 'fault' | 'cancel'
  readonly error: Failure
  /** Cancelled without compensation. */
  readonly skips: boolean
}

/** What the journal knows of undoing: which steps can be undone, which were, and why. Folded from facts. */
export class SagaMemo {
  undoing: FunctionUndoing | undefined
  /** Completed steps that can be undone, in order of completion. */
  readonly undoable = new SeldomSet<StepKey>()
  readonly undone = new SeldomSet<StepKey>()
  /** Steps that ended after the undoing began: the code does not go on from them. */
  readonly late = new SeldomSet<StepKey>()
  /** What each `ctx.compensate` is about. */
  readonly lines = new SeldomMap<StepKey, readonly StepKey[]>()
  readonly #awaited = new SeldomSet<StepKey>()

  fold(fact: Fact): void {
    switch (fact.kind) {
      case 'completed':
      case 'failed':
        this.#ended(fact)
        break
      case 'waiting':
        if (fact.undo) this.#awaited.add(fact.step)
        break
      case 'cancelled':
        this.undoing ??= { cause: 'cancel', error: cancelError(fact), skips: fact.compensate === false }
        break
      case 'undoing':
        this.#begins(fact)
        break
      default:
        break
    }
  }

  /** Whether an open wait counts although all is undone: a child, or a person who is asked what became of a step. */
  outlasts(step: StepKey, kind: string): boolean {
    return kind === 'child' || isUndoKey(step) || this.#awaited.has(step)
  }

  /** All that it did was undone: there is nothing to go on from. */
  get isUndone(): boolean {
    return this.undoing !== undefined && (this.undoing.skips || this.toUndo().length === 0)
  }

  /** Steps that are still to be undone, newest first. */
  toUndo(): StepKey[] {
    return [...this.undoable].filter((step) => !this.undone.has(step)).reverse()
  }

  /** It was taken back: as if it had never been. */
  forget(step: StepKey): void {
    this.undoable.delete(step)
    this.late.delete(step)
    this.lines.delete(step)
    if (isUndoKey(step)) this.undone.delete(step.slice(UNDO.length))
  }

  #ended(fact: Extract<Fact, { readonly kind: 'completed' | 'failed' }>): void {
    const { step } = fact
    if (isUndoKey(step)) {
      if (fact.kind === 'completed') this.undone.add(step.slice(UNDO.length))
      return
    }
    if (fact.kind === 'completed' && (fact.undo || this.#awaited.has(step))) this.undoable.add(step)
    if (this.undoing !== undefined) this.late.add(step)
    this.#awaited.delete(step)
  }

  #begins({ error, step, steps }: UndoingFact): void {
    if (step !== undefined) this.lines.set(step, steps ?? [])
    else if (error !== undefined) this.undoing ??= { cause: 'fault', error, skips: false }
  }
}

function cancelError({ reason }: CancelledFact): Failure {
  return { code: 'CANCELLED', message: reason ?? 'It was cancelled' }
}

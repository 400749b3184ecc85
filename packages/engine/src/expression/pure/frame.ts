import type { ExpressionScope } from '../scope.ts'

/** One evaluation under way. */
export interface Frame {
  readonly scope: ExpressionScope
  /** Parameters of arrow functions. Every one has a place of its own: functions are never values here, so none runs inside itself. */
  readonly locals: unknown[]
  /** What may still be spent, in nodes of the tree or about as much work. */
  work: number
}

export type Code = (frame: Frame) => unknown

/** A few milliseconds of the main thread at worst. */
export const WORK = 50_000
/** Calling a method is worth several nodes. */
export const CALL_WORK = 4
/** UTF-16 units of any string on the way to the answer. */
export const LONGEST_TEXT = 1024 * 1024

/**
 * Thrown when an evaluation meets something that only the sandbox is sure to answer as JavaScript does. Not a failure
 * of the expression, and thrown too often to be worth a stack.
 */
export const LEAVE = Symbol('leave the subset')

/** An error that the expression itself makes, by the name JavaScript gives it. */
export class Thrown {
  readonly name: 'TypeError' | 'RangeError' | 'SyntaxError'
  readonly message: string

  constructor(name: Thrown['name'], message: string) {
    this.name = name
    this.message = message
  }
}

export function spend(frame: Frame, amount: number): void {
  frame.work -= amount
  if (frame.work < 0) throw LEAVE
}

/** Copying or comparing text. Short ones cost nothing beyond their node. */
export function spendText(frame: Frame, length: number): void {
  if (length > LONGEST_TEXT) throw LEAVE
  if (length > 255) spend(frame, length >> 8)
}

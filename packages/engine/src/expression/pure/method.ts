import type { Frame } from './frame.ts'

/** A method that takes values. More arguments than `most` are for the sandbox. */
export interface Method<Receiver> {
  readonly most: number
  call(receiver: Receiver, args: readonly unknown[], frame: Frame): unknown
}

/** An arrow function in the text, or one of `Boolean`, `Number`, `String` in its place. */
export interface Callback {
  call(frame: Frame, first: unknown, second: unknown, third: unknown, fourth?: unknown): unknown
}

/** A method that takes a function first. */
export interface CallbackMethod {
  readonly most: number
  call(items: readonly unknown[], callback: Callback, rest: readonly unknown[], frame: Frame): unknown
}

import type { Json } from '@lockstep/base'
import type { Failure } from '../journal/fact.ts'
import type { LoopJump } from './graph-state.ts'

/** How an execution ended: a step by its fact, a container by its last part. */
export type StepEnd =
  | {
      readonly kind: 'completed'
      readonly outcome: string
      /** Where there are several. */
      readonly outcomes?: readonly string[] | undefined
      readonly output: Json
    }
  | { readonly kind: 'failed'; readonly error: Failure }
  | { readonly kind: 'jumped'; readonly jump: LoopJump }

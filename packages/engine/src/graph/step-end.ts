import type { Json } from '@lockstep/base'
import type { Failure } from '../journal/fact.ts'

/** How an execution ended: a step by its fact, a container by its last part. */
export type StepEnd =
  | { readonly kind: 'completed'; readonly outcome: string; readonly output: Json }
  | { readonly kind: 'failed'; readonly error: Failure }

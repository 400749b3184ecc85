import type { Json } from '@lockstep/base'
import type { Failure } from '../journal/fact.ts'

/** What is left of the latest run of a step: `steps.<id>` of expressions. */
export interface StepRecord {
  readonly output: Json
  /** Of a failed step that was told to go on. */
  readonly error?: Failure
}

/** The little that a graph must know of a compiled expression; evaluating it is the shell's business. */
export interface GraphExpression {
  readonly source: string
  /** Names of the scope that it uses; `steps.<id>` for a step named in the text, bare `steps` when it computes the name. */
  readonly references: readonly string[]
}

const STEP_PREFIX = 'steps.'

/** Ids of the steps that an expression with these references reads; `all` when only running it would tell. */
export function stepsRead(references: readonly string[]): readonly string[] | 'all' {
  if (references.includes('steps')) return 'all'
  return references.filter((name) => name.startsWith(STEP_PREFIX)).map((name) => name.slice(STEP_PREFIX.length))
}

// Expressions of graph documents: a value is a literal or `{ "$expr": "input.amount > 1000" }`. JSON in, JSON out.
//
// There are two engines with equal answers:
//   pure/       an evaluator in this process for the part of JavaScript that has one answer everywhere: no prototypes, no
//               function values, no statements. Microseconds, synchronous, and bounded in work.
//   sandbox*    all of the language, in QuickJS compiled to WebAssembly, in a thread that can be killed. Every evaluation
//               starts from the same bytes of memory: nothing passes from one to the next. No clock, no randomness.
//
// `compileExpression` reads the text once. `evaluate` of the result answers at once, or `undefined` where the sandbox has to
// decide: because the expression is not of the subset, or because this scope takes it out (text in rare scripts, a
// division by zero, much data). `evaluateExpression` does both steps.
//
// An answer is what `JSON.stringify` makes of the value: `undefined` is null, or dropped inside an object; NaN and the
// infinities are null; -0 is 0. What an expression throws is EXPRESSION_FAILED, what takes too much is EXPRESSION_LIMIT.

import type { Json } from '@lockstep/base'
import { ExpressionFailed, shownSource } from './errors.ts'
import { parseProgram } from './program.ts'
import { compilePure, type PureProgram } from './pure/compile.ts'
import { LEAVE, Thrown } from './pure/frame.ts'
import { toAnswer } from './pure/result.ts'
import type { Sandbox } from './sandbox.ts'
import type { ExpressionScope } from './scope.ts'

export interface CompiledExpression {
  readonly source: string
  /** Whether `evaluate` is there. */
  readonly pure: boolean
  /** Roots it uses (`input`), `steps.<id>` for steps named in the text, bare `steps` where the step is computed. Sorted. */
  readonly references: readonly string[]
  /**
   * Answers in this process; `undefined`: with this scope the sandbox has to. The answer may share data with the scope.
   * Throws EXPRESSION_FAILED and EXPRESSION_LIMIT.
   */
  readonly evaluate?: (scope: ExpressionScope, outputBytes?: number) => Json | undefined
}

/** Throws EXPRESSION_INVALID with the place and the reason. Worth keeping: it costs as much as a thousand evaluations. */
export function compileExpression(source: string): CompiledExpression {
  const { tree, references } = parseProgram(source, 'expression')
  const program = compilePure(tree)
  if (program === undefined) return { source, pure: false, references }
  return { source, pure: true, references, evaluate: (...given) => evaluatePure(program, source, ...given) }
}

/** Throws EXPRESSION_INVALID where the text cannot be the body of a function. */
export function compileScript(source: string): { readonly source: string; readonly references: readonly string[] } {
  const { references } = parseProgram(source, 'script')
  return { source, references }
}

/** Asks the sandbox only for what cannot be answered here. */
export async function evaluateExpression(
  compiled: CompiledExpression,
  scope: ExpressionScope,
  sandbox: Sandbox,
): Promise<Json> {
  const answer = compiled.evaluate?.(scope, sandbox.outputBytes)
  return answer === undefined ? sandbox.evaluate(compiled.source, scope) : answer
}

function evaluatePure(
  program: PureProgram,
  source: string,
  scope: ExpressionScope,
  outputBytes?: number,
): Json | undefined {
  try {
    const value = program(scope)
    return value === LEAVE ? undefined : toAnswer(value, source, outputBytes)
  } catch (error) {
    if (error === LEAVE) return undefined
    if (!(error instanceof Thrown)) throw error
    throw new ExpressionFailed({ expression: shownSource(source), name: error.name, message: error.message })
  }
}

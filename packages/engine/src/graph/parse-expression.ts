import { ExpressionInvalid } from '../expression/errors.ts'
import type { GraphExpression } from './graph-expression.ts'

export interface ParsedExpression {
  readonly problem?: { readonly reason: string; readonly line: number; readonly column: number }
  /** As in `GraphExpression`; empty when there is a problem. */
  readonly references: readonly string[]
}

/** Reads an expression without running it. */
export type ParseExpression = (source: string) => ParsedExpression

/** Makes a parser of the compiler that will be used later, so that both agree. */
export function expressionParser(compileExpression: (source: string) => GraphExpression): ParseExpression {
  return (source) => {
    try {
      return { references: compileExpression(source).references }
    } catch (error) {
      if (!ExpressionInvalid.is(error)) throw error
      const { reason, line, column } = error.details
      return { problem: { reason, line, column }, references: [] }
    }
  }
}

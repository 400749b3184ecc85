import type { ActivityCatalogue } from '../activity/activity-type.ts'
import type { GraphDocument } from './document.ts'
import { type GraphProblem, sortProblems } from './graph-problem.ts'
import type { ParseExpression } from './parse-expression.ts'
import { validateSemantics } from './validate-semantics.ts'
import { validateStructure } from './validate-structure.ts'

export interface ValidationOptions {
  /** Without it expressions are checked for their shape only. See `expressionParser`. */
  readonly parseExpression?: ParseExpression
}

/**
 * Everything that is wrong with a document, in the order of the document; the same list for the same document everywhere.
 * A document of the wrong shape is judged by its shape alone.
 */
export function validateDocument(
  document: unknown,
  catalogue: ActivityCatalogue,
  { parseExpression }: ValidationOptions = {},
): readonly GraphProblem[] {
  const structure = validateStructure(document)
  if (structure.length > 0) return sortProblems(structure)
  return sortProblems(validateSemantics(document as GraphDocument, catalogue, parseExpression))
}

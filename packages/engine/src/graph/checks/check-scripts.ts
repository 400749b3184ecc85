import { ExpressionInvalid } from '../../expression/errors.ts'
import { compileScript } from '../../expression/expression.ts'
import type { DocumentIndex } from '../document-index.ts'
import { type GraphProblem, problem } from '../graph-problem.ts'
import { containsExpression } from '../input-template.ts'
import { pointerTo } from '../json-pointer.ts'
import { notLiteral } from './check-control-flow.ts'
import { checkReferences } from './check-expressions.ts'

/** Statements that activities hold: whether they can be read, and whether what they name can be seen. */
export function* checkScripts(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    const field = entry.type?.script
    const code = field && entry.document.inputs?.[field]
    if (field === undefined || code === undefined) continue
    const pointer = pointerTo(entry.pointer, 'inputs', field)
    if (typeof code !== 'string') {
      if (containsExpression(code)) yield notLiteral(entry, pointer, field)
      continue
    }
    try {
      yield* checkReferences(index, entry, pointer, compileScript(code).references)
    } catch (error) {
      if (!ExpressionInvalid.is(error)) throw error
      const { reason, line, column } = error.details
      yield problem(
        pointer,
        'INVALID_SCRIPT',
        `The script of "${entry.id}" cannot be read: ${reason} (line ${line}, column ${column})`,
      )
    }
  }
}

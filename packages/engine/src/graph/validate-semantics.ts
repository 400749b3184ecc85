import type { Json } from '@lockstep/base'
import type { ActivityCatalogue } from '../activity/activity-type.ts'
import { checkOutside } from '../activity/outside/check-outside.ts'
import { checkFlowPolicy } from '../flow/check-flow-policy.ts'
import { checkSecrets } from '../secret/check-secrets.ts'
import { checkActivities } from './checks/check-activities.ts'
import { checkConnections } from './checks/check-connections.ts'
import { checkControlFlow } from './checks/check-control-flow.ts'
import { checkExpressions } from './checks/check-expressions.ts'
import { checkFlow, checkSize } from './checks/check-flow.ts'
import { checkInputs } from './checks/check-inputs.ts'
import { checkPolicies } from './checks/check-policies.ts'
import { checkSagas } from './checks/check-sagas.ts'
import { checkScripts } from './checks/check-scripts.ts'
import { checkVariables } from './checks/check-variables.ts'
import type { GraphDocument } from './document.ts'
import { type DocumentIndex, indexDocument } from './document-index.ts'
import type { GraphProblem } from './graph-problem.ts'
import type { ParseExpression } from './parse-expression.ts'

/** Whether a document of the right shape makes sense. */
export function validateSemantics(
  document: GraphDocument,
  catalogue: ActivityCatalogue,
  parse: ParseExpression | undefined,
): readonly GraphProblem[] {
  const index = indexDocument(document, catalogue)
  const size = [...checkSize(index)]
  if (size.length > 0) return size
  return [...enough(all(document, index, parse))]
}

/** Nobody reads more; what is wrong so often is not worth being looked at to its end. */
const MOST_PROBLEMS = 1_000

function* enough(problems: Iterable<GraphProblem>): Generator<GraphProblem> {
  const counts = { error: 0, warning: 0 }
  for (const each of problems) {
    counts[each.severity] += 1
    // Warnings beyond it are left out, and gone past: an error may follow.
    if (counts[each.severity] <= MOST_PROBLEMS) yield each
    else if (each.severity === 'error') return
  }
}

function* all(
  document: GraphDocument,
  index: DocumentIndex,
  parse: ParseExpression | undefined,
): Generator<GraphProblem> {
  yield* checkActivities(index)
  yield* checkFlow(index)
  yield* checkConnections(index)
  yield* checkPolicies(index)
  yield* checkFlowPolicy((document.flow ?? null) as Json, '/flow', { parse })
  yield* checkVariables(index)
  yield* checkInputs(index)
  yield* checkOutside(index)
  yield* checkSecrets(index)
  yield* checkControlFlow(index)
  yield* checkSagas(index)
  yield* checkScripts(index)
  yield* checkExpressions(index, parse)
}

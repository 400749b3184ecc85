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
import { indexDocument } from './document-index.ts'
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
  return [
    ...checkActivities(index),
    ...checkFlow(index),
    ...checkConnections(index),
    ...checkPolicies(index),
    ...checkFlowPolicy((document.flow ?? null) as Json, '/flow', { parse }),
    ...checkVariables(index),
    ...checkInputs(index),
    ...checkOutside(index),
    ...checkSecrets(index),
    ...checkControlFlow(index),
    ...checkSagas(index),
    ...checkScripts(index),
    ...checkExpressions(index, parse),
  ]
}

import { isJsonObject, type Json } from '@lockstep/base'
import { compileExpression } from '../expression/expression.ts'
import { type GraphProblem, problem, sortProblems } from '../graph/graph-problem.ts'
import { expressionParser } from '../graph/parse-expression.ts'
import { validateStructure } from '../graph/validate-structure.ts'
import { checkFlowPolicy } from './check-flow-policy.ts'
import type { FlowPolicy } from './flow-policy.ts'

const AT = '/flow'

/** Everything that is wrong with a policy; pointers lead into it. `code`: what the workflow declares, where it is a function. */
export function validateFlowPolicy(policy: Json, code?: FlowPolicy<never>): readonly GraphProblem[] {
  if (!isJsonObject(policy))
    return [problem('', 'WRONG_TYPE', 'A flow policy is an object such as { "concurrency": { "limit": 5 } }')]
  // The shape is that of the member of a graph document, and is checked as such.
  const shape = validateStructure({ id: 'flow', activities: [], flow: policy })
  const problems =
    shape.length > 0
      ? shape
      : [
          ...checkFlowPolicy(policy, AT, {
            parse: expressionParser(compileExpression),
            declares: (pointer) => typeof functionAt(code, pointer) === 'function',
          }),
        ]
  return sortProblems(problems).map((each) => ({ ...each, pointer: each.pointer.slice(AT.length) }))
}

function functionAt(code: unknown, pointer: string): unknown {
  const path = pointer.slice(AT.length + 1).split('/')
  return path.reduce((from, name) => (isJsonObject(from) ? from[name] : undefined), code as Json | undefined)
}

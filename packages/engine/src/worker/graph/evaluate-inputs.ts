import type { Json, JsonObject } from '@lockstep/base'
import { evaluateExpression } from '../../expression/expression.ts'
import { expressionScope } from '../../graph/expression-scope.ts'
import { fillTemplate } from '../../graph/input-template.ts'
import type { LiveGraph, Run } from './live-graph.ts'

/** `undefined`: at least one expression is for the sandbox. */
export function inputsNow({ program, state }: LiveGraph, { step, activity: { inputs } }: Run): JsonObject | undefined {
  if (inputs.literal !== undefined) return inputs.literal
  const scope = expressionScope(program, state, step)
  const values: Json[] = []
  for (const expression of inputs.expressions) {
    const value = expression.evaluate?.(scope)
    if (value === undefined) return undefined
    values.push(value)
  }
  return fillTemplate(inputs, values)
}

export async function inputsFromSandbox(
  { program, state, shell }: LiveGraph,
  { step, activity: { inputs } }: Run,
): Promise<JsonObject> {
  // Taken now: the scope shows the state's own objects, and others may change them before the sandbox answers.
  const scope = structuredClone({ ...expressionScope(program, state, step) })
  const values = await Promise.all(inputs.expressions.map((each) => evaluateExpression(each, scope, shell.sandbox)))
  return fillTemplate(inputs, values)
}

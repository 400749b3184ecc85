import type { Json, JsonObject } from '@lockstep/base'
import { fitsCase, takesAll } from '../../activity/run/switch.ts'
import { type CompiledExpression, evaluateExpression } from '../../expression/expression.ts'
import type { ExpressionScope } from '../../expression/scope.ts'
import { expressionScope } from '../../graph/expression-scope.ts'
import { type CaseTemplates, fillTemplate, type InputTemplate } from '../../graph/input-template.ts'
import type { LiveGraph, Run } from './live-graph.ts'

type Template = InputTemplate<CompiledExpression>
type Cases = CaseTemplates<CompiledExpression>

/** `undefined`: at least one expression is for the sandbox. */
export function inputsNow({ program, state, shell }: LiveGraph, { step, activity }: Run): JsonObject | undefined {
  const { inputs, cases } = activity
  if (inputs.literal !== undefined) return inputs.literal
  const scope = expressionScope(program, state, step)
  const fill = (template: Template): JsonObject | undefined => filledNow(template, scope, shell.sandbox.outputBytes)
  return cases === undefined ? fill(inputs) : casesNow(cases, fill)
}

export async function inputsFromSandbox(
  { program, state, shell }: LiveGraph,
  { step, activity: { inputs, cases } }: Run,
): Promise<JsonObject> {
  // Taken now: the scope shows the state's own objects, and others may change them before the sandbox answers.
  const scope = structuredClone({ ...expressionScope(program, state, step) })
  const filled = async (template: Template): Promise<JsonObject> =>
    fillTemplate(
      template,
      await Promise.all(template.expressions.map((each) => evaluateExpression(each, scope, shell.sandbox))),
    )
  return cases === undefined ? filled(inputs) : casesFromSandbox(cases, filled)
}

function filledNow(template: Template, scope: ExpressionScope, outputBytes: number): JsonObject | undefined {
  const values: Json[] = []
  for (const expression of template.expressions) {
    const value = expression.evaluate?.(scope, outputBytes)
    if (value === undefined) return undefined
    values.push(value)
  }
  return fillTemplate(template, values)
}

/** The cases up to the first that fits: those after it may well make no sense then, and are left alone. */
function casesNow({ rest, each }: Cases, fill: (template: Template) => JsonObject | undefined): JsonObject | undefined {
  const inputs = fill(rest)
  if (inputs === undefined) return undefined
  const cases: JsonObject[] = []
  for (const template of each) {
    const filled = fill(template)
    if (filled === undefined) return undefined
    cases.push(filled)
    if (!takesAll(inputs) && fitsCase(filled, inputs.value)) break
  }
  return { ...inputs, cases }
}

async function casesFromSandbox(
  { rest, each }: Cases,
  fill: (template: Template) => Promise<JsonObject>,
): Promise<JsonObject> {
  const inputs = await fill(rest)
  const cases: JsonObject[] = []
  for (const template of each) {
    const filled = await fill(template)
    cases.push(filled)
    if (!takesAll(inputs) && fitsCase(filled, inputs.value)) break
  }
  return { ...inputs, cases }
}

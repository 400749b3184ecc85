import type { Json } from '@lockstep/base'
import type { VariableDocument } from '../document.ts'
import type { ActivityEntry, DocumentIndex } from '../document-index.ts'
import { type GraphProblem, problem } from '../graph-problem.ts'
import { containsExpression } from '../input-template.ts'
import { pointerTo } from '../json-pointer.ts'
import { schemaFault } from '../json-schema.ts'
import { suggestion } from '../nearest-name.ts'
import { ownMember } from '../own-member.ts'

/** Declared types and schemas, and what `set-variable` does to variables. */
export function* checkVariables(index: DocumentIndex): Generator<GraphProblem> {
  const { variables = {} } = index.document
  for (const [name, variable] of Object.entries(variables)) {
    if (variable.default === undefined || variable.default === null || fits(variable, variable.default)) continue
    yield problem(
      pointerTo('/variables', name, 'default'),
      'WRONG_VARIABLE_TYPE',
      `The default of "${name}" is not of type ${variable.type}: change one of them`,
    )
  }
  for (const field of ['input', 'output'] as const) {
    const schema = index.document[field]
    const fault = schema === undefined ? undefined : schemaFault(schema)
    if (fault !== undefined) yield problem(`/${field}`, 'INVALID_SCHEMA', `"${field}" is not a JSON schema: ${fault}`)
  }
  for (const entry of index.activities) {
    if (entry.document.type === 'set-variable') yield* checkAssignment(entry, variables)
  }
}

function* checkAssignment(
  { document, pointer }: ActivityEntry,
  variables: Readonly<Record<string, VariableDocument>>,
): Generator<GraphProblem> {
  const { name, value } = document.inputs ?? {}
  if (typeof name !== 'string') return
  const variable = ownMember(variables, name)
  if (variable === undefined) {
    const hint = suggestion(name, Object.keys(variables)) || ': declare it under "variables"'
    yield problem(pointerTo(pointer, 'inputs', 'name'), 'UNKNOWN_VARIABLE', `No variable is called "${name}"${hint}`)
  } else if (value !== undefined && value !== null && !containsExpression(value) && !fits(variable, value)) {
    yield problem(
      pointerTo(pointer, 'inputs', 'value'),
      'WRONG_VARIABLE_TYPE',
      `"${name}" takes values of type ${variable.type}`,
    )
  }
}

export function fits({ type = 'any' }: VariableDocument, value: Json): boolean {
  switch (type) {
    case 'any':
      return true
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'object':
      return typeof value === 'object' && !Array.isArray(value)
    default:
      return typeof value === type
  }
}

import type { Json, JsonObject } from '@lockstep/base'

import type { ActivityType } from '../../activity/activity-type.ts'
import { DURATION_FORMAT, INSTANT_FORMAT } from '../../activity/input-schema.ts'
import { secretPlaces, withStandIns } from '../../secret/secret-places.ts'
import type { ActivityEntry, DocumentIndex } from '../document-index.ts'
import { type GraphProblem, problem, warning } from '../graph-problem.ts'
import { containsExpression, isExpressionValue } from '../input-template.ts'
import { pointerSegments, pointerTo } from '../json-pointer.ts'
import { compileSchema, essentialErrors, type SchemaError, type Validator } from '../json-schema.ts'
import { suggestion } from '../nearest-name.ts'

/** Literals against the schema of the activity's inputs. What an expression will give is not known here. */
export function* checkInputs(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    if (entry.type === undefined) continue
    yield* checkAgainstSchema(entry, entry.type)
    if (entry.type.type === 'run-workflow' && entry.document.inputs?.definitionId === index.document.id) {
      yield warning(
        pointerTo(entry.pointer, 'inputs', 'definitionId'),
        'CIRCULAR_RUN',
        `"${entry.id}" runs this very workflow: make sure that some path ends the chain`,
      )
    }
  }
}

function* checkAgainstSchema(entry: ActivityEntry, type: ActivityType): Generator<GraphProblem> {
  const given = entry.document.inputs ?? {}
  const inputs = withStandIns(given, secretPlaces(given, type))
  const validate = validatorOf(type)
  if (validate(inputs)) return
  for (const error of essentialErrors(validate)) {
    if (!isDecidedByExpression(inputs, error)) yield describe(entry, type, error)
  }
}

const validators = new WeakMap<ActivityType, Validator>()

function validatorOf(type: ActivityType): Validator {
  const known = validators.get(type)
  if (known !== undefined) return known
  const validate = compileSchema(type.inputs)
  validators.set(type, validate)
  return validate
}

/** Rules that hold whatever the expressions inside a value will give. */
const INDEPENDENT = new Set(['required', 'additionalProperties', 'type'])

function isDecidedByExpression(inputs: JsonObject, error: SchemaError): boolean {
  let value: Json | undefined = inputs
  for (const segment of pointerSegments(error.instancePath)) {
    value = (value as JsonObject | undefined)?.[segment]
    if (isExpressionValue(value)) return true
  }
  return value !== undefined && !INDEPENDENT.has(error.keyword) && containsExpression(value)
}

function describe(entry: ActivityEntry, type: ActivityType, error: SchemaError): GraphProblem {
  const { keyword, params, instancePath } = error
  const who = `"${entry.id}" (${type.type})`
  const base = entry.document.inputs === undefined ? entry.pointer : pointerTo(entry.pointer, 'inputs')
  const pointer = `${base}${instancePath}`
  const field = `Input "${pointerSegments(instancePath).join('.')}" of ${who}`
  switch (keyword) {
    case 'required':
      return problem(pointer, 'MISSING_INPUT', `${who} needs input "${params.missingProperty}": add it`)
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      const known = Object.keys((error.parentSchema?.properties as object | undefined) ?? {})
      const hint = suggestion(name, known) || `: remove it, or use ${known.join(', ') || 'none'}`
      return problem(pointerTo(pointer, name), 'UNKNOWN_INPUT', `${who} has no input "${name}"${hint}`)
    }
    case 'format':
      if (params.format === DURATION_FORMAT) {
        return problem(pointer, 'INVALID_DURATION', `${field} is no duration: write 500ms, 30s, 5m, 2h, 7d or PT15M`)
      }
      if (params.format === INSTANT_FORMAT) {
        return problem(pointer, 'INVALID_INPUT', `${field} is no point in time: write 2030-01-31T09:00:00Z`)
      }
      break
    case 'enum':
      return problem(
        pointer,
        'INVALID_INPUT',
        `${field} must be one of ${(params.allowedValues as readonly unknown[]).join(', ')}`,
      )
  }
  return problem(pointer, 'INVALID_INPUT', `${field} ${error.message ?? 'does not fit'}`)
}

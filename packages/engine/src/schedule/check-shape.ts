import { pointerTo } from '../graph/json-pointer.ts'
import { compiledLate, essentialErrors, type SchemaError } from '../graph/json-schema.ts'
import { suggestion } from '../graph/nearest-name.ts'
import { problem, type ScheduleProblem } from './schedule-problem.ts'
import { scheduleSchema } from './schedule-schema.ts'

const validator = compiledLate(scheduleSchema)

/** Whether a document has the shape that its type claims. What it means may be looked at only when it has. */
export function checkShape(document: unknown): readonly ScheduleProblem[] {
  const validate = validator()
  return validate(document) ? [] : essentialErrors(validate).map(describe)
}

function describe({ instancePath: pointer, keyword, params, parentSchema, message }: SchemaError): ScheduleProblem {
  const field = pointer === '' ? 'The schedule' : `"${pointer.slice(1)}"`
  switch (keyword) {
    case 'required':
      return problem(pointer, 'MISSING_FIELD', `${field} needs "${params.missingProperty}": add it`)
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
      const hint = suggestion(name, known) || `: ${elsewhere(pointer, name) ?? `remove it (use ${known.join(', ')})`}`
      const of = pointer === '' ? 'a schedule' : field
      return problem(pointerTo(pointer, name), 'UNKNOWN_FIELD', `"${name}" is not a field of ${of}${hint}`)
    }
    case 'type':
      return problem(pointer, 'WRONG_TYPE', `${field} must be of type ${[params.type].flat().join(' or ')}`)
    case 'enum':
      return problem(
        pointer,
        'VALUE_NOT_ALLOWED',
        `${field} must be one of ${(params.allowedValues as readonly unknown[]).join(', ')}`,
      )
    case 'anyOf':
      return problem(pointer, 'VALUE_NOT_ALLOWED', `${field} must be ${parentSchema?.description}`)
    case 'pattern':
      return problem(
        pointer,
        'INVALID_ID',
        `${field} must be a slug of lower-case letters, digits and single hyphens, such as nightly-report`,
      )
    default:
      return problem(pointer, 'OUT_OF_RANGE', `${field} ${message ?? 'is out of range'}`)
  }
}

const OF_TRIGGER: ReadonlySet<string> = new Set(['cron', 'interval', 'anchor', 'at', 'zone'])

/** They are looked for at the top more often than not. */
const elsewhere = (pointer: string, name: string): string | undefined =>
  pointer === '' && OF_TRIGGER.has(name) ? 'write it into "trigger"' : undefined

import { graphDocumentSchema } from './document-schema.ts'
import { type GraphProblem, problem } from './graph-problem.ts'
import { pointerSegments, pointerTo } from './json-pointer.ts'
import { compiledLate, essentialErrors, type SchemaError } from './json-schema.ts'
import { suggestion } from './nearest-name.ts'

/** Deeper than any sensible document; keeps recursion over documents of strangers harmless. */
const MAX_JSON_DEPTH = 400

const validator = compiledLate(graphDocumentSchema)

/** Whether the document has the shape that its type claims. Semantics may be looked at only when it has. */
export function validateStructure(document: unknown): readonly GraphProblem[] {
  const deep = tooDeep(document)
  if (deep !== undefined)
    return [problem(deep, 'TOO_DEEP', `The document is nested deeper than ${MAX_JSON_DEPTH} levels: flatten it`)]
  const validate = validator()
  if (validate(document)) return []
  return essentialErrors(validate).map(describe)
}

/** Pointer of the first value below the limit. Without recursion, which is what it protects. */
function tooDeep(document: unknown): string | undefined {
  const stack: { readonly value: unknown; readonly pointer: string; readonly depth: number }[] = [
    { value: document, pointer: '', depth: 0 },
  ]
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    if (typeof top.value !== 'object' || top.value === null) continue
    if (top.depth >= MAX_JSON_DEPTH) return top.pointer
    for (const [key, value] of Object.entries(top.value)) {
      if (typeof value === 'object' && value !== null) {
        stack.push({ value, pointer: pointerTo(top.pointer, key), depth: top.depth + 1 })
      }
    }
  }
  return undefined
}

function describe(error: SchemaError): GraphProblem {
  const { instancePath: pointer, keyword, params } = error
  const field = fieldName(pointer)
  switch (keyword) {
    case 'required':
      return problem(pointer, 'MISSING_FIELD', `${field} needs "${params.missingProperty}": add it`)
    case 'additionalProperties': {
      const name = String(params.additionalProperty)
      const hint = suggestion(name, knownFields(error))
      return problem(
        pointerTo(pointer, name),
        'UNKNOWN_FIELD',
        `"${name}" is not a field of ${field}${hint || ': remove it, or call it x-… to keep a note'}`,
      )
    }
    case 'type':
      return problem(pointer, 'WRONG_TYPE', `${field} must be of type ${[params.type].flat().join(' or ')}`)
    case 'enum':
      return problem(
        pointer,
        'VALUE_NOT_ALLOWED',
        `${field} must be one of ${(params.allowedValues as readonly unknown[]).join(', ')}`,
      )
    case 'pattern':
      return describePattern(error, field)
    default:
      return problem(pointer, 'OUT_OF_RANGE', `${field} ${error.message ?? 'is out of range'}`)
  }
}

function describePattern(error: SchemaError, field: string): GraphProblem {
  const { instancePath: pointer, propertyName } = error
  if (propertyName !== undefined) {
    return problem(
      pointerTo(pointer, propertyName),
      'INVALID_NAME',
      `"${propertyName}" is not a variable name: use letters, digits and _, a letter first, at most 64`,
    )
  }
  if (pointer.startsWith('/tags/'))
    return problem(pointer, 'INVALID_NAME', `${field} must be 1 to 40 letters, digits and - _ . : /, such as eu`)
  const rule =
    pointer === '/id'
      ? 'a slug of lower-case letters, digits and single hyphens, such as order-approval'
      : 'letters, digits, _ and -, a letter first, at most 64'
  return problem(pointer, 'INVALID_ID', `${field} must be ${rule}`)
}

function knownFields(error: SchemaError): readonly string[] {
  return Object.keys((error.parentSchema?.properties as object | undefined) ?? {})
}

function fieldName(pointer: string): string {
  const segments = pointerSegments(pointer)
  return segments.length === 0 ? 'The document' : `"${segments.slice(-2).join('/')}"`
}

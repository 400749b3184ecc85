import { suggestion } from '@lockstep/engine'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'
import { InvalidRequest, type RequestFault } from '../problem/request-errors.ts'
import { patternWords } from './pattern-words.ts'

export type RequestPart = 'body' | 'query' | 'path'

/** A check that answers with the value itself, or throws `INVALID_REQUEST` naming each field and what to do. Compiled when it is first needed. */
export function partCheck(part: RequestPart, schema: TSchema): (value: unknown) => unknown {
  let compiled: ReturnType<typeof Compile> | undefined
  const fields = Object.keys((schema as { readonly properties?: object }).properties ?? {})
  return (value) => {
    compiled ??= Compile(schema)
    const validator = compiled
    if (validator.Check(value)) return value
    throw new InvalidRequest({
      errors: validator.Errors(value).flatMap((error) => describe(part, error, fields, value)),
    })
  }
}

const MOST_NAMED = 20

function describe(
  part: RequestPart,
  error: TLocalizedValidationError,
  fields: readonly string[],
  value: unknown,
): RequestFault[] {
  const fault = (field: string, text: string): RequestFault => ({ in: part, field, text })
  const { instancePath } = error
  switch (error.keyword) {
    case 'boolean':
      return [] // said by additionalProperties, which knows the name
    case 'required':
      return error.params.requiredProperties.map((name) =>
        fault(place(part, instancePath, name), `"${name}" is missing from the ${part}: add it`),
      )
    case 'additionalProperties':
      return error.params.additionalProperties
        .slice(0, MOST_NAMED)
        .map((name) => fault(place(part, instancePath, name), unknownField(part, name, fields)))
    case 'enum':
      return [
        fault(
          place(part, instancePath),
          `${label(part, instancePath)} must be one of ${error.params.allowedValues.join(', ')}${meant(at(value, instancePath), error.params.allowedValues)}`,
        ),
      ]
    case 'pattern': {
      const words = patternWords(String(error.params.pattern))
      const text = words === undefined ? error.message : `must ${words}`
      return [fault(place(part, instancePath), `${label(part, instancePath)} ${text}`)]
    }
    case 'type':
      // A parameter that an address has several times is read as a list.
      if (part === 'query' && Array.isArray(at(value, instancePath)))
        return [
          fault(place(part, instancePath), `${label(part, instancePath)} stands there more than once: give it once`),
        ]
      return [fault(place(part, instancePath), `${label(part, instancePath)} ${error.message}`)]
    default:
      return [fault(place(part, instancePath), `${label(part, instancePath)} ${error.message}`)]
  }
}

function unknownField(part: RequestPart, name: string, fields: readonly string[]): string {
  const known = fields.length === 0 ? 'it takes none' : `use ${fields.join(', ')}`
  return `"${name.slice(0, 80)}" is not a field of the ${part}: remove it (${known})${meant(name, fields)}`
}

const LONGEST_NAME = 80

/** Whoever sends much is not guessed at. */
const meant = (given: unknown, known: readonly unknown[]): string =>
  typeof given === 'string' && given.length <= LONGEST_NAME ? suggestion(given, known.map(String)) : ''

const at = (value: unknown, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((found, name) => (found as Record<string, unknown> | null)?.[unescaped(name)], value)

const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

const label = (part: RequestPart, pointer: string): string =>
  pointer === '' ? `The ${part}` : `"${pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~')}"`

function place(part: RequestPart, pointer: string, name?: string): string {
  const full =
    name === undefined ? pointer : `${pointer}/${name.slice(0, 80).replaceAll('~', '~0').replaceAll('/', '~1')}`
  return part === 'body' ? full : full.slice(1)
}

import { isObject, type Json, type JsonObject } from '../model/json.ts'

export type FieldKind =
  | 'text'
  | 'long-text'
  | 'code'
  | 'number'
  | 'boolean'
  | 'choice'
  | 'date'
  | 'date-time'
  | 'secret-name'
  | 'any'
  | 'json'

export interface Field {
  readonly name: string
  readonly title: string | undefined
  readonly kind: FieldKind
  readonly required: boolean
  readonly description: string | undefined
  readonly choices: readonly string[]
  readonly standard: Json | undefined
  /** No expression may take its place. */
  readonly literal: boolean
  /** Whether a secret may stand here: in the place of a text, or as a member of an object. */
  readonly secret: 'text' | 'member' | undefined
}

const LONG = ['message', 'body', 'description', 'query', 'html', 'text']

/** Fields of a form for the inputs that a schema describes, and for those it does not know of but the step has. */
export function fieldsOf(
  schema: JsonObject | undefined,
  present: readonly string[],
  literal: readonly string[] = [],
  script?: string,
  takesSecrets = false,
): readonly Field[] {
  const properties = isObject(schema?.properties) ? schema.properties : {}
  const required = Array.isArray(schema?.required) ? schema.required : []
  const known = Object.entries(properties).map(([name, each]): Field => {
    const property = isObject(each) ? each : {}
    return {
      name,
      title: typeof property.title === 'string' ? property.title : undefined,
      kind: name === script ? 'code' : kindOf(name, property),
      required: required.includes(name),
      description: typeof property.description === 'string' ? property.description : undefined,
      choices: Array.isArray(property.enum) ? property.enum.map(String) : [],
      standard: property.default,
      literal: literal.includes(name),
      secret: takesSecrets && !literal.includes(name) && name !== script ? secretIn(property) : undefined,
    }
  })
  const others = present
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name): Field => {
      const none = { title: undefined, description: undefined, choices: [], standard: undefined }
      return { name, kind: 'any', required: false, literal: false, secret: undefined, ...none }
    })
  return [...known.toSorted((a, b) => Number(b.required) - Number(a.required)), ...others]
}

/** What the engine calls a moment, beside the name that JSON schema has for it. */
const MOMENTS = ['date-time', 'lockstep-instant']

function kindOf(name: string, { type, format, enum: choices, 'x-secret': secret }: JsonObject): FieldKind {
  if (secret === 'name') return 'secret-name'
  if (format === 'date') return 'date'
  if (typeof format === 'string' && MOMENTS.includes(format)) return 'date-time'
  if (Array.isArray(choices) && choices.every((each) => typeof each === 'string')) return 'choice'
  const types = [type].flat()
  if (types.includes('string') && !types.includes('object') && !types.includes('array'))
    return LONG.includes(name) ? 'long-text' : 'text'
  if (types.length === 1 && (type === 'number' || type === 'integer')) return 'number'
  if (types.length === 1 && type === 'boolean') return 'boolean'
  return type === undefined || types.includes('string') ? 'any' : 'json'
}

function secretIn({ type, anyOf, format, enum: choices }: JsonObject): Field['secret'] {
  const options = Array.isArray(anyOf) ? anyOf.filter(isObject) : []
  const types = [type, ...options.map((each) => each.type)].flat()
  // Of a form of its own, such as a duration: nobody keeps that secret.
  if (choices !== undefined || format !== undefined) return undefined
  if (types.includes('string') || (type === undefined && options.length === 0)) return 'text'
  return types.includes('object') ? 'member' : undefined
}

/** The text of an expression; undefined where the value is none. */
export function expressionIn(value: Json | undefined): string | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined
  return typeof value.$expr === 'string' ? value.$expr : undefined
}

/** The same value as an expression, as far as that can be said. */
export function toExpression(value: Json | undefined): Json {
  return { $expr: value === undefined ? '' : JSON.stringify(value) }
}

/** The literal that an expression says, or nothing. */
export function toLiteral(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

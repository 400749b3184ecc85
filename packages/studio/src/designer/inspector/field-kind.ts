import { isObject, type Json, type JsonObject } from '../model/json.ts'

export type FieldKind = 'text' | 'long-text' | 'code' | 'number' | 'boolean' | 'choice' | 'any' | 'json'

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
}

const LONG = ['message', 'body', 'description', 'query', 'html', 'text']

/** Fields of a form for the inputs that a schema describes, and for those it does not know of but the step has. */
export function fieldsOf(
  schema: JsonObject | undefined,
  present: readonly string[],
  literal: readonly string[] = [],
  script?: string,
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
    }
  })
  const others = present
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name): Field => {
      const none = { title: undefined, description: undefined, choices: [], standard: undefined }
      return { name, kind: 'any', required: false, literal: false, ...none }
    })
  return [...known.toSorted((a, b) => Number(b.required) - Number(a.required)), ...others]
}

function kindOf(name: string, { type, enum: choices }: JsonObject): FieldKind {
  if (Array.isArray(choices) && choices.every((each) => typeof each === 'string')) return 'choice'
  const types = [type].flat()
  if (types.includes('string') && !types.includes('object') && !types.includes('array'))
    return LONG.includes(name) ? 'long-text' : 'text'
  if (types.length === 1 && (type === 'number' || type === 'integer')) return 'number'
  if (types.length === 1 && type === 'boolean') return 'boolean'
  return type === undefined || types.includes('string') ? 'any' : 'json'
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

import { type Field, fieldsOf } from '../designer/inspector/field-kind.ts'
import { isObject, type Json, type JsonObject } from '../designer/model/json.ts'

export interface Form {
  readonly fields: readonly Field[]
  /** What is asked for is one value, and no object with members. */
  readonly single: boolean
}

/** What a JSON schema asks people for; one that says nothing asks for nothing. */
export function formOf(schema: unknown): Form {
  if (!isObject(schema)) return { fields: [], single: false }
  if (schema.type === 'object' || isObject(schema.properties)) return { fields: fieldsOf(schema, []), single: false }
  if (schema.type === undefined && schema.enum === undefined) return { fields: [], single: true }
  return { fields: fieldsOf({ properties: { value: schema }, required: ['value'] }, []), single: true }
}

export const memberOf = ({ single }: Form, value: Json | undefined, name: string): Json | undefined =>
  single ? value : isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

/** The value with another member. What was emptied is left out, not sent as nothing. */
export function withMember(form: Form, value: Json | undefined, name: string, member: Json | undefined): Json {
  if (form.single) return member ?? null
  const others = Object.entries(isObject(value) ? value : {}).filter(([each]) => each !== name)
  return Object.fromEntries(member === undefined ? others : inPlace(value, name, member, others)) as JsonObject
}

/** A member that was there keeps its place, so that the JSON beside the form does not jump. */
function inPlace(
  value: Json | undefined,
  name: string,
  member: Json,
  others: readonly (readonly [string, Json])[],
): readonly (readonly [string, Json])[] {
  if (!isObject(value) || !Object.hasOwn(value, name)) return [...others, [name, member]]
  return Object.entries(value).map(([each, old]) => [each, each === name ? member : old])
}

/** What the schema says a form begins with. */
export function standardOf({ fields, single }: Form): Json {
  const given = fields.flatMap(({ name, standard }) => (standard === undefined ? [] : [[name, standard] as const]))
  return single ? (given[0]?.[1] ?? null) : Object.fromEntries(given)
}

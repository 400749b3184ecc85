/** What a page asks for, from the JSON schema of what is handed in. */
import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'

export type FieldKind = 'text' | 'long-text' | 'number' | 'yes-no' | 'choice' | 'date' | 'email' | 'json'

export interface FormField {
  /** Its member of what is handed in; '' where that is no object but one value. */
  readonly name: string
  readonly label: string
  readonly hint: string | undefined
  readonly kind: FieldKind
  readonly isRequired: boolean
  readonly isWhole: boolean
  readonly choices: readonly Json[]
  /** Attributes that browsers check by themselves; the server checks everything again. */
  readonly bounds: Readonly<Record<string, string>>
  readonly given: Json | undefined
}

const LONG = 200

/** A form that says nothing, or is none, asks for nothing. */
export function formFields(form: unknown): readonly FormField[] {
  if (!isJsonObject(form)) return []
  const { properties, required } = form
  const isObject = form.type === 'object' || isJsonObject(properties)
  if (!isObject) return form.type === undefined && form.enum === undefined ? [] : [fieldOf('', form, true)]
  const names = Array.isArray(required) ? required : []
  return Object.entries(isJsonObject(properties) ? properties : {}).map(([name, schema]) =>
    fieldOf(name, isJsonObject(schema) ? schema : {}, names.includes(name)),
  )
}

function fieldOf(name: string, schema: JsonObject, isRequired: boolean): FormField {
  const kind = kindOf(schema)
  return {
    name,
    label: textOf(schema.title) ?? (name === '' ? 'Answer' : words(name)),
    hint: textOf(schema.description),
    kind,
    isRequired,
    isWhole: schema.type === 'integer',
    choices: Array.isArray(schema.enum) ? schema.enum : [],
    bounds: boundsOf(schema, kind),
    given: schema.default,
  }
}

function kindOf(schema: JsonObject): FieldKind {
  if (Array.isArray(schema.enum)) return 'choice'
  switch (schema.type) {
    case 'string':
      if (schema.format === 'date') return 'date'
      if (schema.format === 'email') return 'email'
      return typeof schema.maxLength === 'number' && schema.maxLength > LONG ? 'long-text' : 'text'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'yes-no'
    default:
      return 'json'
  }
}

function boundsOf(schema: JsonObject, kind: FieldKind): Readonly<Record<string, string>> {
  const members = kind === 'number' ? { min: schema.minimum, max: schema.maximum } : {}
  const lengths =
    kind === 'text' || kind === 'long-text' ? { minlength: schema.minLength, maxlength: schema.maxLength } : {}
  return Object.fromEntries(
    Object.entries({ ...members, ...lengths }).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, String(value)]] : [],
    ),
  )
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** `shipTo_address` as people write it. */
function words(name: string): string {
  const text = name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
  return text.slice(0, 1).toUpperCase() + text.slice(1)
}

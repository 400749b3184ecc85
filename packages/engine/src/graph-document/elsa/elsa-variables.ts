import type { Json, JsonObject } from '@lockstep/base'
import type { VariableDocument, VariableType } from '../../graph/document.ts'
import { setMember } from '../../graph/own-member.ts'
import type { ElsaJson } from './elsa-json.ts'
import { NameGiver } from './elsa-names.ts'

const TYPES: ReadonlyMap<string, VariableType> = new Map([
  ['string', 'string'],
  ['guid', 'string'],
  ['datetime', 'string'],
  ['datetimeoffset', 'string'],
  ['timespan', 'string'],
  ['boolean', 'boolean'],
  ['byte', 'integer'],
  ['int16', 'integer'],
  ['int32', 'integer'],
  ['int64', 'integer'],
  ['single', 'number'],
  ['double', 'number'],
  ['decimal', 'number'],
  ['dictionary', 'object'],
  ['jsonobject', 'object'],
  ['jsonarray', 'array'],
])

/** `System.Int32` and `Int32` are one. What is not known can hold anything. */
export function typeOf(name: string | undefined, isArray = false): VariableType {
  if (isArray) return 'array'
  return TYPES.get((name ?? '').split('.').at(-1)!.toLowerCase()) ?? 'any'
}

/** Elsa keeps defaults and literals as text. `undefined`: the text is not of that type. */
export function literalOf(value: Json, type: VariableType): Json | undefined {
  if (typeof value !== 'string' || type === 'string' || type === 'any') return value
  if (type === 'boolean') return /^(true|false)$/i.test(value) ? value.toLowerCase() === 'true' : undefined
  if (type === 'number' || type === 'integer') {
    const number = value.trim() === '' ? Number.NaN : Number(value)
    return Number.isFinite(number) && (type === 'number' || Number.isInteger(number)) ? number : undefined
  }
  try {
    return JSON.parse(value) as Json
  } catch {
    return undefined
  }
}

/** Variables of the workflow and of the containers in it; ours are all of the workflow. */
export class ElsaVariables {
  readonly documents: Record<string, VariableDocument> = {}
  readonly #names = NameGiver.forVariables()
  readonly #byId = new Map<string, string>()
  readonly #byName = new Map<string, string>()

  add(variable: ElsaJson): void {
    const elsaName = variable.get('name').text
    if (elsaName === undefined) return
    const name = this.#names.give(elsaName, 'v')
    const id = variable.get('id').text
    if (id !== undefined) this.#byId.set(id, name)
    if (!this.#byName.has(elsaName)) this.#byName.set(elsaName, name)
    const type = typeOf(variable.get('typeName').text, variable.get('isArray').value === true)
    const { value } = variable.get('value')
    const initial = value === undefined || value === null ? undefined : literalOf(value, type)
    const isOdd = value !== undefined && value !== null && initial === undefined
    const document: VariableDocument = {
      type: isOdd ? 'any' : type,
      ...(isOdd ? { default: value } : initial !== undefined && { default: initial }),
    }
    setMember(this.documents, name, document)
  }

  /** Our name of a variable that is named by id, by name, or by itself. */
  find(reference: ElsaJson): string | undefined {
    if (reference.text !== undefined) return this.named(reference.text)
    return this.named(reference.get('id').text) ?? this.named(reference.get('name').text)
  }

  named(text: string | undefined): string | undefined {
    return text === undefined ? undefined : (this.#byId.get(text) ?? this.#byName.get(text))
  }

  /** `getOrderTotal()` reads `orderTotal` or `OrderTotal`. */
  ofGetter(getter: string): string | undefined {
    return this.#byName.get(getter) ?? this.#byName.get(getter.charAt(0).toLowerCase() + getter.slice(1))
  }
}

/** Inputs or outputs of the workflow, as the JSON schema of an object. */
export function schemaOf(fields: readonly ElsaJson[]): JsonObject | undefined {
  const properties: Record<string, Json> = {}
  for (const field of fields) {
    const name = field.get('name').text
    if (name === undefined) continue
    const type = typeOf(field.get('type').text, field.get('isArray').value === true)
    const description = field.get('description').text
    const schema = { ...(type !== 'any' && { type }), ...(description && { description }) }
    setMember(properties, name, schema)
  }
  return Object.keys(properties).length === 0 ? undefined : { type: 'object', properties }
}

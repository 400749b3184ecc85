import { isObject, type Json, type JsonObject } from '../model/json.ts'

export interface SecretValue {
  readonly name: string
  /** Comes before the value. */
  readonly prefix: string
}

/** The name of a secret that stands in the place of a text; undefined where the value is none. */
export function secretIn(value: Json | undefined): SecretValue | undefined {
  if (!isObject(value)) return undefined
  const { $secret: name, prefix = '', ...others } = value
  if (typeof name !== 'string' || typeof prefix !== 'string' || Object.keys(others).length > 0) return undefined
  return { name, prefix }
}

export const toSecret = ({ name, prefix }: SecretValue): JsonObject =>
  prefix === '' ? { $secret: name } : { $secret: name, prefix }

/** The same object with a member that is a secret: credentials in the headers of a request, else under the name of the secret. */
export function withSecret(field: string, value: Json | undefined, name: string): JsonObject {
  const members = isObject(value) ? value : {}
  const isFree = field === 'headers' && !Object.keys(members).some((each) => each.toLowerCase() === 'authorization')
  return isFree
    ? { ...members, authorization: toSecret({ name, prefix: 'Bearer ' }) }
    : { ...members, [name]: toSecret({ name, prefix: '' }) }
}

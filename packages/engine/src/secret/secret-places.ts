/**
 * Where the inputs of an activity name secrets. Only what stands in the document itself counts: what an expression gives is data, and data
 * that looks like the name of a secret stays data. Otherwise whoever starts a workflow could have it send any secret anywhere.
 */
import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { ActivityType } from '../activity/activity-type.ts'
import { isExpressionValue } from '../graph/input-template.ts'

export interface SecretPlace {
  readonly path: readonly string[]
  readonly name: string
  /** Comes before the value. */
  readonly prefix: string
}

/** `{ "$secret": "billing-token", "prefix": "Bearer " }`, wherever a text may stand. */
export function isSecretValue(value: unknown): value is { readonly $secret: Json; readonly prefix?: Json } {
  return isJsonObject(value) && Object.hasOwn(value, '$secret')
}

/** Activities that send a request to their input `url`, and inputs of them in which `{ "secret": … }` has meant the same from the beginning. */
const OLDER: Readonly<Record<string, RegExp>> = { 'http-request': /^(url|headers\/[^/]+)$/, webhook: /^url$/ }

/** Whether its code runs at a moment at which secrets are read: what it was given is written down nowhere. */
export const takesSecrets = ({ runs }: ActivityType): boolean => runs === 'effect' || runs === 'transaction'

/** Where a step sends what it is given, of those whose inputs say so. */
export function sendsTo({ type }: ActivityType, { url }: JsonObject): string | undefined {
  return Object.hasOwn(OLDER, type) && typeof url === 'string' ? url : undefined
}

export function secretPlaces(inputs: JsonObject, type: ActivityType): readonly SecretPlace[] {
  return takesSecrets(type) ? [...placesIn(inputs, [], OLDER[type.type])] : []
}

function* placesIn(value: Json, path: readonly string[], older: RegExp | undefined): Generator<SecretPlace> {
  if (isExpressionValue(value) || typeof value !== 'object' || value === null) return
  const name = nameIn(value, path, older)
  if (name !== undefined) {
    const { prefix } = value as JsonObject
    yield { path, name, prefix: typeof prefix === 'string' ? prefix : '' }
    return
  }
  for (const [key, member] of Object.entries(value)) yield* placesIn(member as Json, [...path, key], older)
}

function nameIn(value: object, path: readonly string[], older: RegExp | undefined): string | undefined {
  if (isSecretValue(value)) return String(value.$secret)
  if (!isJsonObject(value) || older?.test(path.join('/')) !== true) return undefined
  return typeof value.secret === 'string' ? value.secret : undefined
}

/** The inputs with a text at each place. The places are there: they stand in the document. */
export function atPlaces(inputs: JsonObject, places: readonly SecretPlace[], texts: readonly string[]): JsonObject {
  return places.reduce<Json>((filled, { path }, at) => replaced(filled, path, texts[at]!), inputs) as JsonObject
}

function replaced(value: Json, [first, ...rest]: readonly string[], text: string): Json {
  if (first === undefined) return text
  if (Array.isArray(value)) return value.map((item, at) => (String(at) === first ? replaced(item, rest, text) : item))
  const members = value as JsonObject
  return { ...members, [first]: replaced(members[first] ?? null, rest, text) }
}

/** Stands in for a text that is not known yet, where the form of inputs is checked. */
const STAND_IN = 'secret'

export const withStandIns = (inputs: JsonObject, places: readonly SecretPlace[]): JsonObject =>
  places.length === 0
    ? inputs
    : atPlaces(
        inputs,
        places,
        places.map(() => STAND_IN),
      )

import type { JsonObject } from '@lockstep/base'
import Type, { type TProperties, type TSchema } from 'typebox'

/** Name of the JSON schema format that `parseDuration` decides: `5m` is one, which the standard `duration` refuses. */
export const DURATION_FORMAT = 'lockstep-duration'
/** ISO 8601 with a zone, as `Date` reads it. */
export const INSTANT_FORMAT = 'lockstep-instant'

/** Inputs of an activity: unknown names are mistakes, so they are refused. */
export function inputSchema(properties: TProperties): JsonObject {
  return plain(Type.Object(properties, { additionalProperties: false }))
}

export const text = (description: string, options: object = {}): TSchema => Type.String({ description, ...options })

export const name = (description: string): TSchema => text(description, { minLength: 1, maxLength: 200 })

/** A number means milliseconds. */
export const duration = (description: string): TSchema =>
  Type.Unsafe<string | number>({ type: ['string', 'number'], format: DURATION_FORMAT, minimum: 0, description })

/** A number means epoch milliseconds. */
export const instant = (description: string): TSchema =>
  Type.Unsafe<string | number>({ type: ['string', 'number'], format: INSTANT_FORMAT, description })

export const anything = (description: string): TSchema => Type.Unknown({ description })

export const choice = (description: string, values: readonly string[]): TSchema =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], description })

/** Without the markers that the schema library hides in its objects. */
function plain(schema: TSchema): JsonObject {
  return JSON.parse(JSON.stringify(schema)) as JsonObject
}

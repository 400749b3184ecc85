import Type, { type TProperties, type TUnsafe } from 'typebox'

/** Of every answer that is data. */
export const JSON_TYPE = 'application/json; charset=utf-8'

/** One type in a list, not `anyOf`: serializers turn that into code instead of into a search. */
export const nullable = <T extends 'string' | 'integer'>(
  type: T,
  options: object = {},
): TUnsafe<(T extends 'string' ? string : number) | null> => Type.Unsafe({ type: [type, 'null'], ...options })

/** Any JSON. */
export const anything = (description: string) => Type.Unknown({ description })

export const oneOf = <const T extends string>(values: readonly T[], description?: string): TUnsafe<T> =>
  Type.Unsafe({ type: 'string', enum: [...values], ...(description === undefined ? {} : { description }) })

/** A body or query that refuses names it does not know. */
export const closed = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, { additionalProperties: false, ...(description === undefined ? {} : { description }) })

export const instant = (description?: string) =>
  nullable('string', { format: 'date-time', ...(description === undefined ? {} : { description }) })

/** Names that the store indexes. The pattern bounds them in UTF-16 units: `maxLength` counts what readers see, which can be any number of bytes. */
export const indexedText = (description: string) =>
  Type.String({ pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$', description: `${description} 1 to 255 characters.` })

export const duration = (description: string): TUnsafe<string | number> =>
  Type.Unsafe({
    type: ['string', 'number'],
    minimum: 0,
    description: `${description} 500ms, 30s, 5m, 2h, 7d, ISO 8601, or a number of milliseconds.`,
  })

/** The reply of 204. */
export const noContent = Type.Null({ description: 'Nothing.' })

export const flag = (description: string) => Type.Boolean({ description })

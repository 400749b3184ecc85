/** What the value of each keyword has to look like. Keywords that are not here are notes of the author. */
import { isObject } from './node.ts'

type Shape = readonly [fits: (value: unknown) => boolean, words: string]

const TYPES: ReadonlySet<unknown> = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string'])

const isText = (value: unknown): boolean => typeof value === 'string'
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText)
const isSchema = (value: unknown): boolean => typeof value === 'boolean' || isObject(value)
const isMap = (of: (value: unknown) => boolean) => (value: unknown) => isObject(value) && Object.values(value).every(of)

const text: Shape = [isText, 'text']
const number: Shape = [(value) => typeof value === 'number', 'a number']
const count: Shape = [(value) => Number.isInteger(value) && (value as number) >= 0, 'a whole number from 0']
const schema: Shape = [isSchema, 'a schema: an object, true or false']
const schemas: Shape = [
  (value) => Array.isArray(value) && value.length > 0 && value.every(isSchema),
  'a list of at least one schema',
]
const schemaMap: Shape = [isMap(isSchema), 'an object of schemas']
const truth: Shape = [(value) => typeof value === 'boolean', 'true or false']

const SHAPES: Readonly<Record<string, Shape>> = {
  type: [
    (value) => TYPES.has(value) || (Array.isArray(value) && value.length > 0 && value.every((each) => TYPES.has(each))),
    'array, boolean, integer, null, number, object or string, or a list of them',
  ],
  enum: [(value) => Array.isArray(value) && value.length > 0, 'a list of at least one value'],
  multipleOf: [(value) => typeof value === 'number' && value > 0, 'a number above 0'],
  ...{ maximum: number, exclusiveMaximum: number, minimum: number, exclusiveMinimum: number },
  ...{ maxLength: count, minLength: count, maxItems: count, minItems: count, maxProperties: count },
  ...{ minProperties: count, minContains: count, maxContains: count },
  ...{ pattern: text, format: text, $ref: text, $dynamicRef: text, $id: text, $anchor: text, $dynamicAnchor: text },
  ...{ uniqueItems: truth, nullable: truth },
  required: [isTexts, 'a list of names'],
  dependentRequired: [isMap(isTexts), 'an object of lists of names'],
  dependencies: [isMap((value) => isSchema(value) || isTexts(value)), 'an object of schemas and lists of names'],
  ...{ items: schema, contains: schema, additionalProperties: schema, propertyNames: schema, not: schema },
  ...{ if: schema, then: schema, else: schema, unevaluatedItems: schema, unevaluatedProperties: schema },
  contentSchema: schema,
  ...{ allOf: schemas, anyOf: schemas, oneOf: schemas, prefixItems: schemas },
  ...{ properties: schemaMap, patternProperties: schemaMap, dependentSchemas: schemaMap },
  ...{ $defs: schemaMap, definitions: schemaMap },
}

/** Throws, naming the place and what belongs there. */
export function checkShape(schema: Readonly<Record<string, unknown>>, pointer: string): void {
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = Object.hasOwn(SHAPES, keyword) ? SHAPES[keyword] : undefined
    if (shape === undefined || shape[0](value)) continue
    throw new Error(`"${pointer}/${keyword}" must be ${shape[1]}`)
  }
}

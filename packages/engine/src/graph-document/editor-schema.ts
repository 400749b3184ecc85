import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { ActivityBody, ActivityType } from '../activity/activity-type.ts'
import { DURATION_FORMAT, INSTANT_FORMAT } from '../activity/input-schema.ts'
import { graphDocumentSchema as documentSchema } from '../graph/document-schema.ts'
import { LONGEST_SECRET_NAME, SECRET_NAME } from '../outbound/secrets.ts'
import { takesSecrets } from '../secret/secret-places.ts'

/**
 * JSON schema (2020-12) for editors, made from the schema that validates documents and from the activity types: it
 * knows the inputs of each type, and that an expression, or a secret, may stand for any of them. It refuses no valid document;
 * what needs the whole document (ids, connections, scopes) only validation finds.
 */
export function graphDocumentSchema(activityTypes: Iterable<ActivityType>): JsonObject {
  const types = [...activityTypes].sort((a, b) => (a.type < b.type ? -1 : 1))
  const { $defs, ...rest } = documentSchema as JsonObject & { readonly $defs: JsonObject }
  const activity = $defs.activity as JsonObject & { readonly properties: JsonObject }
  return {
    ...rest,
    $defs: {
      ...$defs,
      expression: EXPRESSION,
      secret: SECRET,
      activity: {
        ...activity,
        properties: { ...activity.properties, type: typeSchema(types) },
        allOf: types.map(ruleOf),
      },
    },
  }
}

const EXPRESSION: JsonObject = {
  type: 'object',
  properties: { $expr: { type: 'string', description: 'Sees input, vars, steps, item, index, error, correlationId.' } },
  required: ['$expr'],
  additionalProperties: false,
}

const SECRET: JsonObject = {
  type: 'object',
  properties: {
    $secret: { type: 'string', pattern: SECRET_NAME, maxLength: LONGEST_SECRET_NAME, description: 'Name of a secret.' },
    prefix: { type: 'string', maxLength: 100, description: 'Comes before its value.' },
  },
  required: ['$secret'],
  additionalProperties: false,
}

const AN_EXPRESSION: readonly Json[] = [{ $ref: '#/$defs/expression' }]
const A_SECRET_TOO: readonly Json[] = [...AN_EXPRESSION, { $ref: '#/$defs/secret' }]

/** Choices with a title and a text each; editors show both. */
function typeSchema(types: readonly ActivityType[]): JsonObject {
  return { oneOf: types.map(({ type, title, description }) => ({ const: type, title, description })) }
}

function ruleOf(activityType: ActivityType): JsonObject {
  const { type, inputs, bodies = [] } = activityType
  const instead = takesSecrets(activityType) ? A_SECRET_TOO : AN_EXPRESSION
  const isRequired = ((inputs.required as readonly string[] | undefined) ?? []).length > 0
  const required = [
    ...(isRequired ? ['inputs'] : []),
    ...bodies.filter((each) => each.required).map(({ name }) => name),
  ]
  return {
    if: { properties: { type: { const: type } }, required: ['type'] },
    then: {
      properties: { inputs: withOthers(inputs, instead), ...withoutBodies(bodies) },
      ...(required.length > 0 && { required }),
    },
  }
}

const BODIES: readonly ActivityBody['name'][] = ['body', 'branches', 'catch', 'finally']

function withoutBodies(bodies: readonly ActivityBody[]): JsonObject {
  const refused = BODIES.filter((name) => !bodies.some((body) => body.name === name))
  return Object.fromEntries(refused.map((name) => [name, false]))
}

const HOLDING_ONE: ReadonlySet<string> = new Set(['items', 'additionalProperties', 'contains'])
const HOLDING_NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties'])
const HOLDING_LIST: ReadonlySet<string> = new Set(['anyOf', 'allOf', 'oneOf', 'prefixItems'])
/** Formats that only we know; the description says them in words. */
const OWN_FORMATS: ReadonlySet<Json> = new Set([DURATION_FORMAT, INSTANT_FORMAT])

/** The inputs themselves are an object; what is in `instead` may stand for everything below. */
function withOthers(schema: JsonObject, instead: readonly Json[]): JsonObject {
  const or = (value: Json): Json => orOthers(value, instead)
  const members = Object.entries(schema).flatMap(([name, value]): [string, Json][] => {
    if (name === 'format' && OWN_FORMATS.has(value)) return []
    if (HOLDING_ONE.has(name)) return [[name, or(value)]]
    if (HOLDING_LIST.has(name)) return [[name, (value as readonly Json[]).map(or)]]
    if (!HOLDING_NAMED.has(name)) return [[name, value]]
    return [[name, Object.fromEntries(Object.entries(value as JsonObject).map(([key, each]) => [key, or(each)]))]]
  })
  return Object.fromEntries(members)
}

function orOthers(schema: Json, instead: readonly Json[]): Json {
  // `true` and `false`, and schemas that take anything, say it already.
  if (!isJsonObject(schema) || !Object.keys(schema).some((key) => !IN_WORDS.has(key))) return schema
  const { title, description, ...rest } = withOthers(schema, instead)
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: [...instead, rest],
  }
}

const IN_WORDS: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default', '$comment'])

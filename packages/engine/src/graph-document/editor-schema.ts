import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { ActivityBody, ActivityType } from '../activity/activity-type.ts'
import { DURATION_FORMAT, INSTANT_FORMAT } from '../activity/input-schema.ts'
import { graphDocumentSchema as documentSchema } from '../graph/document-schema.ts'

/**
 * JSON schema (2020-12) for editors, made from the schema that validates documents and from the activity types: it
 * knows the inputs of each type, and that an expression may stand for any of them. It refuses no valid document;
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

/** Choices with a title and a text each; editors show both. */
function typeSchema(types: readonly ActivityType[]): JsonObject {
  return { oneOf: types.map(({ type, title, description }) => ({ const: type, title, description })) }
}

function ruleOf({ type, inputs, bodies = [] }: ActivityType): JsonObject {
  const isRequired = ((inputs.required as readonly string[] | undefined) ?? []).length > 0
  const required = [
    ...(isRequired ? ['inputs'] : []),
    ...bodies.filter((each) => each.required).map(({ name }) => name),
  ]
  return {
    if: { properties: { type: { const: type } }, required: ['type'] },
    then: {
      properties: { inputs: withExpressions(inputs), ...withoutBodies(bodies) },
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

/** The inputs themselves are an object; an expression may stand for everything below. */
function withExpressions(schema: JsonObject): JsonObject {
  const members = Object.entries(schema).flatMap(([name, value]): [string, Json][] => {
    if (name === 'format' && OWN_FORMATS.has(value)) return []
    if (HOLDING_ONE.has(name)) return [[name, orExpression(value)]]
    if (HOLDING_LIST.has(name)) return [[name, (value as readonly Json[]).map(orExpression)]]
    if (!HOLDING_NAMED.has(name)) return [[name, value]]
    return [
      [name, Object.fromEntries(Object.entries(value as JsonObject).map(([key, each]) => [key, orExpression(each)]))],
    ]
  })
  return Object.fromEntries(members)
}

function orExpression(schema: Json): Json {
  // `true` and `false`, and schemas that take anything, say it already.
  if (!isJsonObject(schema) || !Object.keys(schema).some((key) => !IN_WORDS.has(key))) return schema
  const { title, description, ...rest } = withExpressions(schema)
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: [{ $ref: '#/$defs/expression' }, rest],
  }
}

const IN_WORDS: ReadonlySet<string> = new Set(['title', 'description', 'examples', 'default', '$comment'])

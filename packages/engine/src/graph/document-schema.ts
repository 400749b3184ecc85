import type { JsonObject } from '@lockstep/base'
import Type, { type TProperties, type TSchema } from 'typebox'
import { MOST_TAGS, TAG_PATTERN } from '../definition/tags.ts'
import { flowSchema } from '../flow/flow-schema.ts'

export const ACTIVITY_ID_PATTERN = '^[A-Za-z][A-Za-z0-9_-]{0,63}$'
export const DEFINITION_ID_PATTERN = '^[a-z0-9]+(?:-[a-z0-9]+)*$'
/** Expressions write `vars.name`, so no hyphen. */
export const VARIABLE_NAME_PATTERN = '^[A-Za-z][A-Za-z0-9_]{0,63}$'

const ref = (name: string): TSchema => Type.Unsafe({ $ref: `#/$defs/${name}` })
const oneOf = (values: readonly string[], description: string): TSchema =>
  Type.Unsafe({ type: 'string', enum: [...values], description })
const anything = (description: string): TSchema => Type.Unknown({ description })
const optional = Type.Optional

/** An object that refuses names it does not know, but for what designers keep beside the flow. */
function closed(properties: TProperties, description: string): TSchema {
  return Type.Object(
    {
      ...properties,
      layout: optional(anything('Positions, kept for the designer.')),
      notes: optional(anything('Kept for readers.')),
    },
    { additionalProperties: false, patternProperties: { '^x-': {} }, description },
  )
}

const duration = Type.Unsafe({
  type: ['string', 'number'],
  minimum: 0,
  description: '500ms, 30s, 5m, 2h, 7d, ISO 8601 such as PT15M, or a number of milliseconds.',
})

const retry = closed(
  {
    attempts: Type.Integer({ minimum: 1, maximum: 1_000, description: 'In all, the first one included.' }),
    backoff: optional(
      closed(
        {
          initial: optional(ref('duration')),
          factor: optional(Type.Number({ minimum: 1, maximum: 100, description: 'Growth per attempt; 2 by default.' })),
          max: optional(ref('duration')),
        },
        'How long to wait between attempts.',
      ),
    ),
    jitter: optional(
      Type.Unsafe({
        type: ['boolean', 'number'],
        minimum: 0,
        maximum: 1,
        description: 'Share of a delay drawn at random.',
      }),
    ),
    nonRetryable: optional(Type.Array(Type.String(), { description: 'Codes of failures that end the step at once.' })),
  },
  'Tries a failed step again.',
)

const key = Type.Unsafe({
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 200,
  properties: { $expr: { type: 'string', minLength: 1 } },
  required: ['$expr'],
  additionalProperties: false,
  description: 'A text of at most 200 characters, or { "$expr": "…" } that gives one.',
})

const lock = Type.Unsafe({
  type: ['string', 'object'],
  minLength: 1,
  maxLength: 200,
  properties: {
    $expr: { type: 'string', minLength: 1 },
    name: ref('key'),
    waitMs: { type: 'integer', minimum: 0, description: 'How long to wait for it; 600000 by default.' },
    ttlMs: { type: 'integer', minimum: 50, maximum: 86_400_000, description: 'How long it lives without renewal.' },
  },
  patternProperties: { '^x-': {} },
  additionalProperties: false,
  description: 'A lock of the whole cluster that is held while an attempt runs: its name, or { name, waitMs, ttlMs }.',
})

const limit = closed(
  {
    key: ref('key'),
    concurrency: optional(Type.Integer({ minimum: 1, maximum: 100_000, description: 'Attempts at once.' })),
    rate: optional(
      closed(
        {
          limit: Type.Integer({ minimum: 1, maximum: 100_000, description: 'Attempts in any period.' }),
          per: ref('duration'),
        },
        'Attempts that may begin within any period of this length.',
      ),
    ),
  },
  'Over all nodes and workflows: all steps with this key share it.',
)

const breaker = closed(
  {
    key: optional(ref('key')),
    failures: Type.Integer({ minimum: 1, maximum: 10_000, description: 'Failed attempts within the window.' }),
    window: ref('duration'),
    openFor: ref('duration'),
    halfOpen: optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'Good attempts before it closes; 1 by default.' }),
    ),
    whenOpen: optional(oneOf(['wait', 'fail'], 'wait (default), or fail with BREAKER_OPEN.')),
  },
  'Stops trying what fails, for a while.',
)

const activity = closed(
  {
    id: Type.String({
      pattern: ACTIVITY_ID_PATTERN,
      description: 'Unique in the document. Expressions read steps.<id>.',
    }),
    type: Type.String({ minLength: 1, description: 'Name of an activity type.' }),
    name: optional(Type.String({ maxLength: 200 })),
    description: optional(Type.String()),
    inputs: optional(
      Type.Object({}, { additionalProperties: true, description: 'Literals, or { "$expr": "…" } at any depth.' }),
    ),
    retry: optional(ref('retry')),
    timeout: optional(ref('duration')),
    lock: optional(ref('lock')),
    limit: optional(ref('limit')),
    breaker: optional(ref('breaker')),
    heartbeatTimeout: optional(ref('duration')),
    effect: optional(oneOf(['atLeastOnce', 'atMostOnce', 'transactional'], 'What a crash in the middle may mean.')),
    onError: optional(
      oneOf(['fault', 'continue', 'outcome'], 'fault (default), go on through done, or leave through failed.'),
    ),
    join: optional(oneOf(['all', 'any'], 'What several incoming connections mean; all by default.')),
    body: optional(ref('graph')),
    branches: optional(Type.Array(ref('graph'), { maxItems: 1_000 })),
    catch: optional(ref('graph')),
    finally: optional(ref('graph')),
    compensate: optional(ref('graph')),
  },
  'One step, or a container of steps.',
)

const connection = closed(
  {
    from: Type.String(),
    outcome: optional(Type.String({ minLength: 1, description: 'done by default.' })),
    to: Type.String(),
  },
  'Leads from an outcome of one activity to another activity of the same graph.',
)

const graph = {
  activities: Type.Array(ref('activity')),
  connections: optional(Type.Array(ref('connection'))),
}

const variable = closed(
  {
    type: optional(oneOf(['string', 'number', 'integer', 'boolean', 'object', 'array', 'any'], 'any by default.')),
    default: optional(anything('What it starts with; null by default.')),
    description: optional(Type.String()),
  },
  'A value that steps can change.',
)

const jsonSchema = (description: string): TSchema => Type.Unsafe({ type: ['object', 'boolean'], description })

const document = closed(
  {
    $schema: optional(Type.String()),
    id: Type.String({
      pattern: DEFINITION_ID_PATTERN,
      maxLength: 100,
      description: 'A slug, the same for every version.',
    }),
    name: optional(Type.String({ maxLength: 200 })),
    description: optional(Type.String()),
    tags: optional(
      Type.Array(
        Type.String({ pattern: TAG_PATTERN, description: '1 to 40 letters, digits and - _ . : /, such as eu.' }),
        { maxItems: MOST_TAGS, description: `What it is found and filtered by; at most ${MOST_TAGS}.` },
      ),
    ),
    input: optional(jsonSchema('JSON schema of the input.')),
    output: optional(jsonSchema('JSON schema of the output.')),
    variables: optional(
      Type.Unsafe({
        type: 'object',
        propertyNames: { pattern: VARIABLE_NAME_PATTERN },
        additionalProperties: { $ref: '#/$defs/variable' },
      }),
    ),
    flow: optional(Type.Unsafe(flowSchema)),
    ...graph,
  },
  'A workflow: activities joined by connections.',
)

/** JSON schema (2020-12) of a graph document: what validation checks first, and what editors can point `$schema` at. */
export const graphDocumentSchema: JsonObject = JSON.parse(
  JSON.stringify({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Lockstep graph document',
    ...document,
    $defs: {
      activity,
      connection,
      graph: closed(graph, 'A nested graph.'),
      variable,
      retry,
      duration,
      key,
      lock,
      limit,
      breaker,
    },
  }),
)

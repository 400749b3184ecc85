import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, choice, duration, inputSchema, text } from '../input-schema.ts'
import { outputSchema } from '../output-schema.ts'
import { CATEGORY } from './outside-step.ts'
import { secretReference } from './secret-input.ts'

export const DEFAULT_MAX_BYTES = 524_288
const MOST_BYTES = 1_000_000
/** `200`, or a family of them: `2xx`. */
const status = Type.Union([
  Type.Integer({ minimum: 100, maximum: 599 }),
  Type.String({ pattern: '^[1-5](xx|[0-9]{2})$' }),
])
const plain = Type.Union([Type.String(), Type.Number(), Type.Boolean()])

export const httpRequestActivity: ActivityType = {
  type: 'http-request',
  kind: 'action',
  runs: 'effect',
  title: 'HTTP request',
  description:
    'Sends a request and reads the answer. It has a header Idempotency-Key that stays the same when the step is repeated.',
  category: CATEGORY,
  icon: 'globe',
  inputs: inputSchema({
    method: Type.Optional(choice('GET by default.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])),
    url: Type.Union([Type.String({ minLength: 1, maxLength: 8_000 }), secretReference], {
      description: 'Where to: http or https. Private addresses are refused unless an operator allows them.',
    }),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([plain, secretReference]), {
        description: 'Texts, or names of secrets: { "secret": "billing-token", "prefix": "Bearer " }.',
      }),
    ),
    query: Type.Optional(
      Type.Record(Type.String(), Type.Union([plain, Type.Array(plain), Type.Null()]), {
        description: 'Added to the URL; a list repeats its name, null leaves it out.',
      }),
    ),
    body: Type.Optional(
      anything('A text is sent as it is, anything else as JSON, or as a form when the content type says so.'),
    ),
    timeout: Type.Optional(duration('For the whole exchange; 30s by default.')),
    expectedStatus: Type.Optional(
      Type.Union([status, Type.Array(status, { minItems: 1, maxItems: 50 })], {
        description: 'What counts as success, such as 200, "2xx" or [200, 404]; 2xx by default.',
      }),
    ),
    unexpectedStatus: Type.Optional(
      choice('fail (default), or leave through the outcome 3xx, 4xx or 5xx with the answer as output.', [
        'fail',
        'outcome',
      ]),
    ),
    maxBytes: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_BYTES, description: 'Longest answer; 524288 by default.' }),
    ),
    followRedirects: Type.Optional(
      Type.Boolean({
        description:
          'true by default, at most five. A body goes to its own origin alone, and https never becomes http.',
      }),
    ),
  }),
  output: outputSchema({
    status: Type.Integer(),
    headers: Type.Record(Type.String(), Type.Unknown(), { description: 'Names in lower case.' }),
    body: anything('JSON where the content type says so, else text; bytes as base64; null when there is none.'),
    encoding: choice('What "body" is.', ['json', 'text', 'base64', 'none']),
    url: text('Where the answer came from.'),
  }),
  outcomes: ['done', '3xx', '4xx', '5xx'],
}

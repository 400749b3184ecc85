import Type from 'typebox'
import { ENDPOINT_METHODS, MOST_BYTES } from '../../trigger/endpoint.ts'
import type { ActivityType } from '../activity-type.ts'
import { choice, duration, inputSchema, text } from '../input-schema.ts'

const MOST_HEADERS = 50

export const httpEndpointActivity: ActivityType = {
  type: 'http-endpoint',
  kind: 'trigger',
  title: 'HTTP endpoint',
  description:
    'Starts the workflow by a request to /workflows and its path. The input is { method, path, parameters, query, headers, body }. Requests with credentials reach the workflows of their own tenant, all others those of the default tenant.',
  inputs: inputSchema({
    path: text('Such as /orders/{id}: segments in braces are parameters.', { minLength: 1, maxLength: 500 }),
    methods: Type.Optional(
      Type.Array(choice('A method.', ENDPOINT_METHODS), {
        minItems: 1,
        uniqueItems: true,
        description: 'What it takes; POST by default.',
      }),
    ),
    mode: Type.Optional(
      choice('async (default): answers 202 when the start is durable. sync: waits for an http-response.', [
        'async',
        'sync',
      ]),
    ),
    auth: Type.Optional(
      choice(
        'public (default): anybody may send requests. required: only callers with credentials and the permission instances:start.',
        ['public', 'required'],
      ),
    ),
    timeout: Type.Optional(duration('How long a request waits in mode sync; 30s by default, 60s at most.')),
    maxBytes: Type.Optional(
      Type.Integer({ minimum: 0, maximum: MOST_BYTES, description: `Of the body; ${MOST_BYTES} by default.` }),
    ),
    headers: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z0-9-]{1,100}$' }), {
        maxItems: MOST_HEADERS,
        description:
          'Headers of the request that the workflow sees, besides content-type, accept and user-agent. The Idempotency-Key of a stranger counts for requests with the same values in them: one that changes with each attempt makes each of them a new start.',
      }),
    ),
    body: Type.Optional(
      Type.Unsafe({ type: ['object', 'boolean'], description: 'JSON schema of the body; anything by default.' }),
    ),
  }),
  literalInputs: ['path', 'methods', 'mode', 'auth', 'timeout', 'maxBytes', 'headers', 'body'],
  outcomes: ['done'],
}

import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema } from '../input-schema.ts'

export const httpResponseActivity: ActivityType = {
  type: 'http-response',
  kind: 'action',
  title: 'HTTP response',
  description:
    'Answers the request that started the workflow and still waits for it. Without one it does nothing; the first answer counts.',
  inputs: inputSchema({
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599, description: '200 by default.' })),
    body: Type.Optional(anything('Sent as JSON; text with a content-type of its own as it is.')),
    headers: Type.Optional(
      Type.Unsafe({
        type: 'object',
        maxProperties: 50,
        propertyNames: { pattern: '^[A-Za-z0-9-]{1,100}$' },
        additionalProperties: { type: 'string', maxLength: 4_000, pattern: '^[\\t\\x20-\\x7e]*$' },
        description:
          "Headers of the answer. Those of cookies, CORS and browser security (Set-Cookie, Access-Control-*, Content-Security-Policy and their like) are the server's own: they are refused when published, and dropped where an expression names them.",
      }),
    ),
  }),
  outcomes: ['done'],
}

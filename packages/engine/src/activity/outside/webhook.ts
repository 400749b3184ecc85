import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, duration, inputSchema, name, text } from '../input-schema.ts'
import { outputSchema } from '../output-schema.ts'
import { CATEGORY } from './outside-step.ts'
import { secretName, secretReference } from './secret-input.ts'

export const webhookActivity: ActivityType = {
  type: 'webhook',
  kind: 'action',
  runs: 'effect',
  title: 'Webhook',
  description:
    'Posts a signed message, in the form of the Standard Webhooks specification, to a receiver that can verify it.',
  category: CATEGORY,
  icon: 'webhook',
  inputs: inputSchema({
    url: Type.Union([Type.String({ minLength: 1, maxLength: 8_000 }), secretReference], {
      description: 'Of the receiver. Redirects are not followed.',
    }),
    event: name('What happened, such as order.paid; stands in the body as "type".'),
    payload: Type.Optional(anything('Stands in the body as "data".')),
    secret: secretName('Name of the secret to sign with: at least 16 random bytes, or whsec_ and base64.'),
    timeout: Type.Optional(duration('15s by default.')),
  }),
  literalInputs: ['secret'],
  output: outputSchema({ status: Type.Integer(), id: text('The header webhook-id, the same for each repetition.') }),
  outcomes: ['done'],
}

import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema, text } from '../input-schema.ts'
import { outputSchema } from '../output-schema.ts'
import { CATEGORY } from './outside-step.ts'

const one = Type.String({ minLength: 3, maxLength: 400 })
const address = (description: string) => text(description, { minLength: 3, maxLength: 400 })
const addresses = (description: string) => Type.Union([one, Type.Array(one, { maxItems: 100 })], { description })

export const sendEmailActivity: ActivityType = {
  type: 'send-email',
  kind: 'action',
  runs: 'effect',
  title: 'Send email',
  description: 'Hands a mail over to the mail server of the node. A repetition has the same Message-ID.',
  category: CATEGORY,
  icon: 'mail',
  inputs: inputSchema({
    to: addresses('One address or a list: ann@example.org, or Ann <ann@example.org>.'),
    cc: Type.Optional(addresses('Gets a copy.')),
    bcc: Type.Optional(addresses('Gets a copy that nobody else sees.')),
    from: Type.Optional(address('That of the node by default.')),
    replyTo: Type.Optional(address('Where answers go.')),
    subject: text('One line.', { maxLength: 500 }),
    text: Type.Optional(text('As plain text; this or html, or both.', { maxLength: 500_000 })),
    html: Type.Optional(text('As HTML.', { maxLength: 500_000 })),
    attachments: Type.Optional(
      Type.Array(
        Type.Object(
          {
            name: text('Name of the file.', { minLength: 1, maxLength: 200, pattern: '^[^/\\\\\\u0000-\\u001f]+$' }),
            text: Type.Optional(text('What is in it, as text; this or base64.')),
            base64: Type.Optional(text('What is in it, as base64.')),
            contentType: Type.Optional(
              text('Such as text/csv.', { pattern: '^[\\w.+-]+/[\\w.+-]+(; ?[\\w-]+=[\\w-]+)?$', maxLength: 200 }),
            ),
          },
          { additionalProperties: false },
        ),
        { maxItems: 10, description: 'Together at most 512 KiB.' },
      ),
    ),
  }),
  output: outputSchema({
    messageId: text('The header Message-ID.'),
    accepted: Type.Array(Type.String()),
    rejected: Type.Array(Type.String(), { description: 'Recipients whom the server refused.' }),
  }),
  outcomes: ['done'],
}

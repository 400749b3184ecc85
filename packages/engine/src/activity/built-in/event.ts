import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, text } from '../input-schema.ts'

const LONGEST_NAME = 512

export const eventActivity: ActivityType = {
  type: 'event',
  kind: 'trigger',
  title: 'Event',
  description:
    'Starts the workflow once per event of a name. The input is the payload of the event; the correlation id is that of the event.',
  inputs: inputSchema({
    event: text('Name of the event.', { minLength: 1, maxLength: LONGEST_NAME }),
    correlation: Type.Optional(
      text('Only events with this correlation id.', { minLength: 1, maxLength: LONGEST_NAME }),
    ),
    filter: Type.Optional(
      anything('An expression that must hold; it sees the payload as `input`, and `correlationId`.'),
    ),
  }),
  literalInputs: ['event', 'correlation'],
  outcomes: ['done'],
}

import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, name, text } from '../input-schema.ts'

export const publishEventActivity: ActivityType = {
  type: 'publish-event',
  kind: 'action',
  title: 'Publish event',
  description: 'Publishes an event to every workflow that waits for it.',
  inputs: inputSchema({
    event: name('Name of the event.'),
    correlationId: Type.Optional(text('Reaches only those who wait with this correlation id.')),
    payload: Type.Optional(anything('What the event carries.')),
  }),
  outcomes: ['done'],
}

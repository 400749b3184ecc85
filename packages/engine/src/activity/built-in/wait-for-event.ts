import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { duration, inputSchema, name, text } from '../input-schema.ts'

export const waitForEventActivity: ActivityType = {
  type: 'wait-for-event',
  kind: 'wait',
  title: 'Wait for event',
  description: 'Waits for an event or a resume. Its output is the payload.',
  inputs: inputSchema({
    event: name('Name of the event, and of the bookmark.'),
    correlationId: Type.Optional(text('Only events with this correlation id match.')),
    timeout: Type.Optional(duration('Leaves through the outcome timeout when nothing came in time.')),
  }),
  outcomes: ['done', 'timeout'],
}

import type { ActivityType } from '../activity-type.ts'
import { inputSchema, text } from '../input-schema.ts'

export const correlateActivity: ActivityType = {
  type: 'correlate',
  kind: 'control',
  title: 'Correlate',
  description:
    'Changes the correlation id of the instance from here on. What waits already goes on waiting with the old one.',
  inputs: inputSchema({
    correlationId: text('The new correlation id.', { minLength: 1, maxLength: 512, pattern: '^[^\\u0000]*$' }),
  }),
  outcomes: ['done'],
}

import type { ActivityType } from '../activity-type.ts'
import { inputSchema, instant } from '../input-schema.ts'

export const waitUntilActivity: ActivityType = {
  type: 'wait-until',
  kind: 'wait',
  title: 'Wait until',
  description: 'Waits for a point in time; goes on at once when it has passed.',
  inputs: inputSchema({ at: instant('ISO 8601 with a zone, such as 2030-01-31T09:00:00Z, or epoch milliseconds.') }),
  outcomes: ['done'],
}

import type { ActivityType } from '../activity-type.ts'
import { duration, inputSchema } from '../input-schema.ts'

export const delayActivity: ActivityType = {
  type: 'delay',
  kind: 'wait',
  title: 'Delay',
  description: 'Waits for a while. The wait survives restarts and costs nothing.',
  inputs: inputSchema({ duration: duration('How long, such as 30s, 2h or 7d.') }),
  outcomes: ['done'],
}

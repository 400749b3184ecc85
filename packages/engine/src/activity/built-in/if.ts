import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema } from '../input-schema.ts'

export const ifActivity: ActivityType = {
  type: 'if',
  kind: 'control',
  title: 'If',
  description: 'Goes one of two ways.',
  inputs: inputSchema({ condition: anything('Anything but false, null, 0 and "" counts as true.') }),
  outcomes: ['true', 'false'],
}

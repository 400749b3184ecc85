import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema } from '../input-schema.ts'

export const transformActivity: ActivityType = {
  type: 'transform',
  kind: 'control',
  title: 'Transform',
  description: 'Makes a value of others. Its output is the value.',
  inputs: inputSchema({ value: anything('An expression, or an object or list that holds some.') }),
  outcomes: ['done'],
}

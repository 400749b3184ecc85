import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, name } from '../input-schema.ts'

export const setOutputActivity: ActivityType = {
  type: 'set-output',
  kind: 'control',
  title: 'Set output',
  description: 'Gives a member of the output of the workflow its value.',
  inputs: inputSchema({ name: name('Name of the member.'), value: anything('Its value.') }),
  outcomes: ['done'],
}

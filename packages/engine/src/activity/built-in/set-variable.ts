import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, name } from '../input-schema.ts'

export const setVariableActivity: ActivityType = {
  type: 'set-variable',
  kind: 'control',
  title: 'Set variable',
  description: 'Gives a variable of the workflow a new value.',
  inputs: inputSchema({ name: name('A variable that the workflow declares.'), value: anything('Its new value.') }),
  outcomes: ['done'],
}

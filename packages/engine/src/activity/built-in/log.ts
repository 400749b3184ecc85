import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, choice, inputSchema } from '../input-schema.ts'

export const logActivity: ActivityType = {
  type: 'log',
  kind: 'action',
  title: 'Log',
  description: 'Writes a line to the log of the node and of the instance.',
  inputs: inputSchema({
    message: anything('Text, or any value, which is then written as JSON.'),
    level: Type.Optional(choice('How serious it is; info by default.', ['debug', 'info', 'warn', 'error'])),
  }),
  outcomes: ['done'],
}

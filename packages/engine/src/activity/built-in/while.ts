import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema } from '../input-schema.ts'

export const whileActivity: ActivityType = {
  type: 'while',
  kind: 'container',
  title: 'While',
  description:
    'Runs its body as long as the condition holds, which is looked at before each turn. Condition and body see the number of the ' +
    'turn, from 0, as `index`, and the results of the turn before in `steps`. Its output is { count }.',
  inputs: inputSchema({
    condition: anything('Anything but false, null, 0 and "" counts as true.'),
    maxTurns: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description: 'Fails when it would take more turns than this.',
      }),
    ),
  }),
  outcomes: ['done'],
  container: 'while',
  bodies: [{ name: 'body', required: true }],
}

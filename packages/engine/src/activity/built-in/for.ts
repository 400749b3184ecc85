import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema } from '../input-schema.ts'
import { sideBySide } from './for-each.ts'

export const forActivity: ActivityType = {
  type: 'for',
  kind: 'container',
  title: 'For',
  description:
    'Runs its body once per number, which the body sees as `item`; `index` counts the turns from 0. Its output is { count }.',
  inputs: inputSchema({
    start: Type.Optional(Type.Number({ description: 'The first number; 0 by default.' })),
    end: Type.Number({ description: 'The last number.' }),
    step: Type.Optional(
      Type.Number({ description: 'From one number to the next; 1 by default, negative to count down.' }),
    ),
    inclusive: Type.Optional(Type.Boolean({ description: 'false: "end" itself is left out.' })),
    ...sideBySide,
  }),
  outcomes: ['done'],
  container: 'for',
  bodies: [{ name: 'body', required: true }],
}

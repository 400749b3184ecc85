import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, choice, inputSchema, name } from '../input-schema.ts'

const switchCase = Type.Object(
  {
    outcome: name('Where it leads when it fits. A literal, so that connections can be checked.'),
    condition: Type.Optional(anything('Fits when it is anything but false, null, 0 and "".')),
    equals: Type.Optional(anything('Fits when it is the same as "value".')),
  },
  { additionalProperties: false, oneOf: [{ required: ['condition'] }, { required: ['equals'] }] },
)

export const switchActivity: ActivityType = {
  type: 'switch',
  kind: 'control',
  title: 'Switch',
  description:
    'Goes the way of the first case that fits, or through `default`. Cases are looked at in order: what comes after the one that ' +
    'fits is not evaluated.',
  inputs: inputSchema({
    value: Type.Optional(anything('What the cases with "equals" are compared with.')),
    cases: Type.Array(switchCase, {
      minItems: 1,
      maxItems: 1_000,
      description: 'In the order in which they are tried.',
    }),
    mode: Type.Optional(choice('first (default), or all: leaves through every case that fits.', ['first', 'all'])),
  }),
  outcomes: ['default'],
  outcomesFrom: 'cases',
}

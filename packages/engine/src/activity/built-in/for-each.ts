import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema, name } from '../input-schema.ts'

/** What loops have that know their turns beforehand. */
export const sideBySide = {
  concurrency: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 10_000, description: 'Turns side by side; one by default.' }),
  ),
  collect: Type.Optional(name('Id of an activity of the body: its outputs become `results` of the output, in order.')),
}

export const forEachActivity: ActivityType = {
  type: 'for-each',
  kind: 'container',
  title: 'For each',
  description:
    'Runs its body once per item, which the body sees as `item` and `index`. Its output is { count }, and { results } where it ' +
    'collects them.',
  inputs: inputSchema({
    items: Type.Array(Type.Unknown(), { description: 'What to go through.' }),
    ...sideBySide,
  }),
  outcomes: ['done'],
  container: 'for-each',
  bodies: [{ name: 'body', required: true }],
}

import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema } from '../input-schema.ts'

export const forEachActivity: ActivityType = {
  type: 'for-each',
  kind: 'container',
  title: 'For each',
  description: 'Runs its body once per item, which the body sees as `item` and `index`. Its output is { count }.',
  inputs: inputSchema({
    items: Type.Array(Type.Unknown(), { description: 'What to go through.' }),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'Turns side by side; one by default.' }),
    ),
  }),
  outcomes: ['done'],
  container: 'for-each',
  bodies: [{ name: 'body', required: true }],
}

import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { choice, inputSchema } from '../input-schema.ts'

export const parallelActivity: ActivityType = {
  type: 'parallel',
  kind: 'container',
  title: 'Parallel',
  description: 'Runs its branches side by side.',
  inputs: inputSchema({
    join: Type.Optional(
      choice('all (default): waits for every branch. any: the first finished branch cancels the others.', [
        'all',
        'any',
      ]),
    ),
  }),
  outcomes: ['done'],
  container: 'parallel',
  bodies: [{ name: 'branches', required: true }],
}

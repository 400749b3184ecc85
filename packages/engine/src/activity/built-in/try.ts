import type { ActivityType } from '../activity-type.ts'
import { inputSchema } from '../input-schema.ts'

export const tryActivity: ActivityType = {
  type: 'try',
  kind: 'container',
  title: 'Try',
  description:
    'Runs its body; when a step of it fails, the rest of the body is cancelled and `catch` runs with `error`. `finally` ' +
    'runs in both cases. Leaves through `caught` after a catch, or through `done` when nothing is connected to `caught`.',
  inputs: inputSchema({}),
  outcomes: ['done', 'caught'],
  container: 'try',
  bodies: [
    { name: 'body', required: true },
    { name: 'catch', required: false },
    { name: 'finally', required: false },
  ],
}

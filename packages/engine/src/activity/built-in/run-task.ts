import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, duration, inputSchema, name } from '../input-schema.ts'

export const runTaskActivity: ActivityType = {
  type: 'run-task',
  kind: 'wait',
  title: 'Run task',
  description:
    'Leaves the work to an outside worker that claims it by its name. Its output is what the worker answers. A worker that falls silent loses it to another.',
  inputs: inputSchema({
    task: name('What workers claim it by.'),
    payload: Type.Optional(anything('What the worker gets.')),
    queue: Type.Optional(name('Where workers look for it; default by default.')),
    timeout: Type.Optional(
      duration('For all of it. Then it leaves through timeout, or fails where that is not connected.'),
    ),
    lease: Type.Optional(duration('How long a claim lasts without a heartbeat; 30s by default.')),
    maxClaims: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000,
        description: 'Workers that may fall silent with it before it fails; 5 by default.',
      }),
    ),
  }),
  outcomes: ['done', 'timeout'],
}

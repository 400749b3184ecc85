import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { duration, inputSchema, name } from '../input-schema.ts'

export const criticalSectionActivity: ActivityType = {
  type: 'critical-section',
  kind: 'container',
  title: 'Critical section',
  description:
    'Runs its body while nobody else in the cluster holds the lock. The body reads the fence of the grant as `steps.<id>.output.fence`. ' +
    'Leaves through `timeout` when the lock did not become free in time, or fails with LOCK_TIMEOUT when nothing is connected there; ' +
    'fails with LEASE_LOST when the lock was lost before the body had ended. ' +
    'When its node is gone while the body waits, the lock is taken again before anything inside runs. Where the answer to that wait leaves nothing ' +
    'inside to run, the section ends without it: nothing is left to protect, so nobody who has the lock by then is waited for, and the fence stays ' +
    'that of the grant under which the body ran.',
  inputs: inputSchema({
    lock: name('Name of the lock.'),
    waitTimeout: Type.Optional(duration('How long to wait for the lock; for ever by default.')),
    ttl: Type.Optional(
      duration('How long the lock lives without renewal: as long as others wait when this node dies.'),
    ),
  }),
  outcomes: ['done', 'timeout'],
  container: 'critical-section',
  bodies: [{ name: 'body', required: true }],
}

import type { Logger } from '@lockstep/base'
import { errorMessage } from '@lockstep/base'
import type { LeaseObserver } from '@lockstep/coordination'

/** Tells what becomes of locks. That one is held by somebody else is news; that one was had and given back is for those who look closely. */
export function logLeases(logger: Logger): LeaseObserver {
  return (event) => {
    const { name: lock, kind } = event
    switch (event.type) {
      case 'granted':
        return logger.debug('lock acquired', {
          ...{ code: 'LOCK_ACQUIRED', lock, kind, fence: event.fence.toString() },
          waitedMs: Math.round(event.waitedMs),
        })
      case 'released':
        return logger.debug('lock released', { code: 'LOCK_RELEASED', lock, kind, heldMs: Math.round(event.heldMs) })
      case 'refused':
        return logger.info('lock busy', { code: 'LOCK_BUSY', lock, kind, holder: event.holder?.node })
      case 'timed-out':
        return logger.info('lock busy', {
          code: 'LOCK_BUSY',
          lock,
          kind,
          holder: event.holder?.node,
          waitedMs: Math.round(event.waitedMs),
        })
      case 'failed':
        return logger.debug('lock not acquired', { code: 'LOCK_FAILED', lock, kind, reason: errorMessage(event.error) })
    }
  }
}

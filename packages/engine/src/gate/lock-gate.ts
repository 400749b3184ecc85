import { type Clock, type Logger, Trouble, withTimeout } from '@lockstep/base'
import type { Coordinator } from '@lockstep/coordination'
import type { GateProvider } from './gate-provider.ts'

export interface LockGateOptions {
  readonly locks: () => Pick<Coordinator, 'mutex'>
  readonly clock: Clock
  readonly logger: Logger
  /** How long somebody who entered and died keeps the others out. @default 2_000 */
  readonly ttlMs?: number
  /** How long a caller waits for the lock store to say anything. @default 100 */
  readonly patienceMs?: number
  /** How long the lock store is not asked after it said nothing. @default 1_000 */
  readonly restMs?: number
}

/** A gate of short leases. A lock store that is away or slow costs a caller `patienceMs` once in a while, and nothing else. */
export function lockGate(options: LockGateOptions): GateProvider {
  const { locks, clock, logger, ttlMs = 2_000, patienceMs = 100, restMs = 1_000 } = options
  let askAgainAt = Number.NEGATIVE_INFINITY
  /** Told once, not by everybody who finds it so. */
  const trouble = new Trouble(logger, 'the gate stands open: the lock store says nothing', 'the gate is kept again')
  return {
    async tryEnter(name) {
      if (clock.monotonic() < askAgainAt) return 'open'
      const asked = Promise.resolve().then(() => locks().mutex(name, { ttlMs }).tryAcquire())
      try {
        const lease = await withTimeout(clock, patienceMs, 'the gate', asked)
        trouble.over()
        if (!lease.ok) return 'busy'
        return { leave: () => void lease.release().catch(() => undefined) } // its time to live ends it
      } catch (error) {
        askAgainAt = clock.monotonic() + restMs
        trouble.failed(error)
        asked.then(
          (late) => (late.ok ? late.release().catch(() => undefined) : undefined),
          () => undefined,
        )
        return 'open'
      }
    },
  }
}

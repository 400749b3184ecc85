import { errorMessage, type Logger } from '@lockstep/base'
import type { Lease } from '@lockstep/coordination'
import type { BreakerPolicy } from '../step/step-policies.ts'
import type { BreakerName } from '../store/breaker-store.ts'
import type { PermitName } from '../store/limit-store.ts'
import type { Breakers } from './breakers.ts'
import type { Permits } from './permits.ts'

/** How an attempt ended. `untried`: its code never ran, so it says nothing about whatever a breaker protects. */
export type AttemptEnd = 'completed' | 'failed' | 'untried'

/** All that an attempt holds while it runs. */
export interface Passed {
  readonly kind: 'passed'
  readonly permits: PermitName[]
  lease: Lease | undefined
  /** Without a generation: its time is over, and this attempt may be the probe. */
  breaker:
    | { readonly name: BreakerName; readonly policy: BreakerPolicy; readonly generation?: number | undefined }
    | undefined
  /** Generation of the probe that this attempt is. */
  probe: number | undefined
  /** This permit goes back into the line when all is left. */
  putBack(name: PermitName): void
  /** Gives all of it back. The first call counts. `why`: what failed, without secrets, for whoever looks at the breaker. */
  leave(end: AttemptEnd, why?: () => string): void
}

export function passedGate({
  permits,
  breakers,
  logger,
}: {
  readonly permits: Permits
  readonly breakers: Breakers
  readonly logger: Logger
}): Passed {
  let left = false
  let back: PermitName | undefined
  const passed: Passed = {
    kind: 'passed',
    permits: [],
    lease: undefined,
    breaker: undefined,
    probe: undefined,
    putBack: (name) => {
      back = name
    },
    leave: (end, why) => {
      if (left) return
      left = true
      const { lease, breaker, probe } = passed
      const giveBack = (): void => {
        for (const name of passed.permits) permits.end(name, name === back)
      }
      if (lease === undefined) giveBack()
      else {
        // The next of the line asks for the lease as soon as it is let in.
        lease
          .release()
          .catch((error: unknown) =>
            logger.warn('lock not released', { name: lease.name, reason: errorMessage(error) }),
          )
          .finally(giveBack)
      }
      if (breaker === undefined) return
      if (probe !== undefined) breakers.probed(breaker.name, probe, end === 'completed', why)
      else if (end !== 'untried' && breaker.generation !== undefined)
        breakers.ended(breaker.name, breaker.policy, breaker.generation, end === 'failed', why)
    },
  }
  return passed
}

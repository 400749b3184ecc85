import { InvalidOption } from '@lockstep/base'
import type { LeaseKit } from '../lease/lease-kit.ts'
import { checkLeaseName } from '../lease/lease-name.ts'
import { ENDS_BY_ITSELF } from '../monitor/find-stale.ts'
import type { Guards } from './guards.ts'
import { runSingleton } from './run-singleton.ts'

export function createGuards(kit: LeaseKit): Guards {
  return {
    singleton: (name, work, options) => runSingleton(kit, name, work, options),

    tryOnce: async (key, periodMs) => {
      checkLeaseName(key)
      if (!(periodMs >= 50 && periodMs <= 86_400_000))
        throw new InvalidOption({ option: 'periodMs', rule: 'between 50 ms and a day', value: periodMs })
      const got = await kit
        .mutex(`once:${key}`)
        .tryAcquire({ ttlMs: Math.ceil(periodMs), renew: false, meta: ENDS_BY_ITSELF })
      // Nobody here is to release it, least of all `close()`: the store ends it with the period.
      if (got.ok) got.detach()
      return got.ok
    },

    executeWithLock: (name, work, options) => kit.mutex(name).runIfFree(work, options),
  }
}

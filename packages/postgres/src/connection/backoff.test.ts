import { seededRandom } from '@lockstep/base'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoffMs } from './backoff.ts'

it('waits longer after each failure, never for long, never twice the same', () => {
  fc.assert(
    fc.property(fc.nat({ max: 1_000 }), fc.integer(), (failureCount, seed) => {
      const delayMs = backoffMs(failureCount, seededRandom(seed))
      expect(delayMs).toBeGreaterThanOrEqual(Math.min(1_000, 12.5 * 2 ** failureCount))
      expect(delayMs).toBeLessThanOrEqual(2_000)
    }),
  )
})

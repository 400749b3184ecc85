import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { storeChecks } from './store-checks.ts'

describe('a store that does not answer', () => {
  it('is a check that failed, with what to do, and nothing is said of nodes', async () => {
    const checks = await storeChecks(() => Promise.reject(new Error('connect ECONNREFUSED')), 3_000, virtualClock())
    expect(checks).toEqual([
      {
        ...{ check: 'store', level: 'error', finding: expect.stringContaining('ECONNREFUSED') },
        fix: expect.stringContaining('LOCKSTEP_DATABASE_URL'),
      },
    ])
  })

  it('is away too when it only hangs', async () => {
    const clock = virtualClock()
    const asked = storeChecks(() => new Promise(() => {}), 3_000, clock)
    await clock.advance(5_000)
    expect(await asked).toMatchObject([{ check: 'store', level: 'error' }])
  })

  it('is said to answer when it does, before its nodes', async () => {
    const checks = await storeChecks(async () => [], 3_000, virtualClock())
    expect(checks.map(({ check }) => check)).toEqual(['store', 'nodes', 'work', 'clock-skew', 'versions'])
  })
})

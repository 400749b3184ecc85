import { describe, expect, it } from 'vitest'
import { done, effect, oneEngine } from '../worker/graph/simulated-engine.fixture.ts'

describe('a rate', () => {
  it('lets so many attempts begin within any period, in virtual time, and wastes none of it', async () => {
    const begun: number[] = []
    const t = await oneEngine(
      {
        id: 'calls',
        activities: [{ id: 'call', type: 'call', limit: { key: 'api', rate: { limit: 3, per: '10s' } } }],
      },
      [
        effect('call', () => {
          begun.push(t.sim.clock.monotonic())
          return done()
        }),
      ],
    )
    const ids: string[] = []
    for (let n = 0; n < 12; n += 1) ids.push(await t.start(t.only, 'calls'))
    for (const id of ids) expect(await t.end(t.only, id, 200_000)).toMatchObject({ status: 'completed' })
    expect(begun).toHaveLength(12)
    // A permit is given by the store a few milliseconds before the attempt begins.
    const gaps = begun.slice(3).map((at, index) => at - begun[index]!)
    expect(Math.min(...gaps)).toBeGreaterThan(9_900)
    expect(begun[11]! - begun[0]!).toBeLessThan(40_000)
  })
})

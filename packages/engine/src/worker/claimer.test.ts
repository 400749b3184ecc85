import { silentLogger } from '@lockstep/base'
import { virtualClock } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import type { Claim, ClaimRequest } from '../store/agenda-store.ts'
import type { NodeRole } from '../store/membership-store.ts'
import { Claimer, type ClaimerOptions } from './claimer.ts'
import { done, effect, SimulatedEngines } from './graph/simulated-engine.fixture.ts'

/** A claimer on an agenda that has so many due. */
function claimer(more: Partial<ClaimerOptions> = {}) {
  const clock = virtualClock()
  const asked: { readonly at: number; readonly limit: number }[] = []
  const site = { clock, asked, due: 0 }
  const claim = async ({ limit }: ClaimRequest): Promise<readonly Claim[]> => {
    asked.push({ at: Math.round(clock.monotonic()), limit })
    const count = Math.min(limit, site.due)
    site.due -= count
    return Array.from({ length: count }, () => ({ dueInMs: 0 }) as Claim)
  }
  const options: ClaimerOptions = {
    ...{ nodeId: 'n', clock, logger: silentLogger, aheadMs: 4_500, idlePollMs: 4_000 },
    ...{ queues: () => ['default'], room: () => 1_000, newRoom: () => 1_000, roomElsewhere: () => 0 },
    ...{ isKnown: () => true, onLook: () => {}, takeOver: async () => {} },
    agenda: { claim, claims: async () => [] },
  }
  return Object.assign(site, { claimer: new Claimer({ ...options, ...more }) })
}

describe('the poll', () => {
  it('is slow where nothing is found: one look in four seconds', async () => {
    const site = claimer()
    site.claimer.wake()
    await site.clock.advance(60_000)
    expect(site.asked.length).toBeLessThanOrEqual(16)
  })

  it('is quick after something was found, and slows down again', async () => {
    const site = claimer()
    site.claimer.wake()
    await site.clock.advance(4_000)
    const before = site.asked.length
    site.due = 1
    site.claimer.wake()
    await site.clock.advance(20_000)
    const pauses = site.asked.slice(before).map(({ at }, index, all) => (index === 0 ? 0 : at - all[index - 1]!.at))
    expect(pauses.slice(1, 7)).toEqual([150, 300, 600, 1_200, 2_400, 4_000])
    site.claimer.stop()
  })
})

describe('a crowd', () => {
  it('is taken whole where nobody else has room, and by its part where others do', async () => {
    const alone = claimer()
    const one = claimer({ room: () => 100, roomElsewhere: () => 300 })
    const full = claimer({ room: () => 5, roomElsewhere: () => 0 })
    const crowded = claimer({ room: () => 10, roomElsewhere: () => 10_000 })
    for (const each of [alone, one, full, crowded]) {
      each.claimer.wake()
      await each.clock.advance(1)
      each.claimer.stop()
    }
    expect([alone, one, full, crowded].map(({ asked }) => asked[0]!.limit)).toEqual([200, 50, 5, 10])
  })

  it('spreads over three nodes by their capacity', async () => {
    const engines = new SimulatedEngines()
    const ran = new Map<string, number>()
    const boot = (name: string, concurrency: number, roles: readonly NodeRole[] = ['worker']): Promise<Engine> => {
      const act = effect('act', async () => {
        ran.set(name, (ran.get(name) ?? 0) + 1)
        return done()
      })
      return engines.boot(name, [act], { concurrency, roles })
    }
    const front = await boot('front', 1_000, ['api'])
    await boot('a', 1_000)
    await boot('b', 1_000)
    await boot('c', 2_000)
    await engines.publish(front, { id: 'one', activities: [{ id: 'act', type: 'act' }] })
    await engines.sim.run(2_000)
    const crowd = Array.from({ length: 400 }, () => ({ definitionId: 'one', input: null }))
    await engines.drive(front.startMany(crowd))
    const total = (): number => [...ran.values()].reduce((sum, each) => sum + each, 0)
    expect(await engines.sim.runUntil(() => total() === crowd.length, 60_000)).toBe(true)
    // By their capacity that would be 100, 100 and 200.
    for (const [name, least] of Object.entries({ a: 40, b: 40, c: 80 }))
      expect(ran.get(name), name).toBeGreaterThan(least)
    expect(ran.get('c')).toBeLessThan(320)
  })
})

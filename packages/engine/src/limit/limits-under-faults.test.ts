/**
 * Several engines whose steps share a limit, and everything that can go wrong: connections that break, answers that are lost, processes that
 * die. At no moment are more attempts inside than the limit allows; in the end all are through, and no permit is left.
 */
import { type Json, type JsonObject, seededRandom } from '@lockstep/base'
import { calmWeather, roughWeather } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'
import type { CustomActivity } from '../activity/activity-handler.ts'
import type { Engine } from '../engine.ts'
import { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

const SEEDS = 15
const NODES = ['a', 'b', 'c']
const LIMIT = 2

const limited = { key: 'api', concurrency: LIMIT }
const document: JsonObject & { readonly id: string } = {
  id: 'graph',
  activities: [
    {
      id: 'all',
      type: 'parallel',
      branches: [
        { activities: [{ id: 'one', type: 'call', limit: limited }] },
        { activities: [{ id: 'two', type: 'call', limit: limited, effect: 'atLeastOnce' }] },
        {
          activities: [
            {
              id: 'race',
              type: 'parallel',
              inputs: { join: 'any' },
              branches: [
                { activities: [{ id: 'three', type: 'call', limit: limited }] },
                { activities: [{ id: 'nap', type: 'delay', inputs: { duration: '150ms' } }] },
              ],
            },
          ],
        },
      ],
    },
  ],
}

class Campaign {
  readonly engines: SimulatedEngines
  readonly inside = new Map<string, string>()
  readonly living = new Map<string, Engine>()
  most = 0
  #attempts = 0

  constructor(seed: number) {
    this.engines = new SimulatedEngines(seed)
  }

  async boot(name: string): Promise<void> {
    this.living.set(name, await this.engines.boot(name, [this.#call(name)], { warmLimit: 3 }))
  }

  async crash(name: string): Promise<void> {
    this.engines.sim.crash(name)
    for (const [attempt, node] of this.inside) if (node === name) this.inside.delete(attempt)
    await this.boot(name)
  }

  #call(name: string): CustomActivity {
    return effect('call', async () => {
      const attempt = String(++this.#attempts)
      this.inside.set(attempt, name)
      this.most = Math.max(this.most, this.inside.size)
      await new Promise<void>((resolve) => this.engines.sim.clock.view().schedule(60, resolve))
      this.inside.delete(attempt)
      return done(attempt as Json)
    })
  }
}

async function campaign(seed: number): Promise<number> {
  const random = seededRandom(seed)
  const it = new Campaign(seed)
  const { sim } = it.engines
  for (const name of NODES) await it.boot(name)
  await it.engines.publish(it.living.get('a')!, document)
  sim.store.useFaults({ ...roughWeather, late: 0.01 })
  for (let turn = 0; turn < 25; turn += 1) {
    const name = NODES[Math.floor(random.next() * NODES.length)]!
    if (random.next() < 0.8)
      it.living
        .get(name)!
        .start({ definitionId: 'graph' })
        .catch(() => undefined)
    else {
      sim.store.useFaults(calmWeather)
      await it.crash(name)
      sim.store.useFaults({ ...roughWeather, late: 0.01 })
    }
    await sim.run(random.next() * 300)
  }
  sim.store.useFaults(calmWeather)
  const tables = sim.store.inspect()
  const open = (): string[] =>
    [...tables.instances.values()]
      .filter(({ finishedAt, status }) => finishedAt === undefined && status !== 'quarantined')
      .map(({ id, status }) => `${id} ${status} ${it.engines.facts(id).join(', ')}`)
  await sim.runUntil(() => open().length === 0, 300_000)
  expect({ seed, open: open() }).toEqual({ seed, open: [] })
  expect(it.most, `seed ${seed}`).toBeLessThanOrEqual(LIMIT)
  await sim.run(20_000)
  const engine = it.living.get('a')!
  expect(await it.engines.drive(engine.limits.get('api'))).toMatchObject({ running: 0 })
  return it.most
}

it(`a limit holds at every moment, ${SEEDS} seeds`, async () => {
  const most: number[] = []
  for (let seed = 1; seed <= SEEDS; seed += 1) most.push(await campaign(seed))
  expect(Math.max(...most)).toBe(LIMIT)
}, 240_000)

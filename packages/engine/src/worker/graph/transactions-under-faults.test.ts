/**
 * Several engines, graphs with transactional steps in parallel branches, and everything that can go wrong: connections that break, answers
 * that are lost, processes that die or stand still. In the end the user's table has one row for each completed step, and no other.
 */
import { type JsonObject, seededRandom } from '@lockstep/base'
import { calmWeather, roughWeather } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'
import type { Engine } from '../../engine.ts'
import { done, effect, SimulatedEngines, transactional } from './simulated-engine.fixture.ts'

const SEEDS = 25
const NODES = ['a', 'b', 'c']

const document: JsonObject & { readonly id: string } = {
  id: 'graph',
  activities: [
    {
      id: 'all',
      type: 'parallel',
      branches: [
        {
          activities: [
            { id: 'first', type: 'book' },
            { id: 'nap', type: 'delay', inputs: { duration: '400ms' } },
            { id: 'second', type: 'book', retry: { attempts: 4, backoff: { initial: '50ms' } } },
          ],
          connections: [
            { from: 'first', to: 'nap' },
            { from: 'nap', to: 'second' },
          ],
        },
        {
          activities: [
            { id: 'note', type: 'note' },
            { id: 'third', type: 'book' },
          ],
          connections: [{ from: 'note', to: 'third' }],
        },
        {
          activities: [
            {
              id: 'race',
              type: 'parallel',
              inputs: { join: 'any' },
              branches: [
                { activities: [{ id: 'fourth', type: 'book', onError: 'continue' }] },
                { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go', timeout: '300ms' } }] },
              ],
            },
          ],
        },
      ],
    },
    { id: 'last', type: 'book' },
  ],
  connections: [{ from: 'all', to: 'last' }],
}

async function campaign(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const engines = new SimulatedEngines(seed)
  const { sim } = engines
  const book = transactional('book', async (_, { tx, step, instanceId, attempt }) => {
    await tx.query('insert', [instanceId, step])
    if (attempt === 1 && (step.endsWith('second') || random.next() < 0.05)) throw new Error('not today')
    return done()
  })
  const activities = [book, effect('note', () => done())]
  const living = new Map<string, Engine>()
  const boot = async (name: string): Promise<void> => {
    living.set(name, await engines.boot(name, activities, { warmLimit: 3 }))
  }
  for (const name of NODES) await boot(name)
  await engines.publish(living.get('a')!, document)
  const started: string[] = []
  sim.store.useFaults({ ...roughWeather, late: 0.01 })
  for (let turn = 0; turn < 30; turn += 1) {
    const name = NODES[Math.floor(random.next() * NODES.length)]!
    const draw = random.next()
    if (draw < 0.6)
      living
        .get(name)!
        .start({ definitionId: 'graph' })
        .then(
          ({ instanceId }) => started.push(instanceId),
          () => undefined,
        )
    else if (draw < 0.75) {
      sim.crash(name)
      sim.store.useFaults(calmWeather)
      await boot(name)
      sim.store.useFaults({ ...roughWeather, late: 0.01 })
    } else if (draw < 0.9) {
      sim.pause(name)
      await sim.run(random.next() * 1_500)
      sim.resume(name)
    }
    await sim.run(random.next() * 300)
  }
  sim.store.useFaults(calmWeather)
  const tables = sim.store.inspect()
  const open = (): string[] =>
    [...tables.instances.values()]
      .filter(({ finishedAt, status }) => finishedAt === undefined && status !== 'quarantined')
      .map(({ id, status }) => `${id} ${status} ${engines.facts(id).join(', ')}`)
  await sim.runUntil(() => open().length === 0, 120_000)
  expect({ seed, open: open() }).toEqual({ seed, open: [] })
  const booked = engines.rows().map((row) => row.join(' '))
  const completed = [...tables.journal].flatMap(([id, rows]) =>
    rows
      .map((row) => ({ kind: row.kind, ...(JSON.parse(row.data) as { step?: string }) }))
      .filter(({ kind, step }) => kind === 'completed' && /(first|second|third|fourth|last)$/.test(step ?? ''))
      .map(({ step }) => `${id} ${step}`),
  )
  expect({ seed, booked: booked.sort() }).toEqual({ seed, booked: completed.sort() })
  expect(booked.length).toBeGreaterThan(started.length)
  const quarantined = [...tables.instances.values()].filter(({ status }) => status === 'quarantined')
  expect(quarantined.length).toBeLessThan(3)
  const put = new Set(quarantined.map(({ id }) => id))
  const violations = sim.check().filter(({ instanceId }) => instanceId === undefined || !put.has(instanceId))
  expect({ seed, violations }).toEqual({ seed, violations: [] })
}

it(`P4 P5: rows are completed steps, never more and never fewer, ${SEEDS} seeds`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) await campaign(seed)
}, 240_000)

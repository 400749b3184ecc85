/**
 * Loops of every kind on several engines, while processes die, stand still and lose their answers. Wherever a node takes over, in the middle of
 * a turn, between two turns, between a time-out and the break that follows, the outcome is the same and every turn happened once.
 */
import { type JsonObject, seededRandom } from '@lockstep/base'
import { calmWeather, roughWeather } from '@lockstep/testing/simulation'
import { expect, it } from 'vitest'
import type { Engine } from '../../engine.ts'
import { done, effect, SimulatedEngines } from './simulated-engine.fixture.ts'

const SEEDS = 12
const NODES = ['a', 'b', 'c']
const TURNS = 4

const expr = ($expr: string) => ({ $expr })
const out = (name: string, $expr: string) => ({ id: name, type: 'set-output', inputs: { name, value: expr($expr) } })
const line = (...ids: string[]) => ids.slice(1).map((to, n) => ({ from: ids[n]!, to }))

const document: JsonObject & { readonly id: string } = {
  id: 'loops',
  variables: { n: { type: 'number', default: 0 } },
  activities: [
    {
      id: 'while',
      type: 'while',
      inputs: { condition: expr(`vars.n < ${TURNS}`) },
      body: {
        activities: [
          { id: 'note', type: 'note' },
          { id: 'add', type: 'set-variable', inputs: { name: 'n', value: expr('vars.n + 1') } },
          { id: 'nap', type: 'delay', inputs: { duration: '150ms' } },
        ],
        connections: line('note', 'add', 'nap'),
      },
    },
    { id: 'move', type: 'correlate', inputs: { correlationId: expr('"c-" + vars.n') } },
    {
      id: 'race',
      type: 'for-each',
      inputs: { items: [0, 1, 2, 3, 4, 5], concurrency: 6 },
      body: {
        activities: [
          { id: 'wait', type: 'wait-for-event', inputs: { event: expr('"go-" + index'), timeout: '250ms' } },
          { id: 'which', type: 'switch', inputs: { value: expr('item'), cases: [{ outcome: 'stop', equals: 4 }] } },
          { id: 'leave', type: 'break' },
          { id: 'last', type: 'wait-for-event', inputs: { event: 'never' } },
        ],
        connections: [
          { from: 'wait', outcome: 'timeout', to: 'which' },
          { from: 'which', outcome: 'stop', to: 'leave' },
          { from: 'which', outcome: 'default', to: 'last' },
        ],
      },
    },
    {
      id: 'for',
      type: 'for',
      inputs: { start: 3, end: 1, step: -1, collect: 'value' },
      body: {
        activities: [
          { id: 'even', type: 'if', inputs: { condition: expr('item === 2') } },
          { id: 'skip', type: 'continue' },
          { id: 'value', type: 'transform', inputs: { value: expr('item * 10') } },
        ],
        connections: [
          { from: 'even', outcome: 'true', to: 'skip' },
          { from: 'even', outcome: 'false', to: 'value' },
        ],
      },
    },
    out('turns', 'steps.while.output.count'),
    out('raced', 'steps.race.output'),
    out('counted', 'steps.for.output'),
    { id: 'end', type: 'finish', inputs: { output: { id: expr('correlationId') } } },
    { id: 'beside', type: 'wait-for-event', inputs: { event: 'never' } },
  ],
  connections: line('while', 'move', 'race', 'for', 'turns', 'raced', 'counted', 'end'),
}

const expected = {
  turns: TURNS,
  raced: { count: 6, broken: true },
  counted: { count: 3, results: [30, null, 10] },
  id: `c-${TURNS}`,
}

async function campaign(seed: number): Promise<void> {
  const random = seededRandom(seed)
  const engines = new SimulatedEngines(seed)
  const { sim } = engines
  const living = new Map<string, Engine>()
  const boot = async (name: string): Promise<void> => {
    living.set(name, await engines.boot(name, [effect('note', () => done())], { warmLimit: 3 }))
  }
  for (const name of NODES) await boot(name)
  await engines.publish(living.get('a')!, document)
  sim.store.useFaults({ ...roughWeather, late: 0.01 })
  for (let turn = 0; turn < 25; turn += 1) {
    const name = NODES[Math.floor(random.next() * NODES.length)]!
    const draw = random.next()
    if (draw < 0.5)
      living
        .get(name)!
        .start({ definitionId: 'loops' })
        .catch(() => undefined)
    else if (draw < 0.7) {
      sim.crash(name)
      sim.store.useFaults(calmWeather)
      await boot(name)
      sim.store.useFaults({ ...roughWeather, late: 0.01 })
    } else if (draw < 0.85) {
      sim.pause(name)
      await sim.run(random.next() * 1_500)
      sim.resume(name)
    }
    await sim.run(random.next() * 400)
  }
  sim.store.useFaults(calmWeather)
  const tables = sim.store.inspect()
  const instances = () => [...tables.instances.values()].filter(({ status }) => status !== 'quarantined')
  const open = () => instances().filter(({ finishedAt }) => finishedAt === undefined)
  await sim.runUntil(() => open().length === 0, 120_000)
  expect({ seed, open: open().map(({ id }) => engines.facts(id)) }).toEqual({ seed, open: [] })
  expect(instances().length).toBeGreaterThan(3)
  for (const { id, correlationId } of instances()) {
    const rows = tables.journal.get(id)!
    expect({ seed, end: JSON.parse(rows.at(-1)!.data) }).toMatchObject({ seed, end: { output: expected } })
    expect({ seed, correlationId }).toEqual({ seed, correlationId: `c-${TURNS}` })
    const notes = engines.facts(id).filter((fact) => fact.startsWith('completed while') && fact.includes('note'))
    expect(notes).toEqual(Array.from({ length: TURNS }, (_, n) => `completed while[${n}].note done`))
    expect([...tables.bookmarks.values()].filter((bookmark) => bookmark.instanceId === id)).toEqual([])
  }
  const put = new Set(
    [...tables.instances.values()].filter(({ status }) => status === 'quarantined').map(({ id }) => id),
  )
  const violations = sim.check().filter(({ instanceId }) => instanceId === undefined || !put.has(instanceId))
  expect({ seed, violations }).toEqual({ seed, violations: [] })
}

it(`loops come to the same end whoever dies on the way, ${SEEDS} seeds`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) await campaign(seed)
}, 240_000)

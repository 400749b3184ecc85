import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { SimulatedEngines } from './simulated-engine.fixture.ts'

type Document = JsonObject & { readonly id: string }

const wait = { id: 'ask', type: 'wait-for-event', inputs: { event: 'never' } }
const output = (name: string) => ({ id: `un-${name}`, type: 'set-output', inputs: { name: 'undone', value: name } })
/** Does something that can be undone, then waits for what never comes. */
const child: Document = {
  id: 'child',
  activities: [{ id: 'act', type: 'log', inputs: { message: 'x' }, compensate: { activities: [output('act')] } }, wait],
  connections: [{ from: 'act', to: 'ask' }],
}
const nap = { id: 'nap', type: 'delay', inputs: { duration: '50ms' } }
const kid = { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'child' } }
const kids = { id: 'kids', type: 'bulk-run', inputs: { definitionId: 'child', items: [1, 2, 3], concurrency: 2 } }
const race = (...branches: object[]) => ({ id: 'race', type: 'parallel', inputs: { join: 'any' }, branches })
const only = (activity: object) => ({ activities: [activity] })
const napThen = (activity: { readonly id: string }) => ({
  activities: [nap, activity],
  connections: [{ from: 'nap', to: activity.id }],
})

const fault = { id: 'boom', type: 'fault', inputs: { message: 'no' } }
const both = (...branches: object[]) => ({ id: 'both', type: 'parallel', branches })

const parents: Record<string, readonly object[]> = {
  'a race that another branch won': [race(only(kid), only(nap))],
  'a race against many of them': [race(only(kids), only(nap))],
  'a loop that was left': [
    {
      id: 'loop',
      type: 'for-each',
      inputs: { items: [1] },
      body: { activities: [kid, nap, { id: 'out', type: 'break' }], connections: [{ from: 'nap', to: 'out' }] },
    },
  ],
  'a container that took too long': [{ ...both(only(kid)), timeout: '50ms', onError: 'continue' }],
  'a step that took too long itself': [{ ...kid, timeout: '50ms', onError: 'continue' }],
  'a bulk run that took too long itself': [{ ...kids, timeout: '50ms', onError: 'continue' }],
  'a branch beside one that failed, where that is caught': [
    { id: 'guard', type: 'try', body: only(both(only(kid), napThen(fault))), catch: only({ ...nap, id: 'after' }) },
  ],
  'a workflow that finished elsewhere': [kid, nap, { id: 'end', type: 'finish' }],
}

const parentOf = (activities: readonly object[]): Document =>
  ({
    id: 'parent',
    activities,
    connections: activities.length > 1 ? [{ from: 'nap', to: 'end' }] : [],
  }) as unknown as Document

async function open(document: Document): Promise<SimulatedEngines> {
  const engines = new SimulatedEngines()
  const a = await engines.boot('a', [])
  await engines.publish(a, child)
  await engines.publish(a, document)
  return engines
}

const childrenIn = ({ sim }: SimulatedEngines) =>
  [...sim.store.inspect().instances.values()].filter(({ definitionId }) => definitionId === 'child')

describe('a child that nobody waits for any more', () => {
  it.each(Object.entries(parents))('is cancelled and undoes itself: %s', async (_, activities) => {
    const engines = await open(parentOf(activities))
    const id = await engines.start(engines.engine('a'), 'parent')
    expect(await engines.end(engines.engine('a'), id)).toMatchObject({ status: 'completed' })
    const isOver = () => childrenIn(engines).every(({ finishedAt }) => finishedAt !== undefined)
    expect(await engines.sim.runUntil(isOver, 10_000)).toBe(true)
    const children = childrenIn(engines)
    expect(children.map(({ status }) => status)).toEqual(
      JSON.stringify(activities).includes('kids') ? ['cancelled', 'cancelled'] : ['cancelled'],
    )
    for (const each of children) expect(engines.facts(each.id)).toContain('completed act:undo.un-act done')
  })

  it('goes on where nobody ever did', async () => {
    const alone = { ...kid, inputs: { ...kid.inputs, wait: false } }
    const engines = await open(
      parentOf([race(only(nap), { activities: [alone, wait], connections: [{ from: 'kid', to: 'ask' }] })]),
    )
    const id = await engines.start(engines.engine('a'), 'parent')
    expect(await engines.end(engines.engine('a'), id)).toMatchObject({ status: 'completed' })
    await engines.sim.run(5_000)
    expect(childrenIn(engines).map(({ status }) => status)).toEqual(['suspended'])
  })

  it('P1: is cancelled whenever its parent dies on the way, also where that ends as failed', async () => {
    const document: Document = {
      id: 'parent',
      activities: [race(only(kid), only(nap)), fault],
      connections: [{ from: 'race', to: 'boom' }],
    } as unknown as Document
    let lived = 0
    for (let atMs = 0; atMs <= 90; atMs += 2) {
      const engines = await open(document)
      const id = await engines.start(engines.engine('a'), 'parent')
      await engines.sim.run(atMs)
      engines.sim.crash('a')
      const b = await engines.boot('b', [])
      expect(await engines.end(b, id)).toMatchObject({ status: 'faulted' })
      const isOver = () => childrenIn(engines).every(({ finishedAt }) => finishedAt !== undefined)
      const found = { atMs, isOver: await engines.sim.runUntil(isOver, 10_000) }
      expect(found).toEqual({ atMs, isOver: true })
      lived += childrenIn(engines).length
    }
    expect(lived).toBeGreaterThan(10)
  })
})

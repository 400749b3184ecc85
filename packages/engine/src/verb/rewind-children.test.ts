import type { JsonObject } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { workflow } from '../function/workflow.ts'
import { chainOf, done, effect, SimulatedEngines } from './quarantine.fixture.ts'

/** Does something that can be undone, then waits for what never comes. */
const child: JsonObject & { readonly id: string } = {
  id: 'child',
  ...chainOf(
    {
      id: 'act',
      type: 'log',
      inputs: { message: 'x' },
      compensate: { activities: [{ id: 'un-act', type: 'log', inputs: { message: 'y' } }] },
    },
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
  ),
}
const nap = { id: 'nap', type: 'delay', inputs: { duration: '50ms' } }
const kid = { id: 'kid', type: 'run-workflow', inputs: { definitionId: 'child' } }
const kids = { id: 'kids', type: 'bulk-run', inputs: { definitionId: 'child', items: [1, 2, 3], concurrency: 2 } }
const beside = (activity: JsonObject): JsonObject => ({
  id: 'both',
  type: 'parallel',
  branches: [{ activities: [activity] }, chainOf(nap, { id: 'frail', type: 'frail' })],
})
const parentOf = (activity: JsonObject): JsonObject & { readonly id: string } => ({
  id: 'parent',
  ...chainOf({ id: 'first', type: 'log', inputs: { message: 'begin' } }, beside(activity)),
})
const program = workflow('function-parent', async (ctx) => {
  await ctx.step('first', () => 'begun')
  const frail = async (): Promise<void> => {
    await ctx.sleep('50ms')
    await ctx.step('frail', () => frailty.check())
  }
  await ctx.all([ctx.run('child', null), frail()])
})
const frailty = {
  isMended: false,
  check(): void {
    if (!this.isMended) throw Object.assign(new Error('not yet'), { code: 'FRAIL' })
  },
}
const frail = effect('frail', async () => {
  frailty.check()
  return done()
})

async function boot(engines: SimulatedEngines, name: string) {
  return engines.boot(name, [frail], { workflows: [program as never] })
}

/** A parent that has failed beside children that go on. */
async function failed(definitionId: string, activity: JsonObject = kid): Promise<[SimulatedEngines, string]> {
  frailty.isMended = false
  const engines = new SimulatedEngines()
  const a = await boot(engines, 'a')
  await engines.publish(a, child)
  await engines.publish(a, parentOf(activity))
  const id = await engines.start(a, definitionId)
  expect(await engines.end(a, id)).toMatchObject({ status: 'faulted' })
  frailty.isMended = true
  return [engines, id]
}

const childrenIn = ({ sim }: SimulatedEngines) =>
  [...sim.store.inspect().instances.values()].filter(({ definitionId }) => definitionId === 'child')
const openIn = (engines: SimulatedEngines) => childrenIn(engines).filter(({ finishedAt }) => finishedAt === undefined)

const cases = [
  ['a step of a graph', 'parent', 'first', kid, 1],
  ['a branch beside the step', 'parent', 'both[1].nap', kid, 1],
  ['many of them, of a graph', 'parent', 'both', kids, 2],
  ['a step of a function', 'function-parent', 'first', kid, 1],
] as const

describe('a retry from an earlier step', () => {
  it.each(cases)('cancels the children of what it forgets: %s', async (_, definitionId, step, activity, count) => {
    const [engines, id] = await failed(definitionId, activity)
    const a = engines.engine('a')
    const before = openIn(engines).map((each) => each.id)
    expect(before).toHaveLength(count)
    expect(await engines.drive(a.verbs.retry(id, { step }))).toEqual({ outcome: 'accepted' })
    await engines.sim.run(5_000)
    expect(childrenIn(engines).filter((each) => before.includes(each.id))).toMatchObject(
      before.map(() => ({ status: 'cancelled' })),
    )
    for (const each of before) expect(engines.facts(each)).toContain('completed act:undo.un-act done')
    expect(openIn(engines)).toHaveLength(count)
    for (let more = 0; more < 3; more += 1) {
      await engines.drive(a.publish({ name: 'go', ttlMs: 1 }))
      await engines.sim.run(1_000)
    }
    expect(await engines.end(a, id)).toMatchObject({ status: 'completed' })
    expect([openIn(engines), engines.sim.check()]).toEqual([[], []])
  })

  it.each([
    ['parent', 'both[1].frail', kid],
    ['parent', 'both[1].frail', kids],
    ['function-parent', 'frail', kid],
  ] as const)('keeps the children of what it does not forget: %s from %s', async (definitionId, step, activity) => {
    const [engines, id] = await failed(definitionId, activity)
    const a = engines.engine('a')
    const before = openIn(engines).map((each) => each.id)
    expect(await engines.drive(a.verbs.retry(id, { step }))).toEqual({ outcome: 'accepted' })
    await engines.sim.run(5_000)
    expect(openIn(engines).map((each) => each.id)).toEqual(before)
    for (let more = 0; more < 3; more += 1) {
      await engines.drive(a.publish({ name: 'go', ttlMs: 1 }))
      await engines.sim.run(1_000)
    }
    expect(await engines.end(a, id)).toMatchObject({ status: 'completed' })
  })

  it('starts another child where the one that it waited for then was cancelled since', async () => {
    frailty.isMended = false
    const engines = new SimulatedEngines()
    const a = await boot(engines, 'a')
    await engines.publish(a, child)
    const race = {
      id: 'race',
      type: 'parallel',
      inputs: { join: 'any' },
      branches: [{ activities: [kid] }, chainOf(nap, { ...nap, id: 'rest' })],
    }
    await engines.publish(a, { id: 'parent', ...chainOf(race, { id: 'frail', type: 'frail' }) })
    const id = await engines.start(a, 'parent')
    expect(await engines.end(a, id)).toMatchObject({ status: 'faulted' })
    frailty.isMended = true
    await engines.drive(a.verbs.retry(id, { step: 'race[1].rest' }))
    expect(await engines.end(a, id)).toMatchObject({ status: 'completed' })
    await engines.sim.run(5_000)
    expect(childrenIn(engines).map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  it('leaves children alone that nobody waited for', async () => {
    const [engines, id] = await failed('parent', { ...kid, inputs: { ...kid.inputs, wait: false } })
    await engines.drive(engines.engine('a').verbs.retry(id, { step: 'first' }))
    expect(await engines.end(engines.engine('a'), id)).toMatchObject({ status: 'completed' })
    await engines.sim.run(5_000)
    expect(openIn(engines)).toHaveLength(2)
  })

  it.each(['parent', 'function-parent'])(
    'P1: cancels them whenever the node dies on the way: %s',
    async (definitionId) => {
      for (let atMs = 0; atMs <= 60; atMs += 2) {
        const [engines, id] = await failed(definitionId)
        const [before] = openIn(engines)
        void engines
          .engine('a')
          .verbs.retry(id, { step: 'first' })
          .catch(() => undefined)
        await engines.sim.run(atMs)
        engines.sim.crash('a')
        const b = await boot(engines, 'b')
        await engines.sim.run(10_000)
        const wasAsked = engines.facts(id).some((fact) => fact.startsWith('rewound') || fact.startsWith('retried'))
        const { status } = engines.sim.store.inspect().instances.get(before!.id)!
        expect({ atMs, status }).toEqual({ atMs, status: wasAsked ? 'cancelled' : 'suspended' })
        expect((await engines.drive(b.doctor())).findings).toEqual([])
      }
    },
  )
})

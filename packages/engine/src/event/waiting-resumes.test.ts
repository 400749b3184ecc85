/** Resumes that come before their bookmark is there. */
import { type Deferred, deferred } from '@lockstep/base'
import { expect, it } from 'vitest'
import { Engine } from '../engine.ts'
import { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

const slow = {
  id: 'slow',
  activities: [
    { id: 'work', type: 'work' },
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
  ],
  connections: [{ from: 'work', to: 'ask' }],
}
const CALLERS = 100

class Site {
  readonly engines = new SimulatedEngines()
  readonly work: Deferred<void> = deferred()
  asked = 0

  async open(name: string): Promise<Engine> {
    const { store, ...node } = this.engines.sim.node(name)
    const counted = {
      ...store,
      stimuli: {
        ...store.stimuli,
        resume: (...how: Parameters<typeof store.stimuli.resume>) => {
          this.asked += 1
          return store.stimuli.resume(...how)
        },
      },
    }
    const work = effect('work', async () => {
      await this.work.promise
      return done()
    })
    return this.engines.drive(Engine.open({ ...node, store: counted, name, activities: [work] }))
  }

  async crowd(engine: Engine, instanceId: string): Promise<() => Promise<string[]>> {
    const outcomes = Promise.all(
      Array.from({ length: CALLERS }, () => engine.resume({ instanceId, bookmark: 'go', payload: null })),
    )
    await this.engines.sim.run(3_000)
    return () => this.engines.drive(outcomes)
  }
}

const oneOf = (outcomes: readonly string[]): string[] => [...new Set(outcomes)].sort()

it('a crowd that waits for an instance of another node asks seldom, and together; one of it resumes', async () => {
  const site = new Site()
  const [a, b] = [await site.open('a'), await site.open('b')]
  await site.engines.publish(b, slow)
  const id = await site.engines.start(b, 'slow')
  await site.engines.sim.run(100)
  const outcomes = await site.crowd(a, id)
  // Each asks for itself once; then they ask together, four times a second.
  expect(site.asked).toBeGreaterThan(CALLERS)
  expect(site.asked).toBeLessThan(CALLERS + 40)
  site.work.resolve()
  const all = await outcomes()
  expect(all.filter((each) => each === 'resumed')).toHaveLength(1)
  expect(oneOf(all)).toEqual(['already-resumed', 'resumed'])
})

it('whoever waits on the node that runs the instance is told when its bookmark is there', async () => {
  const site = new Site()
  const a = await site.open('a')
  await site.engines.publish(a, slow)
  const id = await site.engines.start(a, 'slow')
  const outcomes = await site.crowd(a, id)
  const before = site.asked
  const { clock } = site.engines.sim
  const since = clock.monotonic()
  site.work.resolve()
  await outcomes()
  expect(site.asked - before).toBeLessThan(3)
  expect(clock.monotonic() - since).toBeLessThan(100) // virtual: less than the pause that they were in
})

it('is told that it is in progress when the instance takes too long', async () => {
  const site = new Site()
  const a = await site.open('a')
  await site.engines.publish(a, slow)
  const id = await site.engines.start(a, 'slow')
  const outcomes = await site.crowd(a, id)
  expect(oneOf(await outcomes())).toEqual(['in-progress'])
})

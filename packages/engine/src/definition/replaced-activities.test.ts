import { expect, it } from 'vitest'
import type { CustomActivity } from '../activity/activity-handler.ts'
import { done, effect, SimulatedEngines, transactional } from '../worker/graph/simulated-engine.fixture.ts'

const document = {
  id: 'asks',
  activities: [
    { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } },
    { id: 'act', type: 'act', effect: 'atMostOnce' },
  ],
  connections: [{ from: 'ask', to: 'act' }],
}
const asEffect: CustomActivity = effect('act', async () => done())
const inTransaction: CustomActivity = transactional('act', async () => done())

it('activities that are loaded anew are used by versions that ran before, and by instances that rest in memory', async () => {
  const engines = new SimulatedEngines()
  const engine = await engines.boot('a', [asEffect])
  await engines.publish(engine, document)
  const begin = async (): Promise<string> => {
    const id = await engines.start(engine, 'asks')
    await engines.sim.run(1_000)
    return id
  }
  const goOn = async (id: string): Promise<string[]> => {
    expect(await engines.drive(engine.resume({ instanceId: id, bookmark: 'go' }))).toBe('resumed')
    expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
    return engines.facts(id)
  }
  const [before, rests] = [await begin(), await begin()]
  expect(await goOn(before)).toContain('attempting act')
  engine.replaceActivities([inTransaction])
  // Whatever commits together with its step need not be announced.
  for (const id of [rests, await begin()]) expect(await goOn(id)).not.toContain('attempting act')
})

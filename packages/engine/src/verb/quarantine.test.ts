import { expect, it } from 'vitest'
import { chainOf, done, effect, SimulatedEngines } from './quarantine.fixture.ts'

it('keeps what is sent to an instance that was put aside, and delivers it after a retry', async () => {
  const engines = new SimulatedEngines(3)
  const { sim } = engines
  let isPoison = true
  let deaths = 0
  const names = ['a', 'b', 'c', 'd', 'e']
  const poison = (name: string) =>
    effect('poison', async () => {
      if (!isPoison) return done()
      deaths += 1
      sim.crash(name)
      return new Promise(() => {})
    })
  await engines.boot(names[0]!, [poison(names[0]!)])
  await engines.publish(engines.engine('a'), {
    id: 'p',
    activities: [
      {
        id: 'both',
        type: 'parallel',
        branches: [
          { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }] },
          chainOf({ id: 'nap', type: 'delay', inputs: { duration: '200ms' } }, { id: 'bad', type: 'poison' }),
        ],
      },
    ],
    connections: [],
  })
  const id = await engines.start(engines.engine('a'), 'p')
  const status = () => sim.store.inspect().instances.get(id)!.status
  for (const name of names.slice(1)) {
    await sim.run(3_000)
    if (status() === 'quarantined') break
    await engines.boot(name, [poison(name)])
  }
  await sim.runUntil(() => status() === 'quarantined', 20_000)
  expect(status()).toBe('quarantined')
  expect(deaths).toBeLessThanOrEqual(3)
  const engine = await engines.boot('doctor', [poison('doctor')])
  // A resume wakes it; it does not go on, and nothing is lost.
  expect(await engines.drive(engine.resume({ instanceId: id, bookmark: 'go', payload: 'kept' }))).toBe('resumed')
  await sim.run(5_000)
  expect([status(), deaths]).toEqual(['quarantined', deaths])
  expect(engines.facts(id).filter((fact) => fact === 'quarantined')).toHaveLength(1)
  expect((await engines.drive(engine.doctor())).findings).toEqual([])
  expect(await engines.drive(engine.verbs.pause(id))).toEqual({ outcome: 'wrong-state', status: 'quarantined' })
  isPoison = false
  expect(await engines.drive(engine.verbs.retry(id))).toEqual({ outcome: 'accepted' })
  expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
  expect(engines.facts(id)).toContain('completed both[0].ask done')
  expect(sim.check()).toEqual([])
})

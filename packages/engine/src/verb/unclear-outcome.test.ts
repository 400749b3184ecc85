import { describe, expect, it } from 'vitest'
import { workflow } from '../function/workflow.ts'
import { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

/** A step that runs at most once, and whose first node dies with it. */
async function unclear(kind: 'graph' | 'function') {
  const engines = new SimulatedEngines(5)
  let attempts = 0
  const charge = async (): Promise<string> => {
    attempts += 1
    if (attempts > 1) return 'charged'
    engines.sim.crash('a')
    return new Promise(() => {})
  }
  const once = effect('charge', async () => done(await charge()))
  const program = workflow('f', async (ctx) => {
    try {
      return await ctx.step('charge', charge, { effect: 'atMostOnce' })
    } catch (error) {
      return (error as Error).message
    }
  })
  const boot = (name: string) => engines.boot(name, [once], { workflows: [program as never] })
  const first = await boot('a')
  await engines.publish(first, {
    id: 'g',
    activities: [
      {
        id: 'guard',
        type: 'try',
        body: { activities: [{ id: 'charge', type: 'charge', effect: 'atMostOnce' }] },
        catch: {
          activities: [{ id: 'why', type: 'set-output', inputs: { name: 'why', value: { $expr: 'error.message' } } }],
        },
      },
    ],
  })
  const instanceId = await engines.start(first, kind === 'graph' ? 'g' : 'f')
  const engine = await boot('b')
  const open = () => [...engines.sim.store.inspect().incidents.values()].filter((row) => row.resolvedAt === undefined)
  await engines.sim.runUntil(() => open().length === 1, 20_000)
  await engines.sim.run(2_000)
  return { engines, engine, instanceId, incidentId: open()[0]!.id, attempts: () => attempts }
}

describe.each(['graph', 'function'] as const)('an outcome that nobody knows, of a %s', (kind) => {
  const step = kind === 'graph' ? 'guard.charge' : 'charge'

  it('is tried again when an operator says so', async () => {
    const { engines, engine, instanceId, incidentId, attempts } = await unclear(kind)
    expect(await engines.drive(engine.verbs.retry(instanceId, { note: 'it had not' }))).toEqual({ outcome: 'accepted' })
    expect(await engines.end(engine, instanceId)).toMatchObject({ status: 'completed' })
    expect(attempts()).toBe(2)
    expect(engines.facts(instanceId)).toEqual(expect.arrayContaining([`retrying ${step}`, `completed ${step} done`]))
    const incident = await engines.drive(engine.incidents.get(incidentId))
    expect(incident).toMatchObject({ code: 'OUTCOME_UNKNOWN', resolution: 'retried', note: 'it had not' })
    expect(engines.sim.check()).toEqual([])
  })

  it.each(['completed', 'failed'] as const)(
    'is %s when an operator says so, and is not tried again',
    async (outcome) => {
      const { engines, engine, instanceId, incidentId, attempts } = await unclear(kind)
      const said = outcome === 'completed' ? { output: 'it had' } : { message: 'it had not' }
      const answer = await engines.drive(engine.incidents.resolve(incidentId, { outcome, ...said }))
      expect(answer).toEqual({ outcome: 'resolved', instanceId })
      const end = await engines.end(engine, instanceId)
      if (outcome === 'failed') expect(end.output).toEqual(kind === 'graph' ? { why: 'it had not' } : 'it had not')
      else if (kind === 'function') expect(end.output).toBe('it had')
      expect([end.status, attempts()]).toEqual(['completed', 1])
      expect(engines.facts(instanceId)).toContain(outcome === 'completed' ? `completed ${step} done` : `failed ${step}`)
      expect((await engines.drive(engine.doctor())).findings).toEqual([])
    },
  )
})

it('is asked for again when the instance has faulted meanwhile and is retried', async () => {
  const engines = new SimulatedEngines(6)
  let [attempts, isBroken] = [0, true]
  const types = [
    effect('charge', async () => {
      attempts += 1
      if (attempts > 1) return done('charged')
      engines.sim.crash('a')
      return new Promise(() => {})
    }),
    effect('ship', async () => {
      if (isBroken) throw Object.assign(new Error('no truck'), { code: 'NO_TRUCK' })
      return done()
    }),
  ]
  const first = await engines.boot('a', types)
  const after = (id: string, ...then: object[]) => ({
    activities: [{ id, type: 'delay', inputs: { duration: '5s' } }, ...then],
    connections: [{ from: id, to: 'ship' }],
  })
  await engines.publish(first, {
    id: 'both',
    activities: [
      {
        id: 'par',
        type: 'parallel',
        branches: [
          { activities: [{ id: 'charge', type: 'charge', effect: 'atMostOnce' }] },
          after('nap', { id: 'ship', type: 'ship' }),
        ],
      },
    ],
  } as never)
  const id = await engines.start(first, 'both')
  const engine = await engines.boot('b', types)
  const { instances, incidents } = engines.sim.store.inspect()
  const unclear = () =>
    [...incidents.values()].filter((row) => row.resolvedAt === undefined && row.code === 'OUTCOME_UNKNOWN')
  await engines.sim.runUntil(() => unclear().length === 1, 20_000)
  await engines.sim.runUntil(() => instances.get(id)!.status === 'faulted', 20_000)
  isBroken = false
  expect(await engines.drive(engine.verbs.retry(id))).toEqual({ outcome: 'accepted' })
  await engines.sim.runUntil(() => unclear().length === 1, 20_000)
  expect(unclear()).toHaveLength(1)
  expect(await engines.drive(engine.verbs.retry(id))).toEqual({ outcome: 'accepted' })
  expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
  expect([attempts, engines.sim.check()]).toEqual([2, []])
})

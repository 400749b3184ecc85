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

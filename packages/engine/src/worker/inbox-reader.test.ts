import { type Logger, silentLogger } from '@lockstep/base'
import { expect, it } from 'vitest'
import { workflow } from '../function/workflow.ts'
import { SimulatedEngines } from './graph/simulated-engine.fixture.ts'

it('does not take an instance for lost whose end is written and not answered yet', async () => {
  const warnings: string[] = []
  const logger: Logger = { ...silentLogger, warn: (text) => warnings.push(text), area: () => logger }
  const engines = new SimulatedEngines()
  const quick = workflow('quick', async () => 'done')
  const engine = await engines.boot('only', [], { workflows: [quick], logger })
  const { bus } = engines.sim.node('other')
  engines.sim.store.useFaults({ latencyMs: [1, 1], calls: { 'commits.commit': { slow: 1 } } })
  let between = 0
  for (let n = 0; n < 10; n += 1) {
    const id = await engines.start(engine, 'quick')
    await engines.sim.runUntil(() => engines.facts(id).includes('ended'))
    if (engine.stats.heldCount > 0) between += 1
    bus.publish(`stim:${id}`)
    expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
  }
  expect(between).toBeGreaterThan(5)
  expect(warnings).toEqual([])
})

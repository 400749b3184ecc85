/** What is said of timers: one line and one figure for each that fired, by a clock as well that wakes up too early. */
import { type Clock, type Logger, silentLogger } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { Engine } from '../engine.ts'
import { workflow } from '../function/workflow.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import { SimulatedEngines } from './graph/simulated-engine.fixture.ts'

const nap = workflow('nap', async (ctx) => ctx.sleep('3s'))
const graph = { id: 'graph', activities: [{ id: 'nap', type: 'delay', inputs: { duration: '3s' } }], connections: [] }

/** As Node's timers do. */
const cutting = (clock: Clock): Clock => ({
  now: () => clock.now(),
  monotonic: () => clock.monotonic(),
  soon: (run) => clock.soon(run),
  schedule: (delayMs, run, options) => clock.schedule(Math.floor(delayMs), run, options),
})

describe.each(['nap', 'graph'])('timers of instances in hand: %s', (definitionId) => {
  it.each([
    ['a clock that is exact', (clock: Clock) => clock],
    ['a clock that wakes up too early', cutting],
  ] as const)('are counted and told once each, by %s', async (_, through) => {
    const engines = new SimulatedEngines()
    const { store, clock, random, bus } = engines.sim.node('a')
    const fired: number[] = []
    const lines: unknown[] = []
    const logger: Logger = {
      ...silentLogger,
      debug: (message) => void (message === 'timer fired' && lines.push(message)),
      area: () => logger,
    }
    const nothing = (): void => undefined
    const metrics: EngineMetrics = {
      ...{ committed: nothing, ended: nothing, stepped: nothing, stepFailed: nothing, claimed: nothing },
      ...{ schedulesFired: nothing, schedulerLooked: nothing, timerFired: (lateMs) => fired.push(lateMs) },
    }
    const own = { store, random, bus, logger, metrics, clock: through(clock), workflows: [nap], pollMs: 10_000 }
    const engine = await engines.drive(Engine.open({ ...own, name: 'a', heartbeatMs: 200, ttlMs: 1_000 }))
    await engines.publish(engine, graph)
    const ids = []
    for (let i = 0; i < 5; i += 1) ids.push(await engines.start(engine, definitionId))
    for (const id of ids) expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
    expect([fired.length, lines.length]).toEqual([5, 5])
    expect(fired.every((lateMs) => lateMs >= 0)).toBe(true)
  })
})

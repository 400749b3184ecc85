/** What a drain does to instances whose steps run on while it goes on, or after it was called off. */
import { type Deferred, deferred } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import { workflow } from '../function/workflow.ts'
import { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

/** Two steps: one that a test lets end, and one that must not be tried twice. */
class TwoSteps {
  readonly engines = new SimulatedEngines()
  readonly #first = new Map<string, Deferred<void>>()
  readonly ran: string[] = []
  readonly #graph = {
    id: 'graph',
    activities: [
      { id: 'first', type: 'first' },
      { id: 'second', type: 'second', effect: 'atMostOnce' },
    ],
    connections: [{ from: 'first', to: 'second' }],
  }

  async boot(name: string): Promise<Engine> {
    const first = async (): Promise<void> => {
      this.ran.push(`first on ${name}`)
      await this.#gate(name).promise
    }
    const second = (): void => void this.ran.push(`second on ${name}`)
    const code = workflow('code', async (ctx) => {
      await ctx.step('first', first)
      await ctx.step('second', second, { effect: 'atMostOnce' })
    })
    const activities = [
      effect('first', async () => {
        await first()
        return done()
      }),
      effect('second', async () => {
        second()
        return done()
      }),
    ]
    return this.engines.boot(name, activities, { workflows: [code] })
  }

  publish(engine: Engine): Promise<void> {
    return this.engines.publish(engine, this.#graph)
  }

  async reaches(text: string): Promise<void> {
    expect(await this.engines.sim.runUntil(() => this.ran.includes(text), 10_000), text).toBe(true)
  }

  letGo(name: string): void {
    this.#gate(name).resolve()
  }

  async order(engine: Engine, wanted: 'active' | 'cordoned' | 'drained'): Promise<void> {
    await this.engines.drive(engine.cluster.order(engine.nodeId, wanted))
    await this.engines.sim.run(100)
  }

  #gate(name: string): Deferred<void> {
    const gate = this.#first.get(name) ?? deferred()
    this.#first.set(name, gate)
    return gate
  }
}

describe.each(['graph', 'code'])('a drain while a step of a %s runs', (definitionId) => {
  it('does not announce a step that the next owner would take for one of unclear outcome', async () => {
    const site = new TwoSteps()
    const a = await site.boot('a')
    await site.publish(a)
    const id = await site.engines.start(a, definitionId)
    await site.reaches('first on a')
    await site.order(a, 'drained')
    site.letGo('a')
    expect(await site.engines.sim.runUntil(() => a.cluster.state === 'drained', 10_000)).toBe(true)
    expect(site.engines.facts(id)).not.toContain('attempting second')
    const b = await site.boot('b')
    expect(await site.engines.end(b, id)).toMatchObject({ status: 'completed' })
    expect(site.ran).toEqual(['first on a', 'second on b'])
  })

  it.each(['active', 'cordoned'] as const)('that is called off leaves it where it goes on: %s', async (wanted) => {
    const site = new TwoSteps()
    const a = await site.boot('a')
    await site.publish(a)
    const id = await site.engines.start(a, definitionId)
    await site.reaches('first on a')
    await site.order(a, 'drained')
    await site.order(a, wanted)
    site.letGo('a')
    expect(await site.engines.end(a, id)).toMatchObject({ status: 'completed' })
    expect(site.ran).toEqual(['first on a', 'second on a'])
  })

  it('that is called off when the step has just ended leaves it where it goes on', async () => {
    const site = new TwoSteps()
    const a = await site.boot('a')
    await site.publish(a)
    const id = await site.engines.start(a, definitionId)
    await site.reaches('first on a')
    await site.order(a, 'drained')
    site.letGo('a')
    await site.engines.sim.runUntil(() => site.engines.facts(id).includes('completed first done'), 10_000)
    await site.order(a, 'active')
    expect(await site.engines.end(a, id)).toMatchObject({ status: 'completed' })
    expect(site.ran).toEqual(['first on a', 'second on a'])
  })
})

/** A priority is a lead in time: the urgent go first, and nobody waits for ever. */
import { Engine, type EngineOptions, type StartRequest, workflow } from '@lockstep/engine'
import { simulation } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import { openTestEngine } from '../engine/open-test-engine.ts'

interface Visit {
  readonly name: string
}

const visits = (order: string[], flow: object) =>
  workflow(
    'visit',
    async (ctx, { name }: Visit) => {
      await ctx.step('inside', async () => void order.push(name))
      if (name === 'first') await ctx.waitFor('go')
    },
    { flow },
  )

const visit = (name: string, priority?: number): StartRequest => ({
  definitionId: 'visit',
  input: { name },
  ...(priority === undefined ? {} : { priority }),
})

describe('starts that wait for a limit', () => {
  it.each([
    ['overtakes one that is urgent and new, once it has waited long enough', '20ms', ['first', 'patient', 'urgent']],
    ['lets the urgent pass before that', '1h', ['first', 'urgent', 'patient']],
  ])('one that waits %s', async (_, ageing, expected) => {
    const order: string[] = []
    await using t = await openTestEngine({ workflows: [visits(order, { concurrency: { limit: 1 }, ageing })] })
    const { engine } = t
    const first = await engine.start(visit('first'))
    const patient = await engine.start(visit('patient', 0))
    // Nine steps of priority are worth less than this.
    await new Promise((resolve) => setTimeout(resolve, 400))
    const urgent = await engine.start(visit('urgent', 9))
    await engine.resume({ instanceId: first.instanceId, bookmark: 'go' })
    for (const { instanceId } of [patient, urgent])
      expect(await engine.waitForEnd(instanceId, { limitMs: 60_000 })).toMatchObject({ status: 'completed' })
    expect(order).toEqual(expected)
  })
})

describe('starts that wait for a worker', () => {
  const order: string[] = []
  const plain = workflow('visit', async (ctx, { name }: Visit) => ctx.step('inside', async () => void order.push(name)))

  /** All are there before anybody works on them, one after the other. */
  async function served(between: (name: string) => number, starts: readonly [name: string, priority: number][]) {
    order.length = 0
    const sim = simulation({ seed: 1 })
    const open = async (name: string, options: Partial<EngineOptions>): Promise<Engine> => {
      let engine: Engine | undefined
      const { store, clock, random, bus } = sim.node(name)
      void Engine.open({ store, clock, random, bus, name, workflows: [plain], ...options }).then((opened) => {
        engine = opened
      })
      await sim.runUntil(() => engine !== undefined)
      return engine!
    }
    const door = await open('door', { roles: ['api'] })
    let count = 0
    for (const [name, priority] of starts) {
      void door.start(visit(name, priority)).then(() => {
        count += 1
      })
      await sim.run(between(name))
    }
    await sim.runUntil(() => count === starts.length)
    expect(order).toEqual([])
    await open('worker', { concurrency: 1 })
    await sim.runUntil(() => order.length === starts.length)
    return order
  }

  it('are served by priority, and in the order in which they came', async () => {
    const starts: [string, number][] = [
      ['a', 0],
      ['b', 5],
      ['c', 9],
      ['d', 5],
    ]
    expect(await served(() => 100, starts)).toEqual(['c', 'b', 'd', 'a'])
  })

  it('are overtaken by nobody who came so much later that priority does not make up for it', async () => {
    const starts: [string, number][] = [
      ['patient', 0],
      ['urgent', 9],
      ['usual', 0],
    ]
    expect(await served((name) => (name === 'patient' ? 8 * 60_000 : 100), starts)).toEqual([
      'urgent',
      'patient',
      'usual',
    ])
    expect(await served((name) => (name === 'patient' ? 10 * 60_000 : 100), starts)).toEqual([
      'patient',
      'urgent',
      'usual',
    ])
  })
})

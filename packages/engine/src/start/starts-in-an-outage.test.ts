/** What becomes of starts while the store is away, and when it is back. In virtual time. */
import type { FaultRates } from '@lockstep/testing/simulation'
import { describe, expect, it } from 'vitest'
import type { Engine } from '../engine.ts'
import { workflow } from '../function/workflow.ts'
import { SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

const CALM: FaultRates = { failed: 0, lostAnswer: 0, lostRequest: 0, late: 0 }
const CROWD = 600

const quick = workflow('quick', async () => 'done')
const single = workflow('single', async () => 'done', { flow: { singleton: { onBusy: 'queue' } } })
const slow = workflow('slow', async (ctx) => {
  await ctx.sleep('1s')
  return ctx.step('act', () => 'done')
})

type Refusal = Error & { readonly code: string; readonly details: { readonly instanceId: string } }

const refusal = (start: Promise<unknown>): Promise<Refusal> =>
  start.then(
    () => expect.fail('it was started'),
    (error) => error,
  )

class Site {
  readonly engines = new SimulatedEngines()
  #first = ''

  async boot(): Promise<Engine> {
    const parent = workflow('parent', async (ctx) => {
      await ctx.sleep('1s')
      return ctx.run('quick', null)
    })
    const engine = await this.engines.boot('a', [], { workflows: [quick, single, slow, parent] })
    // By its first start a node learns that there is a policy.
    this.#first = await this.engines.start(engine, 'single')
    await this.engines.end(engine, this.#first)
    return engine
  }

  /** Everything that writes starts or facts meets it; hearts go on beating. */
  weather(rates: Partial<FaultRates>): void {
    const each = { ...CALM, ...rates }
    this.engines.sim.store.useFaults({ calls: { 'commits.commit': each, 'flow.start': each } })
  }

  get instances(): readonly { readonly id: string; readonly status: string }[] {
    const all = [...this.engines.sim.store.inspect().instances].map(([id, { status }]) => ({ id, status }))
    return all.filter(({ id }) => id !== this.#first)
  }

  async refused(start: Promise<unknown>, limitMs?: number): Promise<Refusal> {
    return this.engines.drive(refusal(start), limitMs)
  }

  async back(): Promise<void> {
    this.weather({})
    await this.engines.sim.run(60_000)
  }
}

describe.each(['quick', 'single'])('a start of "%s" while the store is away', (definitionId) => {
  it('is refused where nothing was written, and does not run when the store is back', async () => {
    const site = new Site()
    const a = await site.boot()
    site.weather({ failed: 1 })
    const both = [1, 2].map(() => refusal(a.start({ definitionId })))
    const refused = { code: 'DATABASE_UNREACHABLE', retryable: true }
    expect(await site.engines.drive(Promise.all(both))).toMatchObject([refused, refused])
    await site.back()
    expect(site.instances).toEqual([])
    expect((await site.engines.drive(a.start({ definitionId }))).created).toBe(true)
  })

  it.each(['lostAnswer', 'lostRequest'] as const)(
    'names the instance where its outcome is unknown, which runs once: %s',
    async (fate) => {
      const site = new Site()
      const a = await site.boot()
      site.weather({ [fate]: 1 })
      const error = await site.refused(a.start({ definitionId }))
      expect(error).toMatchObject({ code: 'START_UNCLEAR', retryable: false, details: { keyed: false } })
      await site.back()
      expect(site.instances).toEqual([{ id: error.details.instanceId, status: 'completed' }])
    },
  )

  it('finds the first one when it is repeated with its key', async () => {
    const site = new Site()
    const a = await site.boot()
    site.weather({ lostAnswer: 1 })
    const error = await site.refused(a.start({ definitionId, dedupeKey: 'k' }))
    expect(error).toMatchObject({ code: 'START_UNCLEAR', details: { keyed: true } })
    site.weather({})
    const again = await site.engines.drive(a.start({ definitionId, dedupeKey: 'k' }))
    expect(again).toMatchObject({ created: false, instanceId: error.details.instanceId })
  })

  it('waits through an outage that is over soon', async () => {
    const site = new Site()
    const a = await site.boot()
    site.weather({ failed: 1 })
    const start = a.start({ definitionId })
    await site.engines.sim.run(3_000)
    site.weather({})
    expect((await site.engines.drive(start)).created).toBe(true)
  })

  it('is answered at once by a node that is told to stop', async () => {
    const site = new Site()
    const a = await site.boot()
    site.weather({ failed: 1 })
    const start = refusal(a.start({ definitionId }))
    await site.engines.sim.run(1_000)
    const [refused] = await site.engines.drive(Promise.all([start, a.retire(60_000)]), 5_000)
    expect(refused).toMatchObject({ code: 'DATABASE_UNREACHABLE' })
  })
})

describe.each([3, CROWD])('%d starts in one call while the store is away', (count) => {
  const requests = Array.from({ length: count }, () => ({ definitionId: 'quick' }))

  it('are refused where nothing was written, and none of them runs', async () => {
    const site = new Site()
    const a = await site.boot()
    site.weather({ failed: 1 })
    expect(await site.refused(a.startMany(requests))).toMatchObject({ code: 'DATABASE_UNREACHABLE' })
    await site.back()
    expect(site.instances).toEqual([])
  })

  it('are not said to have done nothing where some of them may run', async () => {
    const site = new Site()
    const a = await site.boot()
    site.weather({ lostAnswer: 1 })
    expect(await site.refused(a.startMany(requests))).toMatchObject({ code: 'START_UNCLEAR' })
    await site.back()
    expect(site.instances.every(({ status }) => status === 'completed')).toBe(true)
    expect(site.instances.length).toBeGreaterThan(0)
  })
})

describe('what runs while the store is away', () => {
  it.each(['slow', 'parent'])('goes on when it is back, with its facts and its children: %s', async (definitionId) => {
    const site = new Site()
    const a = await site.boot()
    const id = await site.engines.start(a, definitionId)
    await site.engines.sim.run(100)
    site.weather({ failed: 1 })
    const beside = refusal(a.start({ definitionId: 'quick' }))
    await site.engines.sim.run(60_000)
    expect(await beside).toMatchObject({ code: 'DATABASE_UNREACHABLE' })
    site.weather({})
    expect(await site.engines.end(a, id)).toMatchObject({ status: 'completed', output: 'done' })
    expect(site.instances).toHaveLength(definitionId === 'parent' ? 2 : 1)
    expect(site.engines.sim.check()).toEqual([])
  })

  it('starts its child that the store is away for', async () => {
    const site = new Site()
    const a = await site.boot()
    const id = await site.engines.start(a, 'parent')
    await site.engines.sim.runUntil(() => site.engines.facts(id).some((fact) => fact.startsWith('completed')), 5_000)
    site.weather({ lostRequest: 1 })
    await site.engines.sim.run(60_000)
    site.weather({})
    expect(await site.engines.end(a, id)).toMatchObject({ status: 'completed', output: 'done' })
    expect(site.instances).toHaveLength(2)
  })
})

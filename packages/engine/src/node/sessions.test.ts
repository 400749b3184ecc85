/** Ends of sessions that come while something of theirs is under way. */
import { type Deferred, deferred } from '@lockstep/base'
import { expect, it } from 'vitest'
import { Engine } from '../engine.ts'
import type { EngineOptions } from '../engine-options.ts'
import type { EngineStore } from '../store/engine-store.ts'
import { done, effect, SimulatedEngines } from '../worker/graph/simulated-engine.fixture.ts'

const TTL_MS = 1_000

/** Engines whose calls of the store a test can hold up. */
class Site {
  readonly engines = new SimulatedEngines()

  async open(name: string, wrap: (store: EngineStore) => EngineStore, more: Partial<EngineOptions> = {}) {
    const { store, ...node } = this.engines.sim.node(name)
    return this.engines.drive(
      Engine.open({ ...node, store: wrap(store), name, heartbeatMs: 200, ttlMs: TTL_MS, ...more }),
    )
  }

  /** Stops the process for so long that the others bury it. */
  async bury(name: string): Promise<void> {
    const { sim } = this.engines
    sim.pause(name)
    await sim.run(4 * TTL_MS)
    sim.resume(name)
  }

  get names(): string[] {
    return [...this.engines.sim.store.inspect().nodes.values()].map(({ name }) => name)
  }
}

/** Calls wait here from the moment that it is shut. */
class Barrier {
  reached = false
  #shut: Deferred<void> | undefined

  shut(): void {
    this.#shut = deferred()
  }

  open(): void {
    this.#shut?.resolve()
    this.#shut = undefined
  }

  async pass(): Promise<void> {
    if (this.#shut === undefined) return
    this.reached = true
    await this.#shut.promise
  }
}

const one = { id: 'one', activities: [{ id: 'act', type: 'act' }] }

it('a node that closes while it rejoins leaves nothing behind that beats', async () => {
  const site = new Site()
  const barrier = new Barrier()
  const a = await site.open('a', (store) => ({
    ...store,
    membership: {
      ...store.membership,
      join: async (node) => {
        await store.membership.join(node)
        await barrier.pass()
      },
    },
  }))
  await site.open('b', (store) => store)
  barrier.shut()
  await site.bury('a')
  expect(await site.engines.sim.runUntil(() => barrier.reached, 10_000)).toBe(true)
  const closed = a.close(0)
  await site.engines.sim.run(100)
  barrier.open()
  await site.engines.drive(closed)
  await site.engines.sim.run(100)
  expect(site.names).toEqual(['b'])
})

it('a node that is buried again before it has rejoined comes back under a third id', async () => {
  const site = new Site()
  const barrier = new Barrier()
  let joins = 0
  const a = await site.open('a', (store) => ({
    ...store,
    membership: {
      ...store.membership,
      join: async (node) => {
        await store.membership.join(node)
        joins += 1
        if (joins === 2) await barrier.pass()
      },
    },
  }))
  await site.open('b', (store) => store)
  barrier.shut()
  await site.bury('a')
  expect(await site.engines.sim.runUntil(() => barrier.reached, 10_000)).toBe(true)
  await site.engines.sim.run(4 * TTL_MS) // it does not beat yet
  barrier.open()
  expect(await site.engines.sim.runUntil(() => joins === 3, 10_000)).toBe(true)
  await site.engines.sim.run(4 * TTL_MS)
  expect(site.names.toSorted()).toEqual(['a', 'b'])
  expect(site.engines.sim.store.inspect().nodes.has(a.nodeId)).toBe(true)
})

it('an instance that was being loaded when its node was buried does not begin there', async () => {
  const site = new Site()
  const barrier = new Barrier()
  const ran: string[] = []
  const act = (name: string) =>
    effect('act', async () => {
      ran.push(name)
      return done()
    })
  const loadBehind = (store: EngineStore): EngineStore => ({
    ...store,
    agenda: {
      ...store.agenda,
      load: async (ids) => {
        const loaded = await store.agenda.load(ids)
        await barrier.pass()
        return loaded
      },
    },
  })
  const b = await site.open('b', (store) => store, { roles: ['api'], activities: [act('b')] })
  await site.engines.publish(b, one)
  await site.open('a', loadBehind, { activities: [act('a')] })
  barrier.shut()
  const id = await site.engines.start(b, 'one')
  expect(await site.engines.sim.runUntil(() => barrier.reached, 10_000)).toBe(true)
  await site.bury('a')
  await site.open('c', (store) => store, { activities: [act('c')] })
  expect(await site.engines.end(b, id)).toMatchObject({ status: 'completed' })
  barrier.open()
  await site.engines.sim.run(TTL_MS)
  expect(ran).toEqual(['c'])
})

it('a node is not drained before a claim that rides on a resume is out of its hands', async () => {
  const site = new Site()
  const barrier = new Barrier()
  const waits = { id: 'waits', activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }] }
  const a = await site.open('a', (store) => ({
    ...store,
    stimuli: {
      ...store.stimuli,
      resume: async (request, taker) => {
        const answer = await store.stimuli.resume(request, taker)
        await barrier.pass()
        return answer
      },
    },
  }))
  await site.engines.publish(a, waits)
  const id = await site.engines.start(a, 'waits')
  await site.engines.sim.run(1_000)
  barrier.shut()
  const resumed = a.resume({ instanceId: id, bookmark: 'go', payload: null })
  expect(await site.engines.sim.runUntil(() => barrier.reached, 10_000)).toBe(true)
  await site.engines.drive(a.cluster.order(a.nodeId, 'drained'))
  await site.engines.sim.run(500)
  expect(a.cluster.state).toBe('draining')
  barrier.open()
  expect(await site.engines.drive(resumed)).toBe('resumed')
  expect(await site.engines.sim.runUntil(() => a.cluster.state === 'drained', 10_000)).toBe(true)
  expect([...site.engines.sim.store.inspect().agenda.values()].map(({ claimedBy }) => claimedBy)).toEqual([undefined])
})

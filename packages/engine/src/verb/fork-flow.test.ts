/** A fork is a start of its workflow: it passes the same gate. What comes through is measured outside, by those who are inside at once. */
import type { Json } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import type { FlowPolicy } from '../flow/flow-policy.ts'
import { workflow } from '../function/workflow.ts'
import { chainOf, done, effect, SimulatedEngines } from './quarantine.fixture.ts'

/** Who came in, in order, and the most of one key that were inside at once. A step that is repeated counts once. */
class Sink {
  readonly seen: string[] = []
  most = 0
  readonly #inside = new Map<string, Set<string>>()

  enter(key: string, instanceId: string): void {
    if (!this.seen.includes(instanceId)) this.seen.push(instanceId)
    const inside = this.#inside.get(key) ?? new Set()
    this.#inside.set(key, inside.add(instanceId))
    this.most = Math.max(this.most, inside.size)
  }

  leave(key: string, instanceId: string): void {
    this.#inside.get(key)?.delete(instanceId)
  }
}

async function open(kind: 'graph' | 'function', flow: object) {
  const engines = new SimulatedEngines()
  const sink = new Sink()
  const tell = (type: 'enter' | 'leave') =>
    effect(type, async ({ key }, { instanceId }) => {
      sink[type](String(key), instanceId)
      return done()
    })
  const told = (type: 'enter' | 'leave') => ({ id: type, type, inputs: { key: { $expr: 'input.key' } } })
  const program = workflow(
    'orders',
    async (ctx, { key }: { key: string }) => {
      await ctx.step('enter', () => sink.enter(key, ctx.instanceId))
      await ctx.sleep('1s')
      await ctx.step('leave', () => sink.leave(key, ctx.instanceId))
    },
    { flow: flow as FlowPolicy<{ key: string }> },
  )
  const workflows = kind === 'function' ? [program as never] : []
  const boot = (name: string) => engines.boot(name, [tell('enter'), tell('leave')], { workflows })
  const engine = await boot('a')
  const nap = { id: 'nap', type: 'delay', inputs: { duration: '1s' } }
  if (kind === 'graph')
    await engines.publish(engine, {
      id: 'orders',
      flow: flow as Record<string, Json>,
      ...chainOf(told('enter'), nap, told('leave')),
    })
  const fork = async (id: string, more: object = {}) => {
    const answer = await engines.drive(engine.verbs.fork(id, { at: 1, ...more }))
    if (!('instanceId' in answer)) throw new Error(answer.outcome)
    return answer
  }
  return { engines, engine, sink, boot, fork }
}

const key = { $expr: 'input.key' }
const ann = { key: 'ann' }

describe.each(['graph', 'function'] as const)('a fork of a %s under a policy', (kind) => {
  it.each([
    ['concurrency', { concurrency: { limit: 1, key } }],
    ['singleton', { singleton: { onBusy: 'queue', key } }],
    ['singleton', { singleton: { onBusy: 'attach', key } }],
  ] as const)('waits for its turn while the original is alive, and why says so: %s', async (name, flow) => {
    const { engines, engine, sink, fork } = await open(kind, flow)
    const id = await engines.start(engine, 'orders', ann)
    await engines.sim.runUntil(() => sink.seen.length === 1, 5_000)
    const copies = [await fork(id), await fork(id)]
    const other = await fork(id, { input: { key: 'bob' } })
    expect(copies).toMatchObject([{ outcome: 'forked' }, { outcome: 'forked' }])
    await engines.sim.run(100)
    expect((await engines.drive(engine.get(other.instanceId))).status).not.toBe('queued')
    const [second, third] = copies.map((each) => each.instanceId) as [string, string]
    expect((await engines.drive(engine.get(second))).status).toBe('queued')
    expect((await engines.drive(engine.why(third))).blockers).toMatchObject([{ kind: `flow-${name}` }])
    expect(await engines.drive(engine.flow.get('orders'))).toMatchObject({ alive: 2, waiting: 2 })
    for (const each of [second, third]) expect(await engines.end(engine, each)).toMatchObject({ status: 'completed' })
    expect({ seen: sink.seen, most: sink.most }).toEqual({ seen: [id, other.instanceId, second, third], most: 1 })
    expect([await engines.drive(engine.flow.get('orders')), engines.sim.check()]).toMatchObject([{ alive: 0 }, []])
  })

  it('counts against the rate', async () => {
    const { engines, engine, sink, fork } = await open(kind, { rate: { limit: 1, per: '10s', key } })
    const id = await engines.start(engine, 'orders', ann)
    await engines.sim.runUntil(() => sink.seen.length === 1, 5_000)
    const { instanceId } = await fork(id)
    await engines.sim.run(5_000)
    expect((await engines.drive(engine.why(instanceId))).blockers).toMatchObject([{ kind: 'flow-rate' }])
    expect(sink.seen).toEqual([id])
    expect(await engines.end(engine, instanceId)).toMatchObject({ status: 'completed' })
  })

  it.each([
    ['singleton', { singleton: { key } }],
    ['throttle', { throttle: { limit: 1, per: '1h', key } }],
  ] as const)('is refused where a start would be, and ends cancelled with the reason: %s', async (_, flow) => {
    const { engines, engine, sink, fork } = await open(kind, flow)
    const id = await engines.start(engine, 'orders', ann)
    await engines.sim.runUntil(() => sink.seen.length === 1, 5_000)
    const refused = await fork(id)
    expect(refused.outcome).toBe('refused')
    expect(await engines.end(engine, refused.instanceId)).toMatchObject({ status: 'cancelled' })
    expect(await engines.end(engine, id)).toMatchObject({ status: 'completed' })
    expect([sink.seen, sink.most]).toEqual([[id], 1])
  })

  it('is refused before anything is written where its key cannot be computed', async () => {
    const { engines, engine, fork } = await open(kind, { concurrency: { limit: 1, key } })
    const id = await engines.start(engine, 'orders', ann)
    await engines.sim.run(100)
    await expect(fork(id, { input: {} })).rejects.toMatchObject({ code: 'FLOW_KEY_FAILED' })
    expect(engines.sim.store.inspect().instances.size).toBe(1)
  })

  it('P1: has its turn once, whenever the node dies on the way', async () => {
    for (let atMs = 0; atMs <= 20; atMs += 1) {
      const { engines, engine, sink, boot } = await open(kind, { concurrency: { limit: 1, key } })
      const id = await engines.start(engine, 'orders', ann)
      await engines.end(engine, id)
      const b = await boot('b')
      const second = await engines.start(b, 'orders', ann)
      const options = { at: 1, dedupeKey: 'copy' }
      void engine.verbs.fork(id, options).catch(() => undefined)
      await engines.sim.run(atMs)
      engines.sim.crash('a')
      await engines.sim.run(20_000)
      const again = await engines.drive(b.verbs.fork(id, options))
      const copy = 'instanceId' in again ? again.instanceId : ''
      expect(await engines.end(b, copy)).toMatchObject({ status: 'completed' })
      expect(await engines.end(b, second)).toMatchObject({ status: 'completed' })
      expect({ atMs, most: sink.most }).toEqual({ atMs, most: 1 })
      expect(await engines.drive(b.flow.get('orders'))).toMatchObject({ alive: 0, waiting: 0 })
      expect((await engines.drive(b.doctor())).findings).toEqual([])
    }
  })
})

import { Fenced, type LimitRule, type PermitAsk, type PermitEnd } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { type Bench, COMPLETED, type ContractNode, checkpoint, dueIn, HOUR, TENANT } from './fixture.ts'

const ONE: LimitRule = { concurrency: 1, rate: undefined }
const PATIENCE = 10_000

const ask = (instanceId: string, rule: LimitRule = ONE, extra: Partial<PermitAsk> = {}): PermitAsk => ({
  ...{ tenant: TENANT, kind: 'limit', key: 'api', instanceId, step: 'call', rule },
  ...extra,
})
const end = (instanceId: string, extra: Partial<PermitEnd> = {}): PermitEnd => ({
  ...{ tenant: TENANT, kind: 'limit', key: 'api', instanceId, step: 'call', back: false },
  ...extra,
})

async function asked({ store }: Bench, node: ContractNode, ...asks: PermitAsk[]): Promise<boolean[]> {
  const { answers } = await store.steps.limits.exchange(node.id, [], asks, PATIENCE)
  return answers.map((answer) => answer.granted)
}

const ended = async ({ store }: Bench, node: ContractNode, ...ends: PermitEnd[]): Promise<readonly string[]> =>
  (await store.steps.limits.exchange(node.id, ends, [], PATIENCE)).called

/** A run that waits for its turn: its claim was given back until an hour from now. */
async function resting(b: Bench, node: ContractNode): Promise<string> {
  const id = await b.started(node)
  await node.checkpoint(checkpoint(id, { then: dueIn(HOUR) }))
  return id
}

export function limitExamples(open: () => Promise<Bench>): void {
  describe('permits', () => {
    it('lets in as many as the key allows, over all nodes and in the order of asking', async () => {
      const b = await open()
      const [one, two] = [await b.joined(), await b.joined()]
      const [a, c, d] = [await b.started(one), await b.started(one), await b.started(two)]
      const pair: LimitRule = { concurrency: 2, rate: undefined }
      expect(await asked(b, one, ask(a, pair), ask(c, pair))).toEqual([true, true])
      expect(await asked(b, two, ask(d, pair))).toEqual([false])
      expect(await asked(b, two, ask(d, pair, { key: 'other' }), ask(d, pair, { tenant: 'else' }))).toEqual([
        true,
        true,
      ])
      await ended(b, one, end(a))
      expect(await asked(b, two, ask(d, pair))).toEqual([true])
    })

    it('answers a repeated ask as it answered the first', async () => {
      const b = await open()
      const node = await b.joined()
      const id = await b.started(node)
      expect(await asked(b, node, ask(id), ask(id))).toEqual([true, true])
      expect(await asked(b, node, ask(id))).toEqual([true])
      expect((await b.store.steps.limits.get(TENANT, 'api'))?.running).toBe(1)
    })

    it('gives a free place to the first of the line, not to who asks first', async () => {
      const b = await open()
      const node = await b.joined()
      const [a, first, second] = [await b.started(node), await b.started(node), await b.started(node)]
      expect(await asked(b, node, ask(a), ask(first), ask(second))).toEqual([true, false, false])
      await ended(b, node, end(a))
      expect(await asked(b, node, ask(second))).toEqual([false])
      expect(await asked(b, node, ask(first))).toEqual([true])
    })

    it('calls the first of the line when it is not here: it is due, and its owner cannot suspend it unheard', async () => {
      const b = await open()
      const [one, two] = [await b.joined(), await b.joined()]
      const [a, sleeps] = [await b.started(one), await resting(b, two)]
      expect(await asked(b, one, ask(a))).toEqual([true])
      expect(await asked(b, two, ask(sleeps))).toEqual([false])
      expect(await two.claim()).toEqual([])
      expect(await ended(b, one, end(a))).toEqual([sleeps])
      const [claim] = await one.claim()
      expect(claim).toMatchObject({ instanceId: sleeps, stim: 1 })
      expect(await asked(b, one, ask(sleeps))).toEqual([true])
      // In hand, about to be suspended.
      const held = await b.started(two)
      expect(await asked(b, two, ask(held))).toEqual([false])
      expect(await ended(b, one, end(sleeps))).toEqual([held])
      expect(await two.checkpoint(checkpoint(held, { then: dueIn(HOUR) }))).toMatchObject({
        checkpoints: [{ kind: 'stimulated' }],
      })
    })

    it('does not wait for one that was called and does not come', async () => {
      const b = await open()
      const node = await b.joined()
      const [a, lost, next] = [await b.started(node), await b.started(node), await b.started(node)]
      await asked(b, node, ask(a), ask(lost), ask(next))
      expect(await ended(b, node, end(a))).toEqual([lost])
      expect(await asked(b, node, ask(next))).toEqual([false])
      const { answers } = await b.store.steps.limits.exchange(node.id, [], [ask(next)], 0)
      expect(answers[0]?.granted).toBe(true)
    })

    it('passes by those who have ended', async () => {
      const b = await open()
      const node = await b.joined()
      const [a, over, next] = [await b.started(node), await b.started(node), await b.started(node)]
      await asked(b, node, ask(a), ask(over), ask(next))
      await node.checkpoint(
        checkpoint(over, { facts: [{ kind: 'ended', data: '{"status":"completed"}' }], then: COMPLETED }),
      )
      expect(await ended(b, node, end(a))).toEqual([next])
    })

    it('frees the permits of a node with its row, and refuses a node that has none', async () => {
      const b = await open()
      const [dead, alive] = [await b.joined(), await b.joined()]
      const [a, c] = [await b.started(dead), await b.started(alive)]
      expect(await asked(b, dead, ask(a))).toEqual([true])
      expect(await asked(b, alive, ask(c))).toEqual([false])
      await b.store.membership.bury({ id: dead.id, beat: 0 })
      await expect(asked(b, dead, ask(a))).rejects.toSatisfy(Fenced.is)
      expect(await b.store.steps.limits.waitedFor(10)).toEqual([{ tenant: TENANT, kind: 'limit', key: 'api' }])
      expect(await asked(b, alive, ask(c))).toEqual([true])
    })

    it('does not give back what another node holds', async () => {
      const b = await open()
      const [one, two] = [await b.joined(), await b.joined()]
      const id = await b.started(one)
      await asked(b, one, ask(id))
      await ended(b, two, end(id))
      expect((await b.store.steps.limits.get(TENANT, 'api'))?.running).toBe(1)
    })

    it('puts one back to the place and the time that it had', async () => {
      const b = await open()
      const node = await b.joined()
      const [a, c] = [await b.started(node), await b.started(node)]
      await asked(b, node, ask(a), ask(c))
      await ended(b, node, end(a, { back: true }))
      expect(await asked(b, node, ask(c))).toEqual([false])
      expect(await asked(b, node, ask(a))).toEqual([true])
    })

    it('says until when a rate holds back, each one a place later', async () => {
      const b = await open()
      const node = await b.joined()
      const rule: LimitRule = { concurrency: undefined, rate: { limit: 2, perMs: HOUR } }
      const ids = await Promise.all(Array.from({ length: 5 }, () => b.started(node)))
      const { answers } = await b.store.steps.limits.exchange(
        node.id,
        [],
        ids.map((id) => ask(id, rule)),
        PATIENCE,
      )
      expect(answers.map((answer) => answer.granted)).toEqual([true, true, false, false, false])
      const hours = answers.map((answer) => answer.waitsMs && Math.round(answer.waitsMs / HOUR))
      expect(hours).toEqual([undefined, undefined, 1, 1, 2])
      await ended(b, node, ...ids.slice(0, 2).map((id) => end(id)))
      expect(await asked(b, node, ask(ids[2]!, rule))).toEqual([false])
    })

    it('follows what an operator set, from the next look on, until it is taken back', async () => {
      const b = await open()
      const { limits } = b.store.steps
      const node = await b.joined()
      const [a, c] = [await b.started(node), await b.started(node)]
      expect(await asked(b, node, ask(a), ask(c))).toEqual([true, false])
      await limits.set(TENANT, 'api', { concurrency: 2, rate: { limit: 100, perMs: 1_000 } })
      expect(await asked(b, node, ask(c))).toEqual([true])
      expect(await limits.get(TENANT, 'api')).toMatchObject({
        declared: ONE,
        set: { concurrency: 2, rate: { limit: 100, perMs: 1_000 } },
        running: 2,
        waiting: 0,
      })
      await limits.set(TENANT, 'api', undefined)
      expect(await limits.list(TENANT, '', 10)).toMatchObject([{ key: 'api', set: undefined }])
      expect(await limits.list('else', '', 10)).toEqual([])
    })

    it('tells what a step waits for, who is in, and forgets those who have ended', async () => {
      const b = await open()
      const { limits } = b.store.steps
      const node = await b.joined()
      const [a, c] = [await b.started(node), await b.started(node)]
      await asked(b, node, ask(a), ask(c))
      const pays = { tenant: TENANT, key: 'bank', instanceId: c, step: 'pay' }
      await limits.noteBreakers([{ ...pays, inMs: HOUR }])
      expect(await limits.waits(TENANT, c)).toMatchObject([
        { kind: 'limit', key: 'api', step: 'call', ahead: 0, holders: [{ instanceId: a, step: 'call' }] },
        { kind: 'breaker', key: 'bank', step: 'pay', untilAt: expect.any(Number) },
      ])
      expect(await limits.waits(TENANT, a)).toEqual([])
      const { breakers } = b.store.steps
      const bank = { tenant: TENANT, key: 'bank' }
      expect(await breakers.waiting([{ ...bank, key: 'mail' }, bank], 10)).toEqual([pays])
      await limits.noteBreakers([{ ...pays, step: 'again', inMs: HOUR }])
      expect(await breakers.waiting([bank], 10)).toHaveLength(2)
      expect(await breakers.waiting([bank], 1)).toHaveLength(1)
      await breakers.trip({ ...bank, openMs: HOUR, needed: 1, reason: 'upkeep' }, undefined)
      expect(await breakers.waiting([bank], 10)).toHaveLength(2)
      await breakers.reset(bank)
      expect([await breakers.waiting([bank], 10), (await limits.waits(TENANT, c)).length]).toEqual([[], 1])
      await breakers.trip({ ...bank, openMs: HOUR, needed: 1, reason: 'upkeep' }, undefined)
      await limits.noteBreakers([{ ...pays, step: 'again', inMs: -60_000 }])
      await limits.noteBreakers([{ ...pays, inMs: -60_000 }])
      expect(await breakers.waiting([bank], 10)).toEqual([])
      expect(await limits.waits(TENANT, c)).toHaveLength(1)
      expect(await limits.waitedFor(10)).toHaveLength(1)
    })

    it('deletes keys that nobody uses', async () => {
      const b = await open()
      const { limits } = b.store.steps
      const node = await b.joined()
      const [a, c] = [await b.started(node), await b.started(node)]
      await asked(b, node, ask(a), ask(c, ONE, { key: 'kept' }))
      await ended(b, node, end(a))
      await limits.set(TENANT, 'set', ONE)
      await limits.trim(-1_000, 10)
      expect((await limits.list(TENANT, '', 10)).map((limit) => limit.key)).toEqual(['kept', 'set'])
    })
  })
}

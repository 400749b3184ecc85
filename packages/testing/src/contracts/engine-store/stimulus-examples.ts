import { sleep, systemClock } from '@lockstep/base'
import type { NewBookmark, ResumeVerdict } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import {
  type Bench,
  bookmark,
  COMPLETED,
  type ContractNode,
  checkpoint,
  event,
  QUEUE,
  SUSPENDED,
  TENANT,
  waitingFact,
} from './fixture.ts'

/** Others on the same server may have transactions open for a while, behind which nothing is settled. */
const LONGEST_SETTLING_MS = 60_000

/** Settles until nothing is left to settle. */
async function settled({ store }: Bench): Promise<{ settled: number; matched: number; rounds: number }> {
  const sum = { settled: 0, matched: 0, rounds: 0 }
  const deadline = systemClock.monotonic() + LONGEST_SETTLING_MS
  for (let left = 1; left > 0 && systemClock.monotonic() < deadline; ) {
    const round = await store.stimuli.settle(100)
    sum.settled += round.settled
    sum.matched += round.matched
    sum.rounds += 1
    left = round.open
    if (left > 0) await sleep(systemClock, 5)
  }
  return sum
}

export function stimulusExamples(open: () => Promise<Bench>): void {
  const waiting = async (b: Bench, node: ContractNode, ...opens: readonly NewBookmark[]): Promise<string> => {
    const id = await b.started(node)
    await node.checkpoint(checkpoint(id, { facts: opens.map(waitingFact), then: SUSPENDED, opens }))
    return id
  }
  const resume = (b: Bench, instanceId: string, name?: string): Promise<ResumeVerdict> =>
    b.store.stimuli.resume({ tenant: TENANT, instanceId, bookmark: name, payload: '{"yes":true}' })

  it('consumes a bookmark once, by name, by id, or as the only one', async () => {
    const b = await open()
    const node = await b.joined()
    for (const by of ['name', 'id', 'only'] as const) {
      const mark = bookmark(b.newId())
      const id = await waiting(b, node, mark)
      const asked = by === 'name' ? mark.name : by === 'id' ? mark.id : undefined
      expect(await resume(b, id, asked)).toEqual({ kind: 'resumed', bookmarkId: mark.id })
      expect(await resume(b, id, asked)).toEqual({ kind: 'already-resumed' })
      const [claim] = await node.claim()
      expect(claim).toMatchObject({ instanceId: id, claimNo: 2, stim: 1 })
      const [inbox] = await b.store.agenda.inbox([id])
      expect(inbox!.messages).toMatchObject([
        { kind: 'resume', bookmarkId: mark.id, step: 'ask', payload: { yes: true } },
      ])
      await node.checkpoint(
        checkpoint(id, { claimNo: 2, seq: 3, stim: 1, consumes: [inbox!.messages[0]!.id], then: COMPLETED }),
      )
      expect(await resume(b, id, asked)).toEqual({ kind: 'already-resumed' })
    }
  })

  it('loads a counter that has risen wherever a bookmark is gone', async () => {
    const b = await open()
    const node = await b.joined()
    const [first, second] = [bookmark(b.newId()), bookmark(b.newId(), { name: 'paid', hash: 'paid', step: 'pay' })]
    const id = await waiting(b, node, first, second)
    const standing = async () => {
      const [{ stim, openBookmarks } = { stim: -1, openBookmarks: [] }] = await b.store.agenda.load([id])
      return { stim, open: openBookmarks.map((each) => each.id).sort() }
    }
    expect(await standing()).toEqual({ stim: 0, open: [first.id, second.id].sort() })
    await resume(b, id, first.name)
    expect(await standing()).toEqual({ stim: 1, open: [second.id] })
    await node.claim()
    await resume(b, id, 'paid')
    expect(await standing()).toEqual({ stim: 2, open: [] })
  })

  it('gives a resumer the claim of what it has made due, where nobody has it', async () => {
    const b = await open()
    const node = await b.joined()
    const ask = (instanceId: string, nodeId: string, queues: readonly string[] = [QUEUE]) =>
      b.store.stimuli.resume(
        { tenant: TENANT, instanceId, bookmark: 'approved', payload: '{"yes":true}' },
        { nodeId, queues },
      )
    const id = await waiting(b, node, bookmark(b.newId()))
    expect(await ask(id, node.id)).toMatchObject({
      kind: 'resumed',
      claims: [{ tenant: TENANT, instanceId: id, claimNo: 2, stim: 1, crashes: 1 }],
    })
    expect(await ask(id, node.id)).toEqual({ kind: 'already-resumed' })
    expect(await node.claim()).toEqual([])
    const [inbox] = await b.store.agenda.inbox([id])
    const done = { claimNo: 2, seq: 3, stim: 1, consumes: [inbox!.messages[0]!.id], then: COMPLETED }
    expect(await node.checkpoint(checkpoint(id, done))).toMatchObject({ checkpoints: [{ kind: 'written' }] })

    // A stranger, a queue that it does not serve, an instance that somebody has: told all the same, and found by a claim.
    const strange = await waiting(b, node, bookmark(b.newId()))
    expect(await ask(strange, b.newId())).toMatchObject({ kind: 'resumed', claims: [] })
    const elsewhere = await waiting(b, node, bookmark(b.newId()))
    expect(await ask(elsewhere, node.id, ['elsewhere'])).toMatchObject({ kind: 'resumed', claims: [] })
    expect((await node.claim()).map((claim) => claim.instanceId).sort()).toEqual([strange, elsewhere].sort())
    const busy = await b.started(node)
    const mark = bookmark(b.newId())
    await node.checkpoint(checkpoint(busy, { facts: [waitingFact(mark)], opens: [mark] }))
    expect(await ask(busy, node.id)).toMatchObject({ kind: 'resumed', claims: [] })
  })

  it('gives a publisher the claims of some that its event has reached', async () => {
    const b = await open()
    const node = await b.joined()
    const wait = (): Promise<string> =>
      waiting(b, node, bookmark(b.newId(), { kind: 'event', name: 'paid', hash: b.newId() }))
    const taker = { nodeId: node.id, queues: [QUEUE] }
    expect(await b.store.stimuli.publish(event(b.newId(), { name: 'nobody' }), 500, taker)).toEqual({
      ...{ matched: 0, starts: false, claims: [] },
    })
    const ids: string[] = []
    for (let n = 0; n < 20; n += 1) ids.push(await wait())
    const { matched, claims } = await b.store.stimuli.publish(event(b.newId(), { name: 'paid' }), 500, taker)
    expect([matched, claims!.length]).toEqual([20, 16])
    expect(claims!.every((claim) => claim.claimNo === 2 && claim.stim === 1)).toBe(true)
    const rest = await node.claim(100)
    expect([...claims!, ...rest].map((claim) => claim.instanceId).sort()).toEqual([...ids].sort())
  })

  it('lets one of many resumers win', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await waiting(b, node, bookmark(b.newId()))
    const verdicts = await Promise.all(Array.from({ length: 8 }, () => resume(b, id, 'approved')))
    expect(verdicts.filter((verdict) => verdict.kind === 'resumed')).toHaveLength(1)
    expect(verdicts.filter((verdict) => verdict.kind === 'already-resumed')).toHaveLength(7)
  })

  it('says why it cannot resume: unknown, ambiguous, expired, or perhaps later', async () => {
    const b = await open()
    const node = await b.joined()
    expect(await resume(b, b.newId())).toEqual({ kind: 'not-found' })
    const two = await waiting(b, node, bookmark(b.newId(), { name: 'yes' }), bookmark(b.newId(), { name: 'no' }))
    expect(await resume(b, two)).toEqual({ kind: 'ambiguous', names: ['no', 'yes'] })
    expect(await resume(b, two, 'perhaps')).toEqual({ kind: 'not-found' })
    const late = await waiting(b, node, bookmark(b.newId(), { expiresInMs: -1 }))
    expect(await resume(b, late, 'approved')).toEqual({ kind: 'expired' })
    expect(await resume(b, await b.started(node), 'approved')).toEqual({ kind: 'in-progress' })
    const mark = bookmark(b.newId())
    const id = await waiting(b, node, mark)
    const foreign = { tenant: 'other', instanceId: id, bookmark: undefined, payload: '{}' }
    expect(await b.store.stimuli.resume(foreign)).toEqual({ kind: 'not-found' })
    expect(await resume(b, id)).toEqual({ kind: 'resumed', bookmarkId: mark.id })
  })

  it('delivers a message to a waiting instance and to a running one, and to none that has ended', async () => {
    const b = await open()
    const node = await b.joined()
    const [idle, busy] = [await waiting(b, node, bookmark(b.newId())), await b.started(node)]
    const message = (instanceId: string, dedupeKey?: string) => ({
      tenant: TENANT,
      instanceId,
      kind: 'cancel',
      payload: '{"why":1}',
      dedupeKey,
    })
    expect(await b.store.stimuli.send(message(idle, 'k'))).toBe(true)
    expect(await b.store.stimuli.send(message(idle, 'k'))).toBe(true)
    expect(await b.store.stimuli.send(message(busy))).toBe(true)
    expect(await b.store.stimuli.send(message(b.newId()))).toBe(false)
    expect(await node.claim()).toMatchObject([{ instanceId: idle }])
    const inboxes = await b.store.agenda.inbox([idle, busy])
    expect(inboxes.map((inbox) => inbox.messages.length)).toEqual([1, 1])
    const consumes = inboxes.find((inbox) => inbox.instanceId === busy)!.messages.map((each) => each.id)
    await node.checkpoint(checkpoint(busy, { stim: 1, consumes, then: COMPLETED }))
    expect(await b.store.stimuli.send(message(busy))).toBe(false)
  })

  it('makes an instance that waits for a moment due at once', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node, { claimed: false, dueInMs: 3_600_000 })
    expect(await node.claim()).toEqual([])
    await b.store.stimuli.send({ tenant: TENANT, instanceId: id, kind: 'cancel', payload: '{}', dedupeKey: undefined })
    expect(await node.claim()).toMatchObject([{ instanceId: id, stim: 1 }])
  })

  it('delivers an event to all that wait for it, in portions, by name and correlation', async () => {
    const b = await open()
    const node = await b.joined()
    const wait = (extra: Partial<NewBookmark>): Promise<string> =>
      waiting(b, node, bookmark(b.newId(), { kind: 'event', name: 'paid', hash: b.newId(), ...extra }))
    const plain = [await wait({}), await wait({}), await wait({})]
    const [red, blue] = [await wait({ correlationId: 'red' }), await wait({ correlationId: 'blue' })]
    await wait({ kind: 'signal' })
    await wait({ name: 'shipped' })
    await wait({ expiresInMs: -1 })
    const [toRed, toAll] = [b.newId(), b.newId()]
    await b.store.stimuli.publish(event(toRed, { correlationId: 'red' }))
    expect(await b.store.stimuli.match(TENANT, toRed, 2)).toBe(1)
    expect((await node.claim()).map((claim) => claim.instanceId)).toEqual([red])
    await b.store.stimuli.publish(event(toAll))
    await b.store.stimuli.publish(event(toAll))
    expect(await b.store.stimuli.match('other', toAll, 2)).toBe(0)
    expect([
      await b.store.stimuli.match(TENANT, toAll, 2),
      await b.store.stimuli.match(TENANT, toAll, 2),
      await b.store.stimuli.match(TENANT, toAll, 2),
    ]).toEqual([2, 2, 0])
    expect((await node.claim()).map((claim) => claim.instanceId).sort()).toEqual([...plain, blue].sort())
  })

  it('keeps an event for the first that asks, the oldest first, while it lives', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.stimuli.publish(event(b.newId(), { payload: '"dead"', ttlMs: -1 }))
    await b.store.stimuli.publish(event(b.newId(), { payload: '"first"' }))
    await b.store.stimuli.publish(event(b.newId(), { payload: '"second"' }))
    for (const payload of ['first', 'second']) {
      const id = await waiting(b, node, bookmark(b.newId(), { kind: 'event', name: 'paid' }))
      expect(await node.claim()).toMatchObject([{ instanceId: id, claimNo: 2, stim: 1 }])
      expect(await b.store.agenda.inbox([id])).toMatchObject([{ messages: [{ kind: 'event', payload }] }])
    }
    await waiting(b, node, bookmark(b.newId(), { kind: 'event', name: 'paid' }))
    expect(await node.claim()).toEqual([])
  })

  it('settles every event after a last look for those that wait for it', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.stimuli.publish(event(b.newId()))
    const unmatched = b.newId()
    const early = await waiting(b, node, bookmark(b.newId(), { kind: 'event', name: 'late' }))
    await b.store.stimuli.publish(event(unmatched, { name: 'late' }))
    const { rounds, ...sum } = await settled(b)
    expect(rounds).toBeGreaterThan(1)
    expect(sum).toEqual({ settled: 2, matched: 1 })
    expect(await node.claim()).toMatchObject([{ instanceId: early }])
  })

  it('ends one wait of an instance with an event that was kept, not the next one too', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.stimuli.publish(event(b.newId(), { payload: '"once"' }))
    const id = await waiting(b, node, bookmark(b.newId(), { kind: 'event', name: 'paid' }))
    expect(await node.claim()).toMatchObject([{ instanceId: id, claimNo: 2, stim: 1 }])
    const [inbox] = await b.store.agenda.inbox([id])
    expect(inbox!.messages).toMatchObject([{ kind: 'event', payload: 'once' }])
    const again = bookmark(b.newId(), { kind: 'event', name: 'paid', hash: 'again', step: 'again' })
    await node.checkpoint(
      checkpoint(id, {
        ...{ claimNo: 2, seq: 3, stim: 1, consumes: [inbox!.messages[0]!.id] },
        ...{ facts: [waitingFact(again)], then: SUSPENDED, opens: [again] },
      }),
    )
    expect(await settled(b)).toMatchObject({ settled: 1, matched: 0 })
    expect(await node.claim()).toEqual([])
  })
}

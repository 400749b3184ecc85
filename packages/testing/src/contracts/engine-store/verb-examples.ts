import type { CheckpointItem, EraseRequest, ForkItem, VerbMessage } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import {
  type Bench,
  bookmark,
  COMPLETED,
  type ContractNode,
  checkpoint,
  event,
  SUSPENDED,
  startItem,
  TENANT,
  waitingFact,
} from './fixture.ts'

const FAULTED = { kind: 'end', status: 'faulted' } as const
const PAUSED = { kind: 'suspend', dueAt: undefined, dueInMs: undefined, status: 'paused' } as const
const QUARANTINED = { ...PAUSED, status: 'quarantined' } as const
const NOBODY = '00000000-0000-7000-8000-ffffffffffff'

export function verbExamples(open: () => Promise<Bench>): void {
  const message = (instanceId: string, kind: string, extra: Partial<VerbMessage> = {}): VerbMessage => ({
    ...{ tenant: TENANT, instanceId, kind, payload: '{}', dedupeKey: undefined, queue: undefined },
    operationId: undefined,
    ...extra,
  })
  const retryOf = (instanceId: string, force = false) => ({
    ...{ tenant: TENANT, instanceId, messages: [{ kind: 'retry', payload: '{"n":1}' }], queue: undefined, force },
    ...{ note: 'mended', operationId: undefined },
  })
  const rests = async (b: Bench, node: ContractNode, then: CheckpointItem['then'], extra = {}): Promise<string> => {
    const id = await b.started(node, extra)
    await node.checkpoint(checkpoint(id, { then }))
    return id
  }

  it('puts a message into the inbox of what lives, once per key, and wakes it', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await rests(b, node, SUSPENDED)
    const { verbs } = b.store
    expect(await verbs.send(message(id, 'terminate', { dedupeKey: 'terminate' }))).toEqual({ kind: 'accepted' })
    expect(await verbs.send(message(id, 'terminate', { dedupeKey: 'terminate' }))).toEqual({
      kind: 'already-requested',
    })
    expect(await node.claim()).toMatchObject([{ instanceId: id, stim: 1 }])
    expect((await b.store.agenda.inbox([id]))[0]!.messages).toMatchObject([{ kind: 'terminate' }])
    expect(await verbs.send(message(NOBODY, 'terminate'))).toEqual({ kind: 'not-found' })
    expect(await verbs.send(message(id, 'terminate', { tenant: 'other' }))).toEqual({ kind: 'not-found' })
    const over = await rests(b, node, COMPLETED)
    expect(await verbs.send(message(over, 'pause'))).toEqual({ kind: 'wrong-state', status: 'completed' })
  })

  describe('deletes what has ended', () => {
    const asked = (instanceId: string, extra: Partial<EraseRequest> = {}): EraseRequest => ({
      ...{ tenant: TENANT, instanceId, rows: 100, look: false, operationId: undefined },
      ...extra,
    })
    const ENDED = [{ kind: 'ended', data: '{"status":"completed"}' }]

    it('with all that belongs to it, and only says so where it is looked', async () => {
      const b = await open()
      const node = await b.joined()
      const id = await b.started(node)
      await node.checkpoint(checkpoint(id, { facts: ENDED, then: COMPLETED }))
      const { verbs, instances } = b.store
      expect(await verbs.erase(asked(id, { look: true }))).toEqual({ kind: 'deleted', facts: 2, incidents: 0 })
      expect(await instances.get(TENANT, id)).toBeDefined()
      expect(await verbs.erase(asked(id, { tenant: 'other' }))).toEqual({ kind: 'not-found' })
      expect(await verbs.erase(asked(id))).toEqual({ kind: 'deleted', facts: 2, incidents: 0 })
      expect(await instances.get(TENANT, id)).toBeUndefined()
      expect(await instances.journal(TENANT, id, 0, 10)).toEqual([])
      expect(await verbs.erase(asked(id))).toEqual({ kind: 'not-found' })
    })

    it('but not what lives, is held, or may be started once more', async () => {
      const b = await open()
      const node = await b.joined()
      const { verbs, maintenance, instances } = b.store
      const parent = await rests(b, node, SUSPENDED)
      expect(await verbs.erase(asked(parent))).toEqual({ kind: 'wrong-state', status: 'suspended' })
      const child = await rests(b, node, COMPLETED, { parentId: parent, parentStep: 'run' })
      expect(await verbs.erase(asked(child))).toEqual({ kind: 'parent-lives', parentId: parent })
      const id = await rests(b, node, COMPLETED)
      const hold = { tenant: TENANT, subject: `instance:${id}`, aspect: 'hold' } as const
      await maintenance.saveRule(hold, { keepMs: undefined, reason: 'a trial' })
      const held = { kind: 'held', subject: `instance:${id}`, reason: 'a trial' }
      for (const look of [true, false]) expect(await verbs.erase(asked(id, { look }))).toEqual(held)
      expect(await instances.get(TENANT, id)).toBeDefined()
      await maintenance.saveRule(hold, undefined)
      expect((await verbs.erase(asked(id))).kind).toBe('deleted')
    })
  })

  it('pauses what is not paused and continues what is, by the last word', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await rests(b, node, SUSPENDED)
    const ask = async (kind: string) => (await b.store.verbs.send(message(id, kind))).kind
    expect(await ask('continue')).toBe('wrong-state')
    expect(await ask('pause')).toBe('accepted')
    expect(await ask('pause')).toBe('wrong-state')
    expect(await ask('continue')).toBe('accepted')
    expect(await ask('continue')).toBe('wrong-state')
    const paused = await rests(b, node, PAUSED)
    expect(await b.store.verbs.send(message(paused, 'pause'))).toEqual({ kind: 'wrong-state', status: 'paused' })
    expect(await b.store.verbs.send(message(paused, 'continue'))).toEqual({ kind: 'accepted' })
    // Applied, and still running a step: its row does not say so yet.
    const busy = await b.started(node)
    await node.checkpoint(checkpoint(busy, { facts: [{ kind: 'paused', data: '{}' }] }))
    expect(await b.store.verbs.send(message(busy, 'pause'))).toEqual({ kind: 'wrong-state', status: 'paused' })
    expect(await b.store.verbs.send(message(busy, 'continue'))).toEqual({ kind: 'accepted' })
  })

  it('opens what has faulted once more, and resolves its incidents', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const incident = { id: b.newId(), step: 'a', fingerprint: 'f', code: 'BROKEN', message: 'no' }
    await node.checkpoint(checkpoint(id, { then: FAULTED, incidents: [incident] }))
    expect(await b.store.verbs.retry(retryOf(id))).toEqual({ kind: 'accepted' })
    expect(await b.store.verbs.retry(retryOf(id))).toEqual({ kind: 'wrong-state', status: 'suspended' })
    expect(await b.store.instances.get(TENANT, id)).toMatchObject({ status: 'suspended', finishedAt: undefined })
    expect(await b.store.incidents.get(TENANT, incident.id)).toMatchObject({ resolution: 'retried', note: 'mended' })
    const [claim] = await node.claim()
    expect(claim).toMatchObject({ instanceId: id, claimNo: 2, stim: 1 })
    const [inbox] = await b.store.agenda.inbox([id])
    expect(inbox!.messages).toMatchObject([{ kind: 'retry', payload: { n: 1 } }])
    const facts = [{ kind: 'retried', data: '{}' }]
    const consumes = inbox!.messages.map((each) => each.id)
    const item = checkpoint(id, { claimNo: 2, seq: 3, stim: 1, facts, consumes, then: COMPLETED })
    expect(await node.checkpoint(item)).toMatchObject({ checkpoints: [{ kind: 'written' }] })
    expect(await b.store.verbs.retry(retryOf(id))).toEqual({ kind: 'wrong-state', status: 'completed' })
    const aside = await rests(b, node, QUARANTINED)
    expect(await b.store.verbs.retry(retryOf(aside))).toEqual({ kind: 'accepted' })
    expect(await b.store.verbs.retry(retryOf(aside))).toEqual({ kind: 'already-requested' })
    expect(await b.store.verbs.retry(retryOf(NOBODY))).toEqual({ kind: 'not-found' })
  })

  it('takes the end of a child back that nobody has read, and not one that may have been', async () => {
    const b = await open()
    const node = await b.joined()
    const family = async (then: CheckpointItem['then'] | undefined) => {
      const parent = await b.started(node)
      if (then !== undefined) await node.checkpoint(checkpoint(parent, { then }))
      const child = await b.started(node, { parentId: parent, parentStep: 'run' })
      const payload = JSON.stringify({ status: 'faulted', child })
      await node.checkpoint(checkpoint(child, { then: FAULTED, parent: { instanceId: parent, step: 'run', payload } }))
      return { parent, child }
    }
    const resting = await family(SUSPENDED)
    expect(await b.store.verbs.retry(retryOf(resting.child))).toEqual({ kind: 'accepted' })
    expect((await b.store.agenda.inbox([resting.parent]))[0]!.messages).toEqual([])
    const busy = await family(undefined)
    const told = { kind: 'parent-told', parentId: busy.parent }
    expect(await b.store.verbs.retry(retryOf(busy.child))).toEqual(told)
    expect(await b.store.verbs.retry(retryOf(busy.child, true))).toEqual({ kind: 'accepted' })
    expect((await b.store.agenda.inbox([busy.parent]))[0]!.messages).toHaveLength(1)
  })

  it('copies the first facts of an instance into a new one, with what it waits for', async () => {
    const b = await open()
    const node = await b.joined()
    const mark = bookmark(b.newId(), { kind: 'event', name: 'paid' })
    const source = await b.started(node)
    await node.checkpoint(checkpoint(source, { facts: [waitingFact(mark)], then: SUSPENDED, opens: [mark] }))
    const first = b.newId()
    await b.store.stimuli.publish(event(first, { payload: '{"kept":1}' }))
    await b.store.stimuli.match(TENANT, first, 10)
    await b.store.stimuli.publish(event(b.newId(), { payload: '{"kept":2}' }))
    const item: ForkItem = {
      ...{ tenant: TENANT, nodeId: node.id, sourceId: source, atSeq: 2, instanceId: b.newId(), version: 1 },
      ...{ correlationId: 'c', dedupeKey: 'once', queue: 'default' },
      started: { kind: 'started', data: '{"input":{"amount":9}}' },
      forked: { kind: 'forked', data: JSON.stringify({ from: source, at: 2 }) },
      opens: [bookmark(b.newId(), { kind: 'event', name: 'paid' })],
    }
    expect(await b.store.verbs.fork(item)).toEqual({ kind: 'forked' })
    expect(await b.store.verbs.fork({ ...item, instanceId: b.newId() })).toEqual({
      ...{ kind: 'duplicate', instanceId: item.instanceId },
    })
    expect(await b.store.verbs.fork({ ...item, atSeq: 9, dedupeKey: undefined })).toEqual({ kind: 'not-found' })
    const view = await b.store.instances.get(TENANT, item.instanceId)
    expect(view).toMatchObject({ input: { amount: 9 }, correlationId: 'c', status: 'queued', revision: 3 })
    const journal = await b.store.instances.journal(TENANT, item.instanceId, 0, 10)
    expect(journal.map((row) => [row.seq, row.kind])).toEqual([
      [1, 'started'],
      [2, 'waiting'],
      [3, 'forked'],
    ])
    // Two events came: one for the original, the kept one for the copy.
    expect((await b.store.agenda.inbox([item.instanceId]))[0]!.messages).toMatchObject([{ payload: { kept: 2 } }])
    expect((await node.claim()).map((claim) => claim.instanceId).sort()).toEqual([source, item.instanceId].sort())
  })

  it('writes another version with the fact that says so, renames steps, and gives the claim back', async () => {
    const b = await open()
    const [node, other] = [await b.joined(), await b.joined()]
    const mark = bookmark(b.newId())
    const id = await b.started(node)
    await node.checkpoint(checkpoint(id, { facts: [waitingFact(mark)], then: SUSPENDED, opens: [mark] }))
    await b.store.stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: 'approved', payload: '1' })
    await b.store.verbs.send(message(id, 'migrate', { queue: 'elsewhere' }))
    const [claim] = await b.store.agenda.claim({
      ...{ nodeId: node.id, queues: ['elsewhere'], limit: 9, aheadMs: 0, floorMs: undefined },
    })
    const messages = (await b.store.agenda.inbox([id]))[0]!.messages
    const revision = {
      ...{ tenant: TENANT, instanceId: id, nodeId: node.id, claimNo: claim!.claimNo, seq: 3, version: 2 },
      ...{ queue: 'default', renames: [{ from: 'ask', to: 'question' }] },
      fact: { kind: 'migrated', data: '{"from":1,"to":2}' },
      consumes: messages.filter((each) => each.kind === 'migrate').map((each) => each.id),
    }
    expect(await b.store.verbs.revise({ ...revision, nodeId: other.id })).toBe(false)
    expect(await b.store.verbs.revise({ ...revision, seq: 5 })).toBe(false)
    expect(await b.store.verbs.revise({ ...revision, claimNo: 1 })).toBe(false)
    expect(await b.store.verbs.revise(revision)).toBe(true)
    expect(await b.store.verbs.revise(revision)).toBe(false)
    expect(await b.store.instances.get(TENANT, id)).toMatchObject({ version: 2, revision: 3 })
    const [again] = await node.claim()
    expect(again).toMatchObject({ instanceId: id, claimNo: claim!.claimNo + 1 })
    expect((await b.store.agenda.inbox([id]))[0]!.messages).toMatchObject([{ kind: 'resume', step: 'question' }])
    expect(await b.store.verbs.handOver(other.id, id, again!.claimNo, undefined)).toBe(false)
    expect(await b.store.verbs.handOver(node.id, id, again!.claimNo, 'third')).toBe(true)
    expect(await node.claim()).toEqual([])
  })

  it('lists children and instances of a version that have not ended', async () => {
    const b = await open()
    const node = await b.joined()
    const parent = await b.started(node)
    const children = [
      await b.started(node, { parentId: parent }),
      await b.started(node, { parentId: parent, parentStep: 'x' }),
    ]
    const over = await b.started(node, { parentId: parent })
    await node.checkpoint(checkpoint(over, { then: COMPLETED }))
    expect(await b.store.verbs.children(TENANT, parent, undefined, 10)).toEqual(children)
    expect(await b.store.verbs.children(TENANT, parent, children[0], 10)).toEqual([children[1]])
    const all = await b.store.verbs.pinned(TENANT, startItem('').definitionId, 1, { after: undefined, lookAt: 3 })
    expect(all.ids).toEqual([parent, ...children])
    const rest = await b.store.verbs.pinned(TENANT, startItem('').definitionId, 1, { after: all.next, lookAt: 3 })
    expect(rest).toEqual({ ids: [], next: undefined })
  })
}

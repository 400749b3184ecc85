import { SNAPSHOT_FORMAT } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import { type Bench, bookmark, COMPLETED, checkpoint, dueIn, event, HOUR, SUSPENDED, TENANT } from './fixture.ts'

const kinds = (answer: { checkpoints: readonly { kind: string }[] }): string[] =>
  answer.checkpoints.map((verdict) => verdict.kind)

export function checkpointExamples(open: () => Promise<Bench>): void {
  it('refuses a checkpoint with a foreign claim, an old claim, or a gap before it', async () => {
    const b = await open()
    const [owner, other] = [await b.joined(), await b.joined()]
    const id = await b.started(owner)
    expect(kinds(await other.checkpoint(checkpoint(id)))).toEqual(['lost'])
    expect(kinds(await owner.checkpoint(checkpoint(id, { claimNo: 0 })))).toEqual(['lost'])
    expect(kinds(await owner.checkpoint(checkpoint(id, { seq: 3 })))).toEqual(['lost'])
    expect(kinds(await owner.checkpoint(checkpoint(id, { seq: 3, then: SUSPENDED })))).toEqual(['lost'])
    expect(kinds(await owner.checkpoint(checkpoint(id, { seq: 3, then: dueIn(0) })))).toEqual(['lost'])
    expect(await b.store.instances.journal(TENANT, id, 0, 10)).toMatchObject([
      { seq: 1, kind: 'started', claimNo: 1, nodeId: owner.id },
    ])
    expect(await b.store.agenda.claims(owner.id)).toMatchObject([{ instanceId: id, claimNo: 1 }])
  })

  it('never writes a fact over another', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    await node.checkpoint(checkpoint(id))
    const second = node.checkpoint(checkpoint(id, { facts: [{ kind: 'failed', data: '{}' }] }))
    await expect(second.then(kinds)).rejects.toThrow()
    expect((await b.store.agenda.load([id]))[0]!.facts.map((fact) => fact.kind)).toEqual(['started', 'completed'])
  })

  it('refuses one item of a batch and writes the others, in the order of the batch', async () => {
    const b = await open()
    const node = await b.joined()
    const [one, two, three] = [await b.started(node), await b.started(node), await b.started(node)]
    await b.store.stimuli.send({ tenant: TENANT, instanceId: two, kind: 'cancel', payload: '{}', dedupeKey: undefined })
    const answer = await node.checkpoint(
      checkpoint(three, { claimNo: 5 }),
      checkpoint(two, { then: SUSPENDED }),
      checkpoint(one, { then: SUSPENDED, opens: [bookmark(b.newId())] }),
    )
    expect(kinds(answer)).toEqual(['lost', 'stimulated', 'written'])
    expect((await b.store.agenda.claims(node.id)).map((claim) => claim.instanceId).sort()).toEqual([two, three])
  })

  it('gives instances another correlation id, those of the items that it writes', async () => {
    const b = await open()
    const node = await b.joined()
    const [one, two, three] = [await b.started(node), await b.started(node), await b.started(node)]
    const answer = await node.checkpoint(
      checkpoint(three, { correlationId: 'C-3' }),
      checkpoint(two, { claimNo: 5, correlationId: 'C-2' }),
      checkpoint(one, { correlationId: 'C-1', then: SUSPENDED }),
    )
    expect(kinds(answer)).toEqual(['written', 'lost', 'written'])
    const views = await Promise.all([one, two, three].map((id) => b.store.instances.get(TENANT, id)))
    expect(views.map((view) => view?.correlationId)).toEqual(['C-1', undefined, 'C-3'])
  })

  it('lets a stimulus refuse whatever decides without it, but not a plain hold', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const open1 = bookmark(b.newId())
    await node.checkpoint(checkpoint(id, { opens: [open1] }))
    await b.store.stimuli.send({ tenant: TENANT, instanceId: id, kind: 'edit', payload: '{}', dedupeKey: undefined })
    for (const then of [SUSPENDED, COMPLETED, dueIn(0), dueIn(HOUR)]) {
      expect(kinds(await node.checkpoint(checkpoint(id, { seq: 3, then })))).toEqual(['stimulated'])
    }
    expect(kinds(await node.checkpoint(checkpoint(id, { seq: 3, closes: [open1.id] })))).toEqual(['stimulated'])
    expect(kinds(await node.checkpoint(checkpoint(id, { seq: 3 })))).toEqual(['written'])
    expect(kinds(await node.checkpoint(checkpoint(id, { seq: 4, stim: 1, closes: [open1.id] })))).toEqual(['written'])
    expect((await b.store.agenda.load([id]))[0]!.openBookmarks).toEqual([])
  })

  it('suspends until a moment, for the outside, or until whichever comes first', async () => {
    const b = await open()
    const node = await b.joined()
    const ids = [await b.started(node), await b.started(node), await b.started(node), await b.started(node)] as const
    const { at } = await node.checkpoint(
      checkpoint(ids[0], { then: SUSPENDED, opens: [bookmark(b.newId())] }),
      checkpoint(ids[1], { then: dueIn(-1) }),
      checkpoint(ids[2], { then: dueIn(HOUR) }),
    )
    const both = { kind: 'suspend', dueAt: at - 5_000, dueInMs: HOUR, status: 'suspended' } as const
    await node.checkpoint(checkpoint(ids[3], { then: both }))
    const due = await node.claim()
    expect(due.map((claim) => claim.instanceId)).toEqual([ids[3], ids[1]])
    expect(due.every((claim) => claim.claimNo === 2 && claim.crashes === 1 && claim.dueInMs < 0)).toBe(true)
    expect((await node.claim(100, 2 * HOUR)).map((claim) => claim.instanceId)).toEqual([ids[2]])
    expect(await node.claim(100, 2 * HOUR)).toEqual([])
  })

  it('ends an instance: off the agenda, its result to be read, its parent told', async () => {
    const b = await open()
    const node = await b.joined()
    const parent = await b.started(node)
    await node.checkpoint(checkpoint(parent, { then: SUSPENDED, opens: [bookmark(b.newId(), { kind: 'child' })] }))
    const child = await b.started(node, { parentId: parent, parentStep: 'sub' })
    const answer = await node.checkpoint(
      checkpoint(child, {
        facts: [{ kind: 'ended', data: '{"status":"completed","output":{"sum":3}}' }],
        then: COMPLETED,
        parent: { instanceId: parent, step: 'sub', payload: '{"sum":3}' },
      }),
    )
    expect(answer.woken).toBe(1)
    expect(await b.store.instances.get(TENANT, child)).toMatchObject({
      status: 'completed',
      output: { sum: 3 },
      nodeId: undefined,
      revision: 2,
    })
    expect(await node.claim()).toMatchObject([{ instanceId: parent, claimNo: 2, stim: 1 }])
    expect(await b.store.agenda.inbox([parent])).toMatchObject([
      { stim: 1, messages: [{ kind: 'child', step: 'sub', payload: { sum: 3 } }] },
    ])
    expect(kinds(await node.checkpoint(checkpoint(child, { seq: 3 })))).toEqual(['lost'])
  })

  it('keeps one bookmark per hash of an instance', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const [first, second] = [bookmark(b.newId()), bookmark(b.newId())]
    await node.checkpoint(checkpoint(id, { opens: [first] }))
    await node.checkpoint(checkpoint(id, { seq: 3, opens: [second] }))
    expect((await b.store.agenda.load([id]))[0]!.openBookmarks.map((row) => row.id)).toEqual([first.id])
    await node.checkpoint(checkpoint(id, { seq: 4, closes: [first.id], opens: [second] }))
    expect((await b.store.agenda.load([id]))[0]!.openBookmarks.map((row) => row.id)).toEqual([second.id])
  })

  it('consumes the messages that the facts apply, and no others', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    for (const kind of ['cancel', 'edit'])
      await b.store.stimuli.send({ tenant: TENANT, instanceId: id, kind, payload: '{}', dedupeKey: undefined })
    const [before] = await b.store.agenda.inbox([id])
    expect(before).toMatchObject({ stim: 2, messages: [{ kind: 'cancel' }, { kind: 'edit' }] })
    expect(
      kinds(await node.checkpoint(checkpoint(id, { stim: 1, then: dueIn(0), consumes: [before!.messages[0]!.id] }))),
    ).toEqual(['stimulated'])
    expect((await b.store.agenda.inbox([id]))[0]!.messages).toHaveLength(2)
    await node.checkpoint(checkpoint(id, { stim: 2, then: dueIn(0), consumes: [before!.messages[0]!.id] }))
    expect((await b.store.agenda.inbox([id]))[0]!.messages).toMatchObject([{ kind: 'edit' }])
  })

  it('loads the whole journal when the snapshot is of a later version (P9)', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const snapshot = JSON.stringify({ format: SNAPSHOT_FORMAT + 1, seq: 2 })
    await node.checkpoint(checkpoint(id, { then: dueIn(0), snapshot }))
    const [loaded] = await b.store.agenda.load([id])
    expect(loaded).toMatchObject({ snapshot: null, snapshotSeq: 0, snapshotAt: undefined })
    expect(loaded!.facts.map(({ seq }) => seq)).toEqual([1, 2])
  })

  it('loads from the snapshot on', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const facts = ['a', 'b'].map((step) => ({ kind: 'completed', data: JSON.stringify({ step }) }))
    const { at } = await node.checkpoint(checkpoint(id, { facts, then: dueIn(0), snapshot: '{"upTo":3}' }))
    await node.claim()
    await node.checkpoint(checkpoint(id, { claimNo: 2, seq: 4 }))
    const [loaded] = await b.store.agenda.load([id])
    expect(loaded).toMatchObject({
      snapshot: { upTo: 3 },
      snapshotSeq: 3,
      status: 'suspended',
      version: 1,
      facts: [{ seq: 4, kind: 'completed' }],
    })
    expect(Math.abs(loaded!.snapshotAt! - at)).toBeLessThan(1)
  })

  it('forgets earlier crashes when the instance has survived', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    const id = await b.started(one)
    await b.store.membership.bury({ id: one.id, beat: 0 })
    expect(await two.claim()).toMatchObject([{ crashes: 2 }])
    await two.checkpoint(checkpoint(id, { claimNo: 2, survived: true }))
    expect(await b.store.agenda.claims(two.id)).toMatchObject([{ crashes: 1 }])
  })

  it('shows open incidents with their instance', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const incident = { id: b.newId(), step: 'a', fingerprint: 'f', code: 'STEP_FAILED', message: 'no' }
    await node.checkpoint(checkpoint(id, { incidents: [incident] }))
    expect((await b.store.instances.get(TENANT, id))!.incidents).toMatchObject([
      { id: incident.id, code: 'STEP_FAILED', step: 'a' },
    ])
  })

  it('publishes with the facts, or not at all', async () => {
    const b = await open()
    const node = await b.joined()
    const [sender, waiter] = [await b.started(node), await b.started(node)]
    const [kept, never] = [b.newId(), b.newId()]
    await node.checkpoint(
      checkpoint(sender, { publishes: [event(kept)] }),
      checkpoint(waiter, { claimNo: 4, publishes: [event(never)] }),
    )
    await node.checkpoint(
      checkpoint(waiter, { then: SUSPENDED, opens: [bookmark(b.newId(), { kind: 'event', name: 'paid' })] }),
    )
    expect(await b.store.stimuli.match(TENANT, never, 10)).toBe(0)
    expect(await b.store.agenda.inbox([waiter])).toMatchObject([{ messages: [{ kind: 'event', payload: { n: 1 } }] }])
  })
}

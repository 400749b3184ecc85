import { STATE_FORMAT } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import { type Bench, bookmark, checkpoint, dueIn, HOUR, QUEUE, SUSPENDED, TENANT, waitingFact } from './fixture.ts'

export function agendaExamples(open: () => Promise<Bench>): void {
  it('claims the oldest first, no more than asked, and nothing twice', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    const ids: string[] = []
    for (const ago of [10, 30, 20]) ids.push(await b.started(one, { claimed: false, dueInMs: -ago * 1_000 }))
    expect((await one.claim(2)).map((claim) => claim.instanceId).sort()).toEqual([ids[1], ids[2]].sort())
    expect((await two.claim(2)).map((claim) => claim.instanceId)).toEqual([ids[0]])
    expect(await two.claim(2)).toEqual([])
  })

  it('claims what has run before ahead of what is new, however old that is (P10)', async () => {
    const b = await open()
    const node = await b.joined()
    const going = await b.started(node)
    const fresh = [
      await b.started(node, { claimed: false, dueInMs: -HOUR }),
      await b.started(node, { claimed: false, dueInMs: -HOUR }),
    ]
    await node.checkpoint(checkpoint(going, { then: dueIn(-1) }))
    expect((await node.claim(2)).map((claim) => claim.instanceId)).toContain(going)
    expect(fresh).toContain((await node.claim(2))[0]?.instanceId)
  })

  it('gives two nodes that claim at the same time different instances', async () => {
    const b = await open()
    const nodes = [await b.joined(), await b.joined(), await b.joined()]
    const ids: string[] = []
    for (let turn = 0; turn < 30; turn += 1) ids.push(await b.started(nodes[0]!, { claimed: false }))
    const claimed: string[] = []
    while (claimed.length < ids.length) {
      const rounds = await Promise.all(nodes.map((node) => node.claim(4)))
      claimed.push(...rounds.flat().map((claim) => claim.instanceId))
    }
    expect([...claimed].sort()).toEqual([...ids].sort())
  })

  it('claims from the queues it was asked for only, and looks no further back than the floor', async () => {
    const b = await open()
    const node = await b.joined()
    const request = { nodeId: node.id, limit: 10, aheadMs: 0, floorMs: undefined }
    const slow = await b.started(node, { claimed: false, queue: 'slow' })
    const old = await b.started(node, { claimed: false, dueInMs: -HOUR })
    expect(await b.store.agenda.claim({ ...request, queues: ['elsewhere'] })).toEqual([])
    expect(await b.store.agenda.claim({ ...request, queues: [QUEUE], floorMs: 60_000 })).toEqual([])
    const both = await b.store.agenda.claim({ ...request, queues: ['slow', QUEUE] })
    expect(both.map((claim) => claim.instanceId).sort()).toEqual([slow, old].sort())
  })

  it('hands a node only what it says it can read, and the rest to others (P9)', async () => {
    const b = await open()
    const [old, now] = [await b.joined(1), await b.joined()]
    const started = { kind: 'started' as const, data: `{"input":null,"format":${STATE_FORMAT}}` }
    const pinned = await b.started(now, { claimed: false, started })
    const plain = await b.started(now, { claimed: false })
    expect((await old.claim()).map((claim) => claim.instanceId)).toEqual([plain])
    expect(await old.claim()).toEqual([])
    expect((await now.claim()).map((claim) => claim.instanceId)).toEqual([pinned])
    const mark = bookmark(b.newId())
    const wait = { facts: [waitingFact(mark)], opens: [mark], then: SUSPENDED }
    await now.checkpoint(checkpoint(pinned, wait))
    const resume = { tenant: TENANT, instanceId: pinned, bookmark: mark.id, payload: 'null' }
    const taker = { nodeId: old.id, queues: [QUEUE] }
    expect(await b.store.stimuli.resume(resume, taker)).toMatchObject({ kind: 'resumed', claims: [] })
    expect((await now.claim()).map((claim) => claim.instanceId)).toEqual([pinned])
  })

  it('gives claims back as if they had never been taken, except for their number', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    const id = await b.started(one, { claimed: false })
    await one.claim()
    await b.store.agenda.release(two.id, [id])
    expect(await b.store.agenda.claims(one.id)).toMatchObject([{ instanceId: id }])
    await b.store.agenda.release(one.id, [id])
    expect(await b.store.agenda.claims(one.id)).toEqual([])
    expect(await two.claim()).toMatchObject([{ instanceId: id, claimNo: 2, crashes: 1 }])
    expect((await one.checkpoint(checkpoint(id))).checkpoints).toEqual([{ kind: 'lost' }])
  })

  it('lists the claims of a node with what it needs to go on', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    await node.checkpoint(checkpoint(id, { then: dueIn(HOUR) }))
    const [claimed] = await node.claim(10, 2 * HOUR)
    const [listed] = await b.store.agenda.claims(node.id)
    expect(listed).toEqual({ ...claimed, dueInMs: listed!.dueInMs })
    expect(listed!.dueInMs).toBeGreaterThan(HOUR / 2)
  })

  it('loads what there is and passes over ids that do not exist', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node, { correlationId: 'c', parentId: b.newId(), parentStep: 's' })
    const loaded = await b.store.agenda.load([b.newId(), id])
    expect(loaded).toMatchObject([
      {
        instanceId: id,
        correlationId: 'c',
        parentStep: 's',
        snapshotSeq: 0,
        snapshotAt: undefined,
        facts: [{ seq: 1, kind: 'started', data: { input: { amount: 7 } } }],
      },
    ])
    expect(await b.store.agenda.load([])).toEqual([])
  })

  it('answers an empty inbox with its counter', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    expect(await b.store.agenda.inbox([id])).toEqual([{ instanceId: id, stim: 0, messages: [] }])
  })
}

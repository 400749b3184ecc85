import { expect, it } from 'vitest'
import { type Bench, checkpoint, startItem } from './fixture.ts'

export function membershipExamples(open: () => Promise<Bench>): void {
  it('shows a node the others and their beats, and raises its own', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    expect(await b.store.membership.beat(one.id)).toMatchObject({ alive: true, others: [{ id: two.id, beat: 0 }] })
    expect(await b.store.membership.beat(two.id)).toMatchObject({ alive: true, others: [{ id: one.id, beat: 1 }] })
  })

  it('shows a node how much room the others have, by what they said last', async () => {
    const b = await open()
    const { membership } = b.store
    const [node, id] = [await b.joined(), b.newId()]
    const room = async (): Promise<number | undefined> =>
      (await membership.beat(node.id)).others.find((each) => each.id === id)?.room
    await membership.join({ id, name: 'roomy', version: '1.0.0', capacity: 100 })
    expect(await room()).toBe(100)
    await membership.beat(id, { state: 'active', held: 30 })
    expect(await room()).toBe(70)
    await membership.beat(id, { state: 'active', held: 130 })
    expect(await room()).toBe(0)
    await membership.beat(id, { state: 'cordoned', held: 0 })
    expect(await room()).toBe(0)
  })

  it('takes a repeated join for the first one', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.membership.beat(node.id)
    await b.store.membership.join({ id: node.id, name: 'node', version: '1.0.0' })
    const other = await b.joined()
    expect((await b.store.membership.beat(other.id)).others).toEqual([{ id: node.id, name: 'node', beat: 1, room: 0 }])
  })

  it('does not bury a node that has beaten since it was seen', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.membership.beat(node.id)
    expect(await b.store.membership.bury({ id: node.id, beat: 0 })).toBe(false)
    expect((await b.store.membership.beat(node.id)).alive).toBe(true)
  })

  it('buries a silent node once, tells it so, and frees its claims with their crash on record', async () => {
    const b = await open()
    const [dead, survivor] = [await b.joined(), await b.joined()]
    const instanceId = await b.started(dead)
    expect(await b.store.membership.bury({ id: dead.id, beat: 0 })).toBe(true)
    expect(await b.store.membership.bury({ id: dead.id, beat: 0 })).toBe(false)
    expect(await b.store.membership.beat(dead.id)).toEqual({
      ...{ alive: false, wanted: undefined, at: undefined },
      others: [{ id: survivor.id, name: 'node', beat: 0, room: 0 }],
    })
    expect(await survivor.claim()).toMatchObject([{ instanceId, claimNo: 2, crashes: 2 }])
  })

  it('refuses every batch of a buried node, with starts as with checkpoints', async () => {
    const b = await open()
    const [dead, survivor] = [await b.joined(), await b.joined()]
    const instanceId = await b.started(dead)
    await b.store.membership.bury({ id: dead.id, beat: 0 })
    await expect(dead.checkpoint(checkpoint(instanceId))).rejects.toMatchObject({ code: 'FENCED' })
    const late = b.newId()
    await expect(dead.start(startItem(late))).rejects.toMatchObject({ code: 'FENCED' })
    expect(await b.store.agenda.load([late])).toEqual([])
    await survivor.claim()
    expect((await b.store.agenda.load([instanceId]))[0]!.facts).toHaveLength(1)
  })

  it('gives a buried node no claims', async () => {
    const b = await open()
    const [dead, survivor] = [await b.joined(), await b.joined()]
    const instanceId = await b.started(survivor, { claimed: false })
    await b.store.membership.bury({ id: dead.id, beat: 0 })
    await expect(dead.claim()).rejects.toThrow()
    expect(await survivor.claim()).toMatchObject([{ instanceId, claimNo: 1 }])
  })

  it('hands over the claims of a node that leaves as if they had never crashed', async () => {
    const b = await open()
    const [leaving, survivor] = [await b.joined(), await b.joined()]
    const instanceId = await b.started(leaving)
    await b.store.membership.leave(leaving.id)
    expect((await b.store.membership.beat(leaving.id)).alive).toBe(false)
    expect(await survivor.claim()).toMatchObject([{ instanceId, claimNo: 2, crashes: 1 }])
    await expect(leaving.checkpoint(checkpoint(instanceId))).rejects.toMatchObject({ code: 'FENCED' })
  })
}

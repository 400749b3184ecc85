import type { ClusterEvent } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import { type Bench, checkpoint } from './fixture.ts'

/** What operators want of nodes, and what is written down of what happens to them. */
export function clusterExamples(open: () => Promise<Bench>): void {
  /** An open transaction of a stranger on the same server holds the latest of them back for a while. */
  const all = async ({ store }: Bench, count: number): Promise<readonly ClusterEvent[]> => {
    await expect.poll(async () => (await store.membership.events('0', 100)).length).toBe(count)
    return store.membership.events('0', 100)
  }

  it('tells a node with its next beat what is wanted of it, and the time', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    const { membership } = b.store
    const first = await membership.beat(one.id)
    expect(first).toMatchObject({ wanted: 'active', at: expect.any(Number) })
    expect(await membership.order(one.id, 'cordoned')).toBe(true)
    expect((await membership.beat(one.id)).wanted).toBe('cordoned')
    expect((await membership.beat(two.id)).wanted).toBe('active')
    expect(await membership.order(one.id, 'active')).toBe(true)
    const last = await membership.beat(one.id, { state: 'active', held: 3, skewMs: 7 })
    expect(last.wanted).toBe('active')
    expect(last.at! >= first.at!).toBe(true)
  })

  it('knows no order for a node that is not there', async () => {
    const b = await open()
    const gone = await b.joined()
    await b.store.membership.leave(gone.id)
    expect(await b.store.membership.order(gone.id, 'drained')).toBe(false)
    expect(await b.store.membership.order(b.newId(), 'drained')).toBe(false)
  })

  it('keeps what was wanted of the incarnation before', async () => {
    const b = await open()
    const id = b.newId()
    await b.store.membership.join({ id, name: 'again', version: '1', wanted: 'cordoned' })
    expect((await b.store.membership.beat(id)).wanted).toBe('cordoned')
  })

  it('lets a drained node commit what it still has in hand', async () => {
    const b = await open()
    const node = await b.joined()
    const instanceId = await b.started(node)
    await b.store.membership.order(node.id, 'drained')
    await node.checkpoint(checkpoint(instanceId))
    expect((await b.store.agenda.load([instanceId]))[0]!.facts.length).toBeGreaterThan(1)
  })

  it('writes down once who joined, was missed, was buried, was told what, and left', async () => {
    const b = await open()
    const { membership } = b.store
    const [one, two, three] = [await b.joined(), await b.joined(), await b.joined()]
    await membership.join({ id: one.id, name: 'node', version: '1.0.0' })
    await membership.suspect({ id: two.id, beat: 0 }, one.id)
    await membership.suspect({ id: two.id, beat: 0 }, three.id)
    await membership.suspect({ id: one.id, beat: 9 }, three.id)
    await membership.bury({ id: two.id, beat: 0 }, one.id)
    await membership.bury({ id: two.id, beat: 0 }, three.id)
    await membership.order(three.id, 'cordoned')
    await membership.order(three.id, 'cordoned')
    await membership.order(three.id, 'drained')
    await membership.order(three.id, 'active')
    await membership.note({ kind: 'elected', nodeId: one.id, name: 'node', detail: { election: 'scheduler' } })
    await membership.leave(three.id)
    await membership.leave(three.id)
    const events = await all(b, 10)
    expect(events.map(({ kind, nodeId }) => [kind, nodeId])).toEqual([
      ['joined', one.id],
      ['joined', two.id],
      ['joined', three.id],
      ['suspected', two.id],
      ['buried', two.id],
      ['cordoned', three.id],
      ['draining', three.id],
      ['uncordoned', three.id],
      ['elected', one.id],
      ['left', three.id],
    ])
    expect(events[3]).toMatchObject({ name: 'node', detail: { by: one.id }, at: expect.any(Number) })
    expect(events[4]).toMatchObject({ detail: { by: one.id } })
    expect(events[8]).toMatchObject({ detail: { election: 'scheduler' } })
  })

  it('reads events on from any position, in order, a page at a time', async () => {
    const b = await open()
    for (let n = 0; n < 5; n++) await b.joined()
    const events = await all(b, 5)
    const found: string[] = []
    for (let after = '0'; ; ) {
      const page = await b.store.membership.events(after, 2)
      if (page.length === 0) break
      expect(page.length).toBeLessThanOrEqual(2)
      found.push(...page.map(({ position }) => position))
      after = page.at(-1)!.position
    }
    expect(found).toEqual(events.map(({ position }) => position))
    const sorted = [...found].sort((left, right) => (BigInt(left) < BigInt(right) ? -1 : 1))
    expect([found, new Set(found).size]).toEqual([sorted, 5])
  })
}

import type { MetricPartSlot, MetricSlot, MetricStore, MetricSums } from '@lockstep/engine/ports'
import { beforeEach, describe, expect, it } from 'vitest'

export interface MetricStoreHarness {
  readonly store: MetricStore
  /** Makes every row there is older by so much. */
  age(ms: number): Promise<void>
  rows(): Promise<number>
}

const NODES = ['00000000-0000-7000-8000-00000000000a', '00000000-0000-7000-8000-00000000000b'] as const
const MINUTE = 60_000
const QUARTER = 15 * MINUTE
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const all = { rangeMs: 30 * DAY, slotMs: HOUR, limit: 10_000 }
const quarters = { slotMs: MINUTE, intoMs: QUARTER, olderMs: 6 * HOUR, limit: 1_000 }

/** What every store of readings does. `open` answers an empty one each time it is called. */
export function metricStoreContract(provider: string, open: () => Promise<MetricStoreHarness>): void {
  describe(`${provider}: metric store contract`, () => {
    let h: MetricStoreHarness
    let store: MetricStore
    beforeEach(async () => {
      h = await open()
      store = h.store
    })

    /** Two nodes, every ten minutes for some hours. */
    const fill = async (): Promise<MetricSums> => {
      for (let round = 0; round < 12; round += 1) {
        for (const node of NODES) await store.write(node, { started: round + 1, waitedSeconds: 0.1, [node]: 1 })
        await h.age(10 * MINUTE)
      }
      await h.age(7 * HOUR)
      return totalOf(await store.read(all))
    }

    it('adds up what nodes wrote, slot by slot', async () => {
      await store.write(NODES[0], { started: 2, 'ended:completed': 1 })
      await store.write(NODES[1], { started: 3 })
      await h.age(2 * DAY)
      await store.write(NODES[0], { started: 10 })
      const slots = await store.read({ ...all, slotMs: DAY })
      expect(slots.map(({ sums }) => sums)).toEqual([{ started: 5, 'ended:completed': 1 }, { started: 10 }])
      expect(slots.map(({ at }) => at % DAY)).toEqual([0, 0])
      expect(slots[1]!.at - slots[0]!.at).toBe(2 * DAY)
    })

    it('reads the range that is asked for, of one node too, and no more rows than allowed', async () => {
      await store.write(NODES[0], { started: 1 })
      await h.age(2 * HOUR)
      await store.write(NODES[0], { started: 2 })
      await store.write(NODES[1], { started: 4 })
      expect(totalOf(await store.read({ ...all, rangeMs: HOUR }))).toEqual({ started: 6 })
      expect(totalOf(await store.read({ ...all, nodeId: NODES[0] }))).toEqual({ started: 3 })
      expect(totalOf(await store.read({ ...all, limit: 2 }))).toEqual({ started: 6 })
    })

    it('sums rows up without losing or doubling anything, in as many portions as one likes', async () => {
      const before = await fill()
      expect(before).toEqual({ started: 156, waitedSeconds: 2.4, [NODES[0]]: 12, [NODES[1]]: 12 })
      const portions: number[] = []
      do portions.push(await store.rollUp({ ...quarters, limit: 5 }))
      while (portions.at(-1)! > 0)
      expect(portions.reduce((sum, count) => sum + count)).toBe(24)
      expect(await h.rows()).toBeLessThan(24)
      expect(totalOf(await store.read(all))).toEqual(before)
      expect(await store.read({ ...all, nodeId: NODES[0] })).toEqual([])
      await h.age(3 * DAY)
      const hours = { slotMs: QUARTER, intoMs: HOUR, olderMs: 3 * DAY, limit: 1_000 }
      expect(await store.rollUp(hours)).toBeGreaterThan(0)
      expect([await store.rollUp(quarters), await store.rollUp(hours)]).toEqual([0, 0])
      expect(await h.rows()).toBeLessThanOrEqual(3)
      expect(totalOf(await store.read(all))).toEqual(before)
    })

    it('sums rows up once, when several do it at the same time', async () => {
      const before = await fill()
      const taken = await Promise.all(Array.from({ length: 4 }, () => store.rollUp({ ...quarters, limit: 10 })))
      while ((await store.rollUp(quarters)) > 0);
      expect(taken.every((count) => count <= 10)).toBe(true)
      expect(totalOf(await store.read(all))).toEqual(before)
    })

    it('tells workflows of a tenant and nodes apart, the busiest by name', async () => {
      const of = (n: number): MetricSums => ({ 'ended:completed': n, 'duration:0.5': n, step: 9 })
      await store.write(NODES[0], of(9), { 'a/x': of(5), 'a/y': of(1), 'a/b/x': of(2), '': of(1) })
      await store.write(NODES[1], of(4), { 'a/x': of(1), 'a/z': of(3) })
      const [parts, byNode] = [{ ...all, most: 2 }, { kind: 'node' } as const]
      const ofTenant = { kind: 'definition', tenant: 'a' } as const
      const ends = (slots: readonly MetricPartSlot[]) => slots.map(({ part, sums }) => [part, sums['ended:completed']])
      const found = await store.readParts({ ...parts, by: ofTenant })
      expect(found.map(({ sums }) => Object.keys(sums).sort())).toEqual(
        Array.from({ length: 3 }, () => ['duration:0.5', 'ended:completed']),
      )
      expect(ends(found)).toEqual([
        ['', 4],
        ['a/x', 6],
        ['a/z', 3],
      ])
      expect(ends(await store.readParts({ ...parts, by: ofTenant, nodeId: NODES[1] }))).toEqual([
        ['a/x', 1],
        ['a/z', 3],
      ])
      expect(ends(await store.readParts({ ...parts, most: 1, by: byNode }))).toEqual([
        ['', 4],
        [NODES[0], 9],
      ])
    })

    it('sums workflows up as well, and keeps a bound on how many a row names', async () => {
      for (let minute = 0; minute < 10; minute += 1) {
        const some = Array.from({ length: 20 }, (_, n) => [`a/d-${minute}-${n}`, { 'ended:completed': 1 }] as const)
        await store.write(
          NODES[0],
          { started: 21 },
          { ...Object.fromEntries(some), 'a/busy': { 'ended:completed': 1 } },
        )
      }
      await h.age(7 * HOUR)
      while ((await store.rollUp(quarters)) > 0);
      const slots = await store.readParts({ ...all, most: 1_000, by: { kind: 'definition', tenant: 'a' } })
      const count = (of: readonly MetricPartSlot[]) => totalOf(of)['ended:completed']
      expect(count(slots)).toBe(210)
      expect(count(slots.filter(({ part }) => part === 'a/busy'))).toBe(10)
      expect(slots.length).toBeLessThan(100)
      expect(await store.readParts({ ...all, most: 5, by: { kind: 'node' } })).toEqual([])
    })

    it('leaves slots that are not old enough as they are', async () => {
      await store.write(NODES[0], { started: 1 })
      await h.age(5 * HOUR)
      expect(await store.rollUp(quarters)).toBe(0)
      expect(totalOf(await store.read({ ...all, nodeId: NODES[0] }))).toEqual({ started: 1 })
    })

    it('deletes what is older, a portion at a time', async () => {
      for (let count = 0; count < 3; count += 1) await store.write(NODES[0], { started: 1 })
      await h.age(2 * HOUR)
      await store.write(NODES[0], { started: 1 })
      expect([await store.trim(HOUR, 2), await store.trim(HOUR, 2), await store.trim(HOUR, 2)]).toEqual([2, 1, 0])
      expect(totalOf(await store.read(all))).toEqual({ started: 1 })
    })
  })
}

function totalOf(slots: readonly MetricSlot[]): MetricSums {
  const total: Record<string, number> = {}
  for (const { sums } of slots)
    for (const [name, value] of Object.entries(sums)) total[name] = Math.round(((total[name] ?? 0) + value) * 1e9) / 1e9
  return total
}

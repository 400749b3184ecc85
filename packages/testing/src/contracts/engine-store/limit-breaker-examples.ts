import type { BreakerTrip } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { type Bench, checkpoint, dueIn, HOUR, TENANT } from './fixture.ts'

const bank = { tenant: TENANT, key: 'bank' }
const trip = (extra: Partial<BreakerTrip> = {}): BreakerTrip => ({
  ...{ ...bank, openMs: 0, needed: 1, reason: '5 failures' },
  ...extra,
})

export function breakerExamples(open: () => Promise<Bench>): void {
  describe('breakers', () => {
    it('opens once, for the node whose view is the newest', async () => {
      const { store } = await open()
      const { breakers } = store.steps
      expect(await breakers.read([bank])).toEqual([])
      expect(await breakers.trip(trip({ openMs: HOUR }), 0)).toBe(true)
      expect(await breakers.trip(trip({ openMs: HOUR }), 0)).toBe(false)
      const [row] = await breakers.read([bank, { tenant: 'else', key: 'bank' }])
      expect(row).toMatchObject({ ...bank, state: 'open', reason: '5 failures', generation: 1 })
      expect(row!.openForMs).toBeGreaterThan(HOUR - 60_000)
      expect(await breakers.reset(bank)).toEqual([])
      expect(await breakers.trip(trip(), 1)).toBe(false)
      expect(await breakers.trip(trip(), 2)).toBe(true)
      expect(await breakers.reset({ tenant: TENANT, key: 'none' })).toBeUndefined()
    })

    it('opens by hand whatever it was', async () => {
      const { store } = await open()
      const { breakers } = store.steps
      expect(await breakers.trip(trip({ openMs: HOUR }), undefined)).toBe(true)
      expect(await breakers.trip(trip({ openMs: HOUR, reason: 'maintenance' }), undefined)).toBe(true)
      expect(await breakers.list(TENANT, '', 10)).toMatchObject([{ state: 'open', reason: 'maintenance' }])
    })

    it('lets one probe through when its time is over, and closes when it went well', async () => {
      const b = await open()
      const { breakers } = b.store.steps
      const [one, two] = [await b.joined(), await b.joined()]
      await breakers.trip(trip({ openMs: HOUR }), undefined)
      expect(await breakers.probe(bank, one.id, HOUR)).toBeUndefined()
      await breakers.trip(trip(), undefined)
      const generation = await breakers.probe(bank, one.id, HOUR)
      expect(generation).toEqual(expect.any(Number))
      expect(await breakers.probe(bank, two.id, HOUR)).toBeUndefined()
      expect(await breakers.settle(bank, two.id, generation!, true)).toBe(false)
      expect(await breakers.settle(bank, one.id, generation!, true)).toBe(true)
      expect(await breakers.read([bank])).toMatchObject([{ state: 'closed', probeNode: undefined, openForMs: 0 }])
    })

    it('wakes those who wait for it when it is closed by hand', async () => {
      const b = await open()
      const node = await b.joined()
      const id = await b.started(node)
      await node.checkpoint(checkpoint(id, { then: dueIn(HOUR) }))
      const { breakers, limits } = b.store.steps
      await breakers.trip(trip({ openMs: HOUR }), undefined)
      await limits.noteBreakers([{ ...bank, instanceId: id, step: 'pay', inMs: HOUR }])
      expect(await breakers.reset(bank)).toEqual([id])
      expect(await node.claim()).toMatchObject([{ instanceId: id, stim: 1 }])
    })

    it('needs as many good probes in a row as it was told', async () => {
      const b = await open()
      const { breakers } = b.store.steps
      const node = await b.joined()
      await breakers.trip(trip({ needed: 2 }), undefined)
      await breakers.settle(bank, node.id, (await breakers.probe(bank, node.id, HOUR))!, true)
      expect(await breakers.read([bank])).toMatchObject([{ state: 'half-open' }])
      await breakers.settle(bank, node.id, (await breakers.probe(bank, node.id, HOUR))!, true)
      expect(await breakers.read([bank])).toMatchObject([{ state: 'closed' }])
    })

    it('refuses the result of a probe that was given up: another one is under way', async () => {
      const b = await open()
      const { breakers } = b.store.steps
      const [late, next] = [await b.joined(), await b.joined()]
      await breakers.trip(trip(), undefined)
      const first = await breakers.probe(bank, late.id, 0)
      const second = await breakers.probe(bank, next.id, HOUR)
      expect(second).toBeGreaterThan(first!)
      expect(await breakers.settle(bank, late.id, first!, true)).toBe(false)
      expect(await breakers.settle(bank, next.id, second!, false)).toBe(true)
      expect(await breakers.read([bank])).toMatchObject([{ state: 'open' }])
    })

    it('notes what it became, why and by whom, newest first', async () => {
      const b = await open()
      const { breakers } = b.store.steps
      const node = await b.joined()
      await breakers.trip(trip(), 0, { reason: '5 failures, the last: no \u0000 answer \ud800', nodeId: node.id })
      await breakers.trip(trip(), 0, { reason: 'nobody hears of what was refused' })
      await breakers.settle(bank, node.id, (await breakers.probe(bank, node.id, HOUR))!, false, 'still down')
      await breakers.settle(bank, node.id, (await breakers.probe(bank, node.id, HOUR))!, true)
      await breakers.trip(trip({ reason: 'upkeep' }), undefined, { by: 'ana' })
      await breakers.reset(bank, { by: 'bo', reason: 'all is well' })
      const changes = await breakers.changes([bank, { tenant: 'else', key: 'bank' }, { tenant: TENANT, key: 'none' }])
      const own = { nodeId: node.id, nodeName: 'node', by: undefined }
      const byHand = { nodeId: undefined, nodeName: undefined }
      expect(changes).toMatchObject([
        { ...bank, ...byHand, state: 'closed', reason: 'all is well', by: 'bo' },
        { ...byHand, state: 'open', reason: 'upkeep', by: 'ana' },
        { ...own, state: 'closed', reason: undefined },
        { ...own, state: 'half-open', reason: undefined },
        { ...own, state: 'open', reason: 'still down' },
        { ...own, state: 'half-open' },
        { ...own, state: 'open', reason: '5 failures, the last: no   answer' },
      ])
      const times = changes.map(({ at }) => at)
      expect(times).toEqual([...times].sort((one, other) => other - one))
    })

    it('keeps the last twenty changes, and reasons short', async () => {
      const { store } = await open()
      const { breakers } = store.steps
      for (let n = 0; n < 12; n += 1) {
        await breakers.trip(trip(), undefined, { reason: `${n} ${'x'.repeat(1_000)}` })
        await breakers.reset(bank)
      }
      const changes = await breakers.changes([bank])
      expect(changes.map(({ state }) => state)).toEqual(new Array(10).fill(['closed', 'open']).flat())
      expect(changes[1]!.reason).toBe(`11 ${'x'.repeat(197)}`)
      expect(changes.at(-1)!.reason).toMatch(/^2 x/)
    })

    it('frees the probe of a node that is gone', async () => {
      const b = await open()
      const { breakers } = b.store.steps
      const [dead, alive] = [await b.joined(), await b.joined()]
      await breakers.trip(trip(), undefined)
      await breakers.probe(bank, dead.id, HOUR)
      await b.store.membership.bury({ id: dead.id, beat: 0 })
      expect(await breakers.probe(bank, alive.id, HOUR)).toEqual(expect.any(Number))
    })
  })

  describe('progress', () => {
    it('keeps the newest word of a step, and what the last heartbeat carried', async () => {
      const b = await open()
      const { progress } = b.store.steps
      const id = await b.started(await b.joined())
      const name = { tenant: TENANT, instanceId: id, step: 'copy' }
      const none = { fraction: undefined, done: undefined, total: undefined, note: undefined, beat: undefined }
      await progress.write([{ ...none, ...name, attempt: 1, done: 3, total: 10, note: 'rows', beat: { row: 3 } }])
      await progress.write([{ ...none, ...name, attempt: 2, done: 4 }])
      await progress.write([{ ...none, ...name, attempt: 1, done: 9, beat: null }])
      expect(await progress.read(TENANT, id)).toMatchObject([
        { ...name, attempt: 2, done: 4, total: 10, note: 'rows', beat: { row: 3 } },
      ])
      await progress.write([{ ...none, ...name, attempt: 2, beat: null }])
      expect(await progress.beats([name, { ...name, step: 'else' }])).toEqual([{ ...name, beat: null }])
      await progress.drop([name])
      expect(await progress.read(TENANT, id)).toEqual([])
    })
  })
}

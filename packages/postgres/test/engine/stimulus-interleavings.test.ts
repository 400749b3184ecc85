import {
  bookmark,
  COMPLETED,
  type ContractNode,
  checkpoint,
  dueIn,
  event,
  HOUR,
  SUSPENDED,
  TENANT,
  waitingFact,
} from '@lockstep/testing/contracts'
import { describe, expect, it } from 'vitest'
import { interleavingBench } from './interleaving-bench.ts'
import { checkpointBatch } from './scripted-sessions.ts'

/** Who comes first is written down here, step by step: two sessions whose transactions the test holds open (core review §2 and §3). */
describe('interleavings of stimuli and commits', () => {
  const h = interleavingBench()

  describe('suspension and stimulus', () => {
    it('refuses a suspension that waited for a stimulus', async () => {
      const id = await h.b.started(h.node)
      const stimulus = await h.session()
      for (const then of [SUSPENDED, dueIn(HOUR), COMPLETED]) {
        const { stim } = (await h.store.agenda.inbox([id]))[0]!
        await stimulus.begin()
        await stimulus.query(`select lockstep_send($1, $2, 'cancel', '{}', null)`, [TENANT, id])
        const suspension = h.node.checkpoint(
          checkpoint(id, { stim, then, opens: then === COMPLETED ? [] : [bookmark(h.b.newId())] }),
        )
        await h.traffic.untilSomebodyWaitsFor(stimulus)
        await stimulus.commit()
        expect((await suspension).checkpoints).toEqual([{ kind: 'stimulated' }])
      }
      expect(await h.store.agenda.claims(h.node.id)).toMatchObject([{ instanceId: id, stim: 3 }])
    })

    it('keeps a stimulus that waited for a suspension, and gives the next owner a claim number of its own', async () => {
      const id = await h.b.started(h.node, { claimed: false })
      await h.node.claim()
      await h.store.agenda.release(h.node.id, [id])
      await h.node.claim()
      const owner = await h.session()
      await owner.begin()
      const suspension = checkpoint(id, { claimNo: 2, then: SUSPENDED, opens: [bookmark(h.b.newId())] })
      expect((await owner.commitBatch(checkpointBatch(h.node.id, 100, suspension))).lost).toEqual([])
      const sent = h.send(id)
      await h.traffic.untilSomebodyWaitsFor(owner)
      await owner.commit()
      expect(await sent).toBe(true)
      const next = await h.b.joined()
      expect(await next.claim()).toMatchObject([{ instanceId: id, claimNo: 3, stim: 1 }])
      expect(await h.store.agenda.inbox([id])).toMatchObject([{ messages: [{ kind: 'cancel' }] }])
    })

    it('does not bring an instance back that ended while the stimulus waited', async () => {
      const id = await h.b.started(h.node)
      const owner = await h.session()
      await owner.begin()
      await owner.commitBatch(checkpointBatch(h.node.id, 100, checkpoint(id, { then: COMPLETED })))
      const sent = h.send(id)
      await h.traffic.untilSomebodyWaitsFor(owner)
      await owner.commit()
      expect(await sent).toBe(false)
      expect(await h.node.claim()).toEqual([])
    })

    it('gives a child that ends together with its parent nobody to wake', async () => {
      const [parent, child] = [await h.b.started(h.node), await h.b.started(h.node)]
      const owner = await h.session()
      await owner.begin()
      await owner.commitBatch(checkpointBatch(h.node.id, 100, checkpoint(parent, { then: COMPLETED })))
      const other = h.node.checkpoint(
        checkpoint(child, { then: COMPLETED, parent: { instanceId: parent, step: 's', payload: '{}' } }),
      )
      await h.traffic.untilSomebodyWaitsFor(owner)
      await owner.commit()
      expect((await other).checkpoints).toEqual([{ kind: 'written' }])
      expect(await h.node.claim()).toEqual([])
    })
  })

  describe('time-out and resume', () => {
    const timedOut = async (): Promise<{ id: string; mark: ReturnType<typeof bookmark> }> => {
      const mark = bookmark(h.b.newId())
      const id = await h.b.started(h.node)
      await h.node.checkpoint(checkpoint(id, { facts: [waitingFact(mark)], then: dueIn(-1), opens: [mark] }))
      await h.node.claim()
      return { id, mark }
    }
    const timeOut = (id: string, closes: string) =>
      checkpoint(id, { claimNo: 2, seq: 3, closes: [closes], then: COMPLETED })

    it('lets a resume that was first refuse the time-out', async () => {
      const { id, mark } = await timedOut()
      const resumer = await h.session()
      await resumer.begin()
      expect(
        await resumer.query(`select verdict from lockstep_resume($1, $2, $3, '{}')`, [TENANT, id, mark.id]),
      ).toEqual([{ verdict: 'resumed' }])
      const late = h.node.checkpoint(timeOut(id, mark.id))
      await h.traffic.untilSomebodyWaitsFor(resumer)
      await resumer.commit()
      expect((await late).checkpoints).toEqual([{ kind: 'stimulated' }])
    })

    it('lets a time-out that was first turn the resume away', async () => {
      const { id, mark } = await timedOut()
      const owner = await h.session()
      await owner.begin()
      await owner.commitBatch(checkpointBatch(h.node.id, 100, timeOut(id, mark.id)))
      const late = h.store.stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: mark.id, payload: '{}' })
      await h.traffic.untilSomebodyWaitsFor(owner)
      await owner.commit()
      expect(await late).toEqual({ kind: 'already-resumed' })
      expect(await h.store.agenda.inbox([id])).toEqual([])
    })

    it('lets exactly one of them win, round after round', async () => {
      for (let round = 0; round < 60; round += 1) {
        const { id, mark } = await timedOut()
        const [answer, verdict] = await Promise.all([
          h.node.checkpoint(timeOut(id, mark.id)),
          h.store.stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: mark.name, payload: '{}' }),
        ])
        const winners = [answer.checkpoints[0]!.kind === 'written', verdict.kind === 'resumed']
        expect(
          winners.filter(Boolean),
          `round ${round}: ${JSON.stringify([answer.checkpoints, verdict])}`,
        ).toHaveLength(1)
        if (winners[1]) await h.store.agenda.release(h.node.id, [id])
      }
    })

    it('resumes a wait that was opened anew while the resume waited for the old one', async () => {
      const { id, mark } = await timedOut()
      const [owner, anew] = [await h.session(), bookmark(h.b.newId(), { hash: 'anew' })]
      await owner.begin()
      const again = checkpoint(id, {
        claimNo: 2,
        seq: 3,
        facts: [waitingFact(anew)],
        closes: [mark.id],
        opens: [anew],
        then: SUSPENDED,
      })
      await owner.commitBatch(checkpointBatch(h.node.id, 100, again))
      const resumed = h.store.stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: 'approved', payload: '{}' })
      await h.traffic.untilSomebodyWaitsFor(owner)
      await owner.commit()
      expect(await resumed).toEqual({ kind: 'resumed', bookmarkId: anew.id })
    })
  })

  describe('event and bookmark', () => {
    const settleAll = async (): Promise<void> => {
      while ((await h.store.stimuli.settle(1_000)).open > 0) await new Promise((resolve) => setImmediate(resolve))
    }

    it('brings them together in either order and at the same moment, with none lost', async () => {
      const flushers = [h.node, await h.b.joined(), await h.b.joined()]
      const ids: string[] = []
      const round = async (flusher: ContractNode, name: string): Promise<void> => {
        const id = await h.b.started(flusher)
        ids.push(id)
        const mark = bookmark(h.b.newId(), { kind: 'event', name })
        const eventId = h.b.newId()
        const publish = async (): Promise<void> => {
          await h.store.stimuli.publish(event(eventId, { name }))
          await h.store.stimuli.match(TENANT, eventId, 10)
        }
        await Promise.all([flusher.checkpoint(checkpoint(id, { then: SUSPENDED, opens: [mark] })), publish()])
      }
      for (let turn = 0; turn < 100; turn += 1) {
        const settling = turn % 5 === 0 ? h.store.stimuli.settle(100) : undefined
        await Promise.all([...flushers.map((flusher, index) => round(flusher, `e${turn}.${index}`)), settling])
      }
      await settleAll()
      const inboxes = await h.store.agenda.inbox(ids)
      expect(inboxes.filter((inbox) => inbox.messages.length === 1)).toHaveLength(ids.length)
    })

    it('does not settle an event while a bookmark that missed it is still on its way', async () => {
      // A settling that settles one event, is held up at the next, and then first sees the one that counts.
      const blocker = await h.waiting(bookmark(h.b.newId(), { kind: 'event', name: 'second' }))
      const missed = await h.b.started(h.node)
      await h.store.stimuli.publish(event(h.b.newId(), { name: 'first' }))
      await h.store.stimuli.publish(event(h.b.newId(), { name: 'second' }))
      const [holder, settler, owner] = [await h.session(), await h.session(), await h.session()]
      await h.database.db.script('update event set settle_after = 0')
      await holder.begin()
      await holder.query('select 1 from bookmark where instance_id = $1 for update', [blocker])
      const settling = settler.query('select * from lockstep_settle(100)')
      await h.traffic.untilSomebodyWaitsFor(holder)

      await owner.begin()
      const opens = [bookmark(h.b.newId(), { kind: 'event', name: 'third' })]
      await owner.commitBatch(checkpointBatch(h.node.id, 100, checkpoint(missed, { then: SUSPENDED, opens })))
      const third = h.b.newId()
      await h.store.stimuli.publish(event(third, { name: 'third' }))
      expect(await h.store.stimuli.match(TENANT, third, 10)).toBe(0)
      await holder.commit()
      await settling

      await h.store.stimuli.settle(100)
      await owner.commit()
      await settleAll()
      expect(await h.store.agenda.inbox([missed])).toMatchObject([{ messages: [{ kind: 'event' }] }])
    })
  })
})

import { type CheckpointItem, Fenced } from '@lockstep/engine/ports'
import { bookmark, checkpoint, dueIn, event, HOUR, SUSPENDED, startItem, TENANT } from '@lockstep/testing/contracts'
import { describe, expect, it } from 'vitest'
import { interleavingBench } from './interleaving-bench.ts'
import { checkpointBatch, startBatch } from './scripted-sessions.ts'

/** Who comes first is written down here, step by step: two sessions whose transactions the test holds open (core review §1, §4 and §5). */
describe('interleavings of batches, burials and claims', () => {
  const h = interleavingBench()

  describe('the fence', () => {
    it('makes a batch wait for a burial that is under way, and then refuses it', async () => {
      const id = await h.b.started(h.node)
      const undertaker = await h.session()
      await undertaker.begin()
      await undertaker.query('update node set doomed = true where id = $1', [h.node.id])
      await undertaker.query('delete from node where id = $1 and doomed', [h.node.id])
      const late = h.node.checkpoint(checkpoint(id)).catch((error: unknown) => error)
      await h.traffic.untilSomebodyWaitsFor(undertaker)
      await undertaker.commit()
      expect(await late).toMatchObject({ code: 'FENCED' })
      expect(await h.store.instances.journal(TENANT, id, 0, 10)).toHaveLength(1)
    })

    it('lets the doom pass by a batch under way; the burial waits for it and frees even the claims that it made', async () => {
      await h.store.definitions.registerFunction(TENANT, 'order', 1)
      const [flusher, undertaker] = [await h.session(), await h.session()]
      const id = h.b.newId()
      await flusher.begin()
      await flusher.commitBatch(startBatch(h.node.id, 100, startItem(id)))
      await undertaker.query('update node set doomed = true where id = $1', [h.node.id])
      const burial = undertaker.query('delete from node where id = $1 and doomed returning id', [h.node.id])
      await h.traffic.untilSomebodyWaitsFor(flusher)
      await flusher.commit()
      expect(await burial).toHaveLength(1)
      const survivor = await h.b.joined()
      expect(await survivor.claim()).toMatchObject([{ instanceId: id, claimNo: 2, crashes: 2 }])
    })

    it('stops new batches of a doomed node while its burial still waits', async () => {
      const id = await h.b.started(h.node)
      const flusher = await h.session()
      await flusher.begin()
      await flusher.commitBatch(checkpointBatch(h.node.id, 100, checkpoint(id)))
      expect(await h.store.membership.bury({ id: h.node.id, beat: 0 })).toBe(false)
      await expect(h.node.checkpoint(checkpoint(id, { seq: 3 }))).rejects.toMatchObject({ code: 'FENCED' })
      expect((await h.store.membership.beat(h.node.id)).alive).toBe(false)
      await flusher.commit()
      expect(await h.store.membership.bury({ id: h.node.id, beat: 0 })).toBe(true)
      expect(await h.store.instances.journal(TENANT, id, 0, 10)).toHaveLength(2)
    })

    it('lets heartbeats and batches pass each other', async () => {
      const id = await h.b.started(h.node)
      const other = await h.session()
      await other.begin()
      await other.commitBatch(checkpointBatch(h.node.id, 100, checkpoint(id)))
      expect((await h.store.membership.beat(h.node.id)).alive).toBe(true)
      await other.commit()
      await other.begin()
      await other.query('update node set beat = beat + 1 where id = $1', [h.node.id])
      expect((await h.node.checkpoint(checkpoint(id, { seq: 3 }))).checkpoints).toEqual([{ kind: 'written' }])
      await other.commit()
    })

    it('refuses a claim by a node that is buried while it claims', async () => {
      await h.b.started(h.node, { claimed: false })
      const dead = await h.b.joined()
      const undertaker = await h.session()
      await undertaker.begin()
      await undertaker.query('delete from node where id = $1', [dead.id])
      const claim = dead.claim().catch((error: unknown) => error)
      await h.traffic.untilSomebodyWaitsFor(undertaker)
      await undertaker.commit()
      expect(await claim).toSatisfy(Fenced.is)
      expect(await h.node.claim()).toHaveLength(1)
    })

    it('waits for a claim under way before it lists the claims of a node', async () => {
      const id = await h.b.started(h.node, { claimed: false })
      const claimer = await h.session()
      await claimer.begin()
      await claimer.query(
        'select lockstep_claim($1, array(select queue from agenda where instance_id = $2), 10, 0, null)',
        [h.node.id, id],
      )
      const listed = h.store.agenda.claims(h.node.id)
      await h.traffic.untilSomebodyWaitsFor(claimer)
      await claimer.commit()
      expect(await listed).toMatchObject([{ instanceId: id, claimNo: 1 }])
    })

    it('passes by rows that another claim holds', async () => {
      const ids = [await h.b.started(h.node, { claimed: false }), await h.b.started(h.node, { claimed: false })]
      const claimer = await h.session()
      await claimer.begin()
      await claimer.query('update agenda set claimed_by = $1 where instance_id = $2', [h.node.id, ids[0]])
      const other = await h.b.joined()
      expect((await other.claim()).map((claim) => claim.instanceId)).toEqual([ids[1]])
      await claimer.commit()
    })
  })

  describe('a batch sent again', () => {
    it('waits for the first while that is still running, and gives its answer', async () => {
      const id = await h.b.started(h.node)
      const first = await h.session()
      const batch = checkpointBatch(h.node.id, 100, checkpoint(id))
      await first.begin()
      await first.commitBatch(batch)
      const again = h.store.commits.commit(batch)
      await h.traffic.untilSomebodyWaitsFor(first)
      await first.commit()
      expect(await again).toMatchObject({ repeated: true, checkpoints: [{ kind: 'written' }] })
      expect(await h.store.instances.journal(TENANT, id, 0, 10)).toHaveLength(2)
    })

    it('applies when the first was rolled back', async () => {
      const id = await h.b.started(h.node)
      const first = await h.session()
      const batch = checkpointBatch(h.node.id, 100, checkpoint(id))
      await first.begin()
      await first.commitBatch(batch)
      const again = h.store.commits.commit(batch)
      await h.traffic.untilSomebodyWaitsFor(first)
      await first.query('rollback')
      expect(await again).toMatchObject({ repeated: false, checkpoints: [{ kind: 'written' }] })
    })
  })

  describe('batches that meet', () => {
    it('makes one instance per dedupe key of two nodes that start the same ones in opposite order', async () => {
      await h.store.definitions.registerFunction(TENANT, 'order', 1)
      const other = await h.b.joined()
      for (let round = 0; round < 20; round += 1) {
        const keys = Array.from({ length: 10 }, (_, index) => `r${round}.${index}`)
        const [one, two] = await Promise.all([
          h.node.start(...keys.map((dedupeKey) => startItem(h.b.newId(), { dedupeKey }))),
          other.start(...[...keys].reverse().map((dedupeKey) => startItem(h.b.newId(), { dedupeKey }))),
        ])
        const started = [...one.starts, ...two.starts].filter((verdict) => verdict.kind === 'started')
        expect(started).toHaveLength(keys.length)
        expect([...one.starts, ...two.starts].every((verdict) => verdict.kind !== 'unknown-definition')).toBe(true)
      }
    })

    it('locks instances in one order, whatever becomes of them: no deadlock with an event that wakes them', async () => {
      const [later, gone] = [await h.b.started(h.node), await h.b.started(h.node)]
      const open = (): CheckpointItem['opens'] => [bookmark(h.b.newId(), { kind: 'event', name: 'paid' })]
      await h.node.checkpoint(checkpoint(later, { opens: open() }), checkpoint(gone, { opens: open() }))
      const eventId = h.b.newId()
      await h.store.stimuli.publish(event(eventId))
      const [holder, waker] = [await h.session(), await h.session()]
      await holder.begin()
      await holder.query('select 1 from agenda where instance_id = $1 for update', [later])
      // The first in the queue for `later`; it wants `gone` next.
      const match = waker.query<{ hits: number }>('select lockstep_match($1, $2, 10) as hits', [TENANT, eventId])
      await h.traffic.untilSomebodyWaitsFor(holder)
      const commit = h.node.checkpoint(
        checkpoint(later, { seq: 3, then: dueIn(HOUR) }),
        checkpoint(gone, { seq: 3, then: SUSPENDED }),
      )
      const settled = Promise.allSettled([commit, match])
      await h.traffic.untilSomebodyWaitsFor(waker)
      await holder.commit()
      expect((await settled).map((outcome) => outcome.status)).toEqual(['fulfilled', 'fulfilled'])
    })

    it('survives an event that wakes the same instances which a batch suspends and ends', async () => {
      for (let round = 0; round < 40; round += 1) {
        const name = `wake ${round}`
        const ids = [
          await h.b.started(h.node),
          await h.b.started(h.node),
          await h.b.started(h.node),
          await h.b.started(h.node),
        ]
        await h.node.checkpoint(
          ...ids.map((id) =>
            checkpoint(id, { opens: [bookmark(h.b.newId(), { kind: 'event', name, hash: h.b.newId() })] }),
          ),
        )
        const eventId = h.b.newId()
        await h.store.stimuli.publish(event(eventId, { name }))
        const then = [dueIn(HOUR), SUSPENDED, dueIn(HOUR), SUSPENDED]
        const batch = checkpointBatch(
          h.node.id,
          1_000 + round,
          ...ids.map((id, index) => checkpoint(id, { seq: 3, then: then[index]! })),
        )
        const [commit, match] = await Promise.allSettled([
          h.store.commits.commit(batch),
          h.store.stimuli.match(TENANT, eventId, 10),
        ])
        // Whoever lost a deadlock was sent again by the store itself.
        expect([commit.status, match.status]).toEqual(['fulfilled', 'fulfilled'])
        const inboxes = await h.store.agenda.inbox(ids)
        expect(inboxes.map((inbox) => inbox.messages.length)).toEqual([1, 1, 1, 1])
      }
    })
  })
})

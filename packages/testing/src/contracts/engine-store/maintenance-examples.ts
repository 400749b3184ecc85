import { type EngineStore, Fenced, type KeepTimes, type SweepRequest } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import {
  type Bench,
  bookmark,
  COMPLETED,
  type ContractNode,
  checkpoint,
  event,
  HOUR,
  SUSPENDED,
  startItem,
  TENANT,
  WORKFLOW,
  waitingFact,
} from './fixture.ts'

const AT_ONCE: KeepTimes = { completed: 0, faulted: 0, cancelled: 0, terminated: 0, unresolved: undefined }
const ENDED = [{ kind: 'ended', data: '{"status":"completed"}' }]
const FAULTED = { kind: 'end', status: 'faulted' } as const

const request = (nodeId: string, extra: Partial<SweepRequest> = {}): SweepRequest => ({
  ...{ nodeId, ttlMs: HOUR, keep: AT_ONCE, limit: 100, rows: 1_000 },
  ...extra,
})

/** Deletes all that may go; answers what it deleted, in order. */
async function sweepAll({ maintenance }: EngineStore, asked: SweepRequest): Promise<string[]> {
  await maintenance.takeTurn('retention', asked.nodeId, HOUR, true)
  const gone: string[] = []
  for (;;) {
    const found = (await maintenance.expired(asked))!
    if (found.examined === 0) return gone
    const ids = found.expired.map((each) => each.instanceId)
    await maintenance.remove(asked, ids)
    gone.push(...ids)
  }
}

async function ended(b: Bench, node: ContractNode, extra: Parameters<Bench['started']>[1] = {}): Promise<string> {
  const id = await b.started(node, extra)
  await node.checkpoint(checkpoint(id, { facts: ENDED, then: COMPLETED }))
  return id
}

export function maintenanceExamples(open: () => Promise<Bench>): void {
  describe('turns', () => {
    it('gives a duty to one node until its time is over', async () => {
      const { store, newId } = await open()
      const { maintenance } = store
      const [one, two] = [newId(), newId()]
      expect(await maintenance.takeTurn('retention', one, HOUR, false)).toBe(true)
      expect(await maintenance.takeTurn('retention', two, HOUR, true)).toBe(false)
      expect(await maintenance.takeTurn('other', two, HOUR, false)).toBe(true)
      expect(await maintenance.takeTurn('retention', one, 0, false)).toBe(true)
      expect(await maintenance.takeTurn('retention', two, HOUR, false)).toBe(true)
      expect(await maintenance.takeTurn('retention', one, HOUR, true)).toBe(false)
    })

    it('is not due again before its next time, unless somebody wants it early', async () => {
      const { store, newId } = await open()
      const { maintenance } = store
      const [one, two] = [newId(), newId()]
      await maintenance.takeTurn('retention', one, HOUR, false)
      await maintenance.endTurn('retention', two, 0)
      expect(await maintenance.takeTurn('retention', two, HOUR, true)).toBe(false)
      await maintenance.endTurn('retention', one, HOUR)
      expect(await maintenance.takeTurn('retention', one, HOUR, false)).toBe(false)
      expect(await maintenance.takeTurn('retention', two, HOUR, true)).toBe(true)
      await maintenance.endTurn('retention', two, 0)
      expect(await maintenance.takeTurn('retention', one, HOUR, false)).toBe(true)
    })

    it('does nothing for a node that has lost its turn', async () => {
      const b = await open()
      const [one, two] = [await b.joined(), await b.joined()]
      const id = await ended(b, one)
      const { maintenance, instances } = b.store
      await maintenance.takeTurn('retention', one.id, 0, true)
      await maintenance.takeTurn('retention', two.id, HOUR, true)
      expect(await maintenance.expired(request(one.id))).toBeUndefined()
      expect(await maintenance.remove(request(one.id), [id])).toBeUndefined()
      expect(await maintenance.trim(one.id, HOUR, HOUR, 10)).toBeUndefined()
      expect((await instances.statuses(TENANT, [id])).get(id)).toBe('completed')
    })
  })

  describe('retention', () => {
    it('deletes an ended instance with all that belongs to it, and nothing else', async () => {
      const b = await open()
      const node = await b.joined()
      const { instances, maintenance } = b.store
      const gone = await b.started(node, { dedupeKey: 'k' })
      const mark = bookmark(b.newId())
      await node.checkpoint(checkpoint(gone, { opens: [mark] }))
      await node.checkpoint(checkpoint(gone, { seq: 3, facts: ENDED, then: COMPLETED }))
      const runs = await b.started(node)
      const waits = await b.started(node)
      await node.checkpoint(checkpoint(waits, { then: SUSPENDED, opens: [bookmark(b.newId())] }))
      expect(await sweepAll(b.store, request(node.id))).toEqual([gone])
      expect(await instances.get(TENANT, gone)).toBeUndefined()
      expect(await instances.journal(TENANT, gone, 0, 10)).toEqual([])
      expect((await maintenance.examine('bookmarks', undefined, 10)).broken).toEqual([])
      expect((await instances.statuses(TENANT, [runs])).get(runs)).toBe('running')
      expect((await instances.get(TENANT, waits))?.waitingFor).toHaveLength(1)
      expect(await node.start(startItem(b.newId(), { dedupeKey: 'k' }))).toMatchObject({
        starts: [{ kind: 'started' }],
      })
    })

    it('keeps what is not old enough, and what is kept for ever', async () => {
      const b = await open()
      const node = await b.joined()
      const id = await ended(b, node)
      for (const completed of [HOUR, undefined])
        expect(await sweepAll(b.store, request(node.id, { keep: { ...AT_ONCE, completed } }))).toEqual([])
      expect((await b.store.instances.statuses(TENANT, [id])).get(id)).toBe('completed')
    })

    it('follows the narrower rule, at once', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance } = b.store
      const id = await ended(b, node)
      const wide = { tenant: TENANT, subject: '*', aspect: 'completed' } as const
      const narrow = { ...wide, subject: `definition:${WORKFLOW}` }
      const swept = () => sweepAll(b.store, request(node.id))
      await maintenance.saveRule(wide, { keepMs: HOUR, reason: undefined })
      expect(await swept()).toEqual([])
      await maintenance.saveRule(wide, { keepMs: 0, reason: undefined })
      await maintenance.saveRule(narrow, { keepMs: undefined, reason: undefined })
      expect(await swept()).toEqual([])
      await maintenance.saveRule(narrow, undefined)
      await maintenance.saveRule({ ...narrow, tenant: 'other' }, { keepMs: undefined, reason: undefined })
      await maintenance.saveRule({ ...narrow, aspect: 'faulted' }, { keepMs: undefined, reason: undefined })
      expect(await swept()).toEqual([id])
    })

    it('lists rules of a tenant, a page at a time', async () => {
      const { store } = await open()
      const { maintenance } = store
      const hold = { tenant: TENANT, subject: 'definition:a', aspect: 'hold' } as const
      await maintenance.saveRule(hold, { keepMs: undefined, reason: 'audit of 2026' })
      await maintenance.saveRule({ ...hold, aspect: 'completed' }, { keepMs: 5, reason: undefined })
      await maintenance.saveRule({ ...hold, aspect: 'completed' }, { keepMs: 7, reason: undefined })
      await maintenance.saveRule({ ...hold, tenant: 'other' }, { keepMs: undefined, reason: 'x' })
      const [first] = await maintenance.rules(TENANT, undefined, 1)
      expect(first).toMatchObject({ subject: 'definition:a', aspect: 'completed', keepMs: 7, reason: undefined })
      expect(await maintenance.rules(TENANT, first, 10)).toMatchObject([
        { aspect: 'hold', keepMs: undefined, reason: 'audit of 2026', createdAt: expect.any(Number) },
      ])
    })

    it('deletes nothing that is held, whoever is held', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance } = b.store
      const id = await ended(b, node)
      for (const subject of ['*', `definition:${WORKFLOW}`, `instance:${id}`]) {
        const name = { tenant: TENANT, subject, aspect: 'hold' } as const
        await maintenance.saveRule(name, { keepMs: undefined, reason: 'court order' })
        expect(await sweepAll(b.store, request(node.id))).toEqual([])
        await maintenance.saveRule(name, undefined)
      }
      expect(await sweepAll(b.store, request(node.id))).toEqual([id])
    })

    it('heeds a hold that came after it had chosen', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance, instances } = b.store
      const id = await ended(b, node)
      await maintenance.takeTurn('retention', node.id, HOUR, true)
      const name = { tenant: TENANT, subject: `instance:${id}`, aspect: 'hold' } as const
      await maintenance.saveRule(name, { keepMs: undefined, reason: 'court order' })
      expect(await maintenance.remove(request(node.id), [id])).toEqual({ instances: 0, rows: 0, incidents: 0 })
      expect((await instances.statuses(TENANT, [id])).get(id)).toBe('completed')
    })

    /** One without an incident, and one with an open one. */
    async function faulted(b: Bench, node: ContractNode) {
      const [resolved, unresolved] = [await b.started(node), await b.started(node)]
      const incident = { id: b.newId(), step: 'a', fingerprint: 'f', code: 'E', message: 'm' }
      await node.checkpoint(
        checkpoint(resolved, { facts: ENDED, then: FAULTED }),
        checkpoint(unresolved, { facts: ENDED, then: FAULTED, incidents: [incident] }),
      )
      return { resolved, unresolved, incidentId: incident.id }
    }

    it('keeps what faulted while its incident is open, where that is asked for', async () => {
      const b = await open()
      const node = await b.joined()
      const { resolved, unresolved } = await faulted(b, node)
      expect(await sweepAll(b.store, request(node.id))).toEqual([resolved])
      const name = { tenant: TENANT, subject: '*', aspect: 'unresolved' } as const
      await b.store.maintenance.saveRule(name, { keepMs: 0, reason: undefined })
      expect(await sweepAll(b.store, request(node.id))).toEqual([unresolved])
      expect(await b.store.instances.get(TENANT, unresolved)).toBeUndefined()
    })

    it('deletes what faulted with its open incident, where nothing is said of such', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance, incidents } = b.store
      const { resolved, unresolved, incidentId } = await faulted(b, node)
      const keep: KeepTimes = { ...AT_ONCE, faulted: undefined, unresolved: 'as faulted' }
      const rule = (aspect: 'faulted' | 'unresolved', subject: string, keepMs: number | undefined) =>
        maintenance.saveRule({ tenant: TENANT, subject, aspect }, { keepMs, reason: undefined })
      expect(await sweepAll(b.store, request(node.id, { keep }))).toEqual([])
      await rule('unresolved', '*', undefined)
      await rule('faulted', `definition:${WORKFLOW}`, 0)
      expect(await sweepAll(b.store, request(node.id, { keep }))).toEqual([resolved])
      await maintenance.saveRule({ tenant: TENANT, subject: '*', aspect: 'unresolved' }, undefined)
      await maintenance.takeTurn('retention', node.id, HOUR, true)
      expect(await maintenance.remove(request(node.id, { keep }), [unresolved])).toEqual({
        ...{ instances: 1, rows: 2, incidents: 1 },
      })
      expect(await incidents.get(TENANT, incidentId)).toBeUndefined()
    })

    it('deletes a child with or after its parent, never before it', async () => {
      const b = await open()
      const node = await b.joined()
      const parent = await b.started(node)
      const child = await ended(b, node, { parentId: parent, parentStep: 'run' })
      expect(await sweepAll(b.store, request(node.id))).toEqual([])
      await node.checkpoint(checkpoint(parent, { facts: ENDED, then: COMPLETED }))
      // What is not old enough is looked at again after a while; a change of rules does it now.
      const name = { tenant: TENANT, subject: '*', aspect: 'completed' } as const
      await b.store.maintenance.saveRule(name, { keepMs: 0, reason: undefined })
      expect((await sweepAll(b.store, request(node.id))).sort()).toEqual([parent, child].sort())
    })

    it('takes the oldest first, and no more rows at once than asked for', async () => {
      const b = await open()
      const node = await b.joined()
      const ids = [await ended(b, node), await ended(b, node), await ended(b, node)]
      const { maintenance } = b.store
      await maintenance.takeTurn('retention', node.id, HOUR, true)
      const asked = request(node.id, { rows: 4 })
      let found = (await maintenance.expired(asked))!
      while (found.expired.length === 0 && found.examined > 0) found = (await maintenance.expired(asked))!
      expect(found.expired.map((each) => [each.instanceId, each.rows])).toEqual([
        [ids[0], 2],
        [ids[1], 2],
      ])
      expect(await maintenance.remove(asked, [ids[0]!, ids[1]!])).toEqual({ instances: 2, rows: 4, incidents: 0 })
      expect(await sweepAll(b.store, asked)).toEqual([ids[2]])
    })

    it('deletes an instance whose journal is longer than a batch', async () => {
      const b = await open()
      const node = await b.joined()
      const id = await b.started(node)
      const facts = Array.from({ length: 9 }, (_, n) => ({ kind: 'completed', data: `{"step":"${n}"}` }))
      await node.checkpoint(checkpoint(id, { facts, then: COMPLETED }))
      const other = await ended(b, node)
      expect(await sweepAll(b.store, request(node.id, { rows: 3 }))).toEqual([id, other])
      expect(await b.store.instances.get(TENANT, id)).toBeUndefined()
      expect(await b.store.instances.journal(TENANT, id, 0, 100)).toEqual([])
    })

    it('trims events that are settled and over, and nothing that somebody could ask for', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance, stimuli } = b.store
      const id = await b.started(node)
      await stimuli.publish(event(b.newId(), { ttlMs: 0 }))
      await stimuli.publish(event(b.newId(), { name: 'kept' }))
      await stimuli.settle(10)
      while ((await stimuli.settle(10)).open > 0);
      await maintenance.takeTurn('retention', node.id, HOUR, true)
      expect(await maintenance.trim(node.id, HOUR, HOUR, 10)).toEqual({ events: 1, flushes: 0, incidents: 0 })
      const mark = bookmark(b.newId(), { kind: 'event', name: 'kept' })
      await node.checkpoint(checkpoint(id, { opens: [mark] }))
      expect((await b.store.agenda.inbox([id]))[0]?.messages).toHaveLength(1)
    })
  })

  describe('examination', () => {
    const AREAS = ['instances', 'agenda', 'bookmarks', 'inbox', 'schedules'] as const

    it('finds nothing wrong with instances in any state of a usual life', async () => {
      const b = await open()
      const node = await b.joined()
      await ended(b, node)
      const parent = await b.started(node)
      await b.started(node, { parentId: parent, parentStep: 'run' })
      await node.checkpoint(checkpoint(parent, { then: SUSPENDED }))
      const waits = await b.started(node)
      await node.checkpoint(checkpoint(waits, { then: SUSPENDED, opens: [bookmark(b.newId())] }))
      await b.store.stimuli.send({
        tenant: TENANT,
        instanceId: waits,
        kind: 'edit',
        payload: '{}',
        dedupeKey: undefined,
      })
      const poison = await b.started(node)
      await node.checkpoint(checkpoint(poison, { then: { ...SUSPENDED, status: 'quarantined' } }))
      for (const area of AREAS)
        expect(await b.store.maintenance.examine(area, undefined, 100), area).toMatchObject({ broken: [] })
    })

    it('looks at an area page by page', async () => {
      const b = await open()
      const node = await b.joined()
      for (let n = 0; n < 3; n += 1) await b.started(node)
      const first = await b.store.maintenance.examine('instances', undefined, 2)
      expect(first).toMatchObject({ looked: 2, next: expect.any(String) })
      expect(await b.store.maintenance.examine('instances', first.next, 2)).toMatchObject({
        looked: 1,
        next: undefined,
      })
    })

    it('finds an instance that nothing would move, and has it opened anew', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance } = b.store
      const id = await b.started(node)
      await node.checkpoint(checkpoint(id, { then: SUSPENDED }))
      const { broken } = await maintenance.examine('instances', undefined, 10)
      expect(broken).toMatchObject([{ code: 'STRANDED', tenant: TENANT, key: id, instanceId: id }])
      expect(await maintenance.repair(node.id, 'STRANDED', broken)).toBe(1)
      expect(await maintenance.repair(node.id, 'STRANDED', broken)).toBe(0)
      expect(await node.claim()).toMatchObject([{ instanceId: id, claimNo: 2, stim: 1 }])
      expect(await b.store.agenda.inbox([id])).toMatchObject([{ messages: [{ kind: 'reopen' }] }])
    })

    it('suspects that a bookmark is lost where facts speak of a wait that nothing stands for, and asks the owner once', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance, agenda, stimuli } = b.store
      const id = await b.started(node)
      const waits = (step: string) => ({ kind: 'waiting', data: JSON.stringify({ step, bookmark: b.newId() }) })
      const facts = [
        waits('lost'),
        waits('open'),
        waits('told'),
        waits('over'),
        { kind: 'completed', data: '{"step":"over"}' },
      ]
      const opens = ['open', 'told'].map((step) => bookmark(b.newId(), { step, name: step, hash: step }))
      await node.checkpoint(checkpoint(id, { facts, opens }))
      await stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: 'told', payload: '{}' })
      const { broken } = await maintenance.examine('instances', undefined, 10)
      expect(broken).toMatchObject([{ code: 'BOOKMARK_LOST', tenant: TENANT, key: id, instanceId: id }])
      expect([...(broken[0]!.present ?? [])].sort()).toEqual(['open', 'told'])
      for (let n = 0; n < 2; n += 1) expect(await maintenance.repair(node.id, 'BOOKMARK_LOST', broken)).toBe(1)
      const [inbox] = await agenda.inbox([id])
      expect(inbox?.messages.map(({ kind }) => kind)).toEqual(['resume', 'reopen'])
      // Whoever has it keeps it: only the owner puts anything back.
      expect((await agenda.claims(node.id)).map(({ instanceId }) => instanceId)).toEqual([id])
    })

    it('suspects no wait of which something stands outside, and none of what is over or put aside', async () => {
      const b = await open()
      const node = await b.joined()
      const waiting = [{ kind: 'waiting', data: JSON.stringify({ step: 'ask', bookmark: b.newId() }) }]
      const [open_, over, aside] = [await b.started(node), await b.started(node), await b.started(node)]
      await node.checkpoint(
        checkpoint(open_, { facts: waiting, opens: [bookmark(b.newId())] }),
        checkpoint(over, { facts: [...waiting, ...ENDED], then: COMPLETED }),
        checkpoint(aside, { facts: waiting, then: { ...SUSPENDED, status: 'quarantined' } }),
      )
      expect((await b.store.maintenance.examine('instances', undefined, 10)).broken).toEqual([])
    })

    it('finds the bookmark of an ended instance, and closes it', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance } = b.store
      const [id, other] = [await b.started(node), await b.started(node)]
      const [left, right] = [bookmark(b.newId()), bookmark(b.newId())]
      await node.checkpoint(checkpoint(id, { opens: [left] }), checkpoint(other, { opens: [right] }))
      await node.checkpoint(checkpoint(id, { seq: 3, facts: ENDED, then: COMPLETED }))
      const { broken } = await maintenance.examine('bookmarks', undefined, 10)
      expect(broken).toMatchObject([{ code: 'BOOKMARK_OF_FINISHED', key: left.id, instanceId: id }])
      const both = [...broken, { tenant: TENANT, key: right.id }]
      expect(await maintenance.repair(node.id, 'BOOKMARK_OF_FINISHED', both)).toBe(1)
      expect(await maintenance.examine('bookmarks', undefined, 10)).toMatchObject({ looked: 1, broken: [] })
    })

    it('finds a bookmark whose task is gone, and has its instance opened anew', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance, tasks, humanTasks, agenda } = b.store
      const marks = (['task', 'human', 'signal'] as const).map((kind) =>
        bookmark(b.newId(), { kind, name: kind, hash: kind, step: kind }),
      )
      const [work, ask] = marks
      const id = await b.started(node)
      const facts = marks.map((mark) => waitingFact(mark))
      const claimed = async () => (await maintenance.examine('bookmarks', undefined, 10)).broken
      await node.checkpoint(checkpoint(id, { facts, opens: marks }))
      // Its owner may be about to make them.
      expect(await claimed()).toEqual([])
      await node.checkpoint(checkpoint(id, { seq: 5, then: SUSPENDED }))
      const of = { tenant: TENANT, instanceId: id }
      const broken = await claimed()
      expect(broken.map(({ code, key }) => [code, key]).sort()).toEqual(
        [work, ask].map((mark) => ['TASK_LOST', mark!.id]).sort(),
      )
      await tasks.open({
        ...of,
        ...{ id: work!.id, step: 'task', queue: 'default', name: 'task', payload: '{}', leaseMs: HOUR, mostClaims: 3 },
      })
      expect(await maintenance.repair(node.id, 'TASK_LOST', broken)).toBe(1)
      expect(await agenda.inbox([id])).toMatchObject([{ messages: [{ kind: 'reopen' }] }])
      await humanTasks.open({
        ...{ ...of, id: ask!.id, step: 'human', title: 'Ask', description: undefined, form: undefined },
        ...{ outcomes: ['done'], assignee: undefined, candidates: [], dueInMs: undefined },
      })
      expect(await claimed()).toEqual([])
      expect(await maintenance.repair(node.id, 'TASK_LOST', broken)).toBe(0)
    })

    it('mends nothing for a node that was buried, and nothing that needs a person', async () => {
      const b = await open()
      const node = await b.joined()
      const id = await b.started(node)
      const row = [{ tenant: TENANT, key: id }]
      await expect(b.store.maintenance.repair(b.newId(), 'STRANDED', row)).rejects.toSatisfy(Fenced.is)
      expect(await b.store.maintenance.repair(node.id, 'JOURNAL_GAP', row)).toBe(0)
    })
  })

  describe('standing', () => {
    it('tells who holds an instance, what it waits for and what goes first', async () => {
      const b = await open()
      const node = await b.joined()
      const { maintenance, stimuli } = b.store
      const id = await b.started(node)
      const standing = async () => (await maintenance.standing(TENANT, id))!
      expect(await standing()).toMatchObject({
        ...{ definitionId: WORKFLOW, version: 1, status: 'running', lastSeq: 1, bookmarks: [], children: [] },
        ...{ agenda: { claimNo: 1, stim: 0 }, owner: { nodeId: node.id, name: 'node', doomed: false } },
        nodes: [{ nodeId: node.id, name: 'node' }],
      })
      const child = await b.started(node, { parentId: id, parentStep: 'run', claimed: false })
      const mark = bookmark(b.newId())
      await node.checkpoint(checkpoint(id, { then: SUSPENDED, opens: [mark] }))
      expect(await standing()).toMatchObject({
        ...{ status: 'suspended', agenda: undefined, owner: undefined, lastSeq: 2 },
        bookmarks: [{ id: mark.id, step: 'ask', kind: 'signal', name: 'approved' }],
        children: [{ instanceId: child, definitionId: WORKFLOW, step: 'run', status: 'queued' }],
      })
      await stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: undefined, payload: '{}' })
      expect(await standing()).toMatchObject({
        ...{ agenda: { stim: 1, ahead: { value: 0, exact: true } }, messages: { value: 1, exact: true } },
      })
      // What goes on is taken before what begins.
      expect((await maintenance.standing(TENANT, child))?.agenda?.ahead).toEqual({ value: 1, exact: true })
      expect(await maintenance.standing('other', id)).toBeUndefined()
      expect(await maintenance.standing(TENANT, b.newId())).toBeUndefined()
    })
  })
}

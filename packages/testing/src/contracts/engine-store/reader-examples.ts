import { expect, it } from 'vitest'
import { type Bench, bookmark, COMPLETED, checkpoint, SUSPENDED, startItem, TENANT, WORKFLOW } from './fixture.ts'

export function readerExamples(open: () => Promise<Bench>): void {
  it('shows an instance through its life', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node, { correlationId: 'c' })
    const { instances } = b.store
    expect(await instances.get(TENANT, id)).toMatchObject({
      ...{
        id,
        definitionId: WORKFLOW,
        version: 1,
        status: 'running',
        correlationId: 'c',
        input: { amount: 7 },
        output: null,
        error: null,
      },
      ...{ nodeId: node.id, finishedAt: undefined, waitingFor: [], incidents: [], revision: 1 },
    })
    const mark = bookmark(b.newId())
    await node.checkpoint(checkpoint(id, { then: SUSPENDED, opens: [mark] }))
    const waiting = {
      status: 'suspended',
      nodeId: undefined,
      dueAt: undefined,
      waitingFor: [{ bookmarkId: mark.id, kind: 'signal', name: 'approved' }],
    }
    expect(await instances.get(TENANT, id)).toMatchObject(waiting)
    await b.store.stimuli.send({ tenant: TENANT, instanceId: id, kind: 'cancel', payload: '{}', dedupeKey: undefined })
    await node.claim()
    expect(await instances.get(TENANT, id)).toMatchObject({ status: 'running', nodeId: node.id })
    const failed = [{ kind: 'ended', data: '{"status":"faulted","error":{"code":"E"}}' }]
    await node.checkpoint(
      checkpoint(id, {
        claimNo: 2,
        seq: 3,
        stim: 1,
        facts: failed,
        closes: [mark.id],
        then: { kind: 'end', status: 'faulted' },
      }),
    )
    const ended = (await instances.get(TENANT, id))!
    expect(ended).toMatchObject({
      status: 'faulted',
      error: { code: 'E' },
      output: null,
      nodeId: undefined,
      waitingFor: [],
      revision: 3,
    })
    expect(ended.finishedAt).toBeGreaterThanOrEqual(ended.createdAt)
    expect(await instances.statuses(TENANT, [id])).toEqual(new Map([[id, 'faulted']]))
  })

  it('knows nothing of other tenants and unknown ids', async () => {
    const b = await open()
    const id = await b.started(await b.joined())
    for (const [tenant, instanceId] of [
      ['other', id],
      [TENANT, b.newId()],
    ] as const) {
      expect(await b.store.instances.get(tenant, instanceId)).toBeUndefined()
      expect(await b.store.instances.statuses(tenant, [instanceId])).toEqual(new Map())
      expect(await b.store.instances.journal(tenant, instanceId, 0, 10)).toEqual([])
    }
  })

  it('stamps a state: another text as soon as anything of it is another', async () => {
    const b = await open()
    const node = await b.joined()
    const { instances } = b.store
    const [id, other] = [await b.started(node), await b.started(node)]
    const seen: string[] = []
    const moved = async (what: string): Promise<void> => {
      const stamped = (await instances.stamped(TENANT, id))!
      expect(stamped.view).toEqual(await instances.get(TENANT, id))
      expect(await instances.stamps(TENANT, [id])).toEqual(new Map([[id, stamped.stamp]]))
      expect(seen, what).not.toContain(stamped.stamp)
      seen.push(stamped.stamp)
    }
    await moved('started')
    const incident = { id: b.newId(), step: 'a', fingerprint: 'f', code: 'STEP_FAILED', message: 'no' }
    await node.checkpoint(checkpoint(id, { incidents: [incident] }))
    await moved('a fact and an incident')
    const mark = bookmark(b.newId())
    await node.checkpoint(checkpoint(id, { seq: 3, then: SUSPENDED, opens: [mark] }))
    await moved('it waits')
    await b.store.stimuli.resume({ tenant: TENANT, instanceId: id, bookmark: 'approved', payload: '1' })
    await moved('resumed, and nobody has it yet')
    await node.claim()
    await moved('claimed')
    const before = seen.at(-1)
    await node.checkpoint(checkpoint(other))
    expect((await instances.stamps(TENANT, [id, other])).get(id)).toBe(before)
    const ended = [{ kind: 'ended', data: '{}' }]
    await node.checkpoint(checkpoint(id, { claimNo: 2, seq: 4, stim: 1, facts: ended, then: COMPLETED }))
    await moved('ended')
    expect(await instances.stamped('other', id)).toBeUndefined()
    expect(await instances.stamped(TENANT, b.newId())).toBeUndefined()
    expect(await instances.stamps('other', [id])).toEqual(new Map())
    expect(await instances.stamps(TENANT, [b.newId()])).toEqual(new Map())
  })

  it('reads a journal page by page, with positions in the order of commits', async () => {
    const b = await open()
    const node = await b.joined()
    const [one, two] = [await b.started(node), await b.started(node)]
    const facts = ['a', 'b'].map((step) => ({ kind: 'completed', data: JSON.stringify({ step }) }))
    await node.checkpoint(checkpoint(two, { facts }), checkpoint(one, { facts }))
    await node.checkpoint(checkpoint(one, { seq: 4, facts: [{ kind: 'ended', data: '{}' }], then: COMPLETED }))
    const journal = await b.store.instances.journal(TENANT, one, 1, 2)
    expect(journal).toMatchObject([
      { seq: 2, kind: 'completed', data: { step: 'a' }, nodeId: node.id, claimNo: 1 },
      { seq: 3, kind: 'completed', data: { step: 'b' }, nodeId: node.id, claimNo: 1 },
    ])
    const rows = [
      ...(await b.store.instances.journal(TENANT, one, 0, 10)),
      ...(await b.store.instances.journal(TENANT, two, 0, 10)),
    ]
    const positions = rows.map((row) => BigInt(row.position))
    expect(new Set(positions).size).toBe(rows.length)
    expect(positions.slice(0, 4)).toEqual([...positions.slice(0, 4)].sort((x, y) => (x < y ? -1 : 1)))
  })

  it('outlines a journal: what facts say of steps, without what these were given or gave', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const error = { code: 'X', message: 'no', data: 'much' }
    const facts = [
      { kind: 'waiting', data: JSON.stringify({ step: 'a', wait: { kind: 'timer', ms: 5 } }) },
      { kind: 'completed', data: JSON.stringify({ step: 'a', outcomes: ['x', 'y'], outcome: 'x', output: 'much' }) },
      { kind: 'retrying', data: JSON.stringify({ step: 'b', attempt: 1, error, delayMs: 500 }) },
      { kind: 'rewound', data: JSON.stringify({ step: 'a', toSeq: 1, state: {} }) },
      { kind: 'migrated', data: JSON.stringify({ from: 1, to: 2, mapping: { a: 'c' } }) },
      { kind: 'waiting', data: JSON.stringify({ step: 'd', wait: { kind: 'event', name: 'e', timeoutMs: 9 } }) },
      { kind: 'waiting', data: JSON.stringify({ step: 'f', wait: { kind: 'child', instanceId: id } }) },
      { kind: 'waiting', data: JSON.stringify({ step: 'g', wait: { kind: 'timer', at: 1_790_000_000_000 } }) },
    ]
    await node.checkpoint(checkpoint(id, { facts }))
    const told = (await b.store.instances.outline(TENANT, id, 1, 10)).map((each) => JSON.parse(JSON.stringify(each)))
    expect(new Set(told.map(({ nodeId }) => nodeId))).toEqual(new Set([node.id]))
    expect(told.map(({ at: _, nodeId: __, ...each }) => each)).toEqual([
      { seq: 2, kind: 'waiting', step: 'a', waitKind: 'timer', waitMs: 5 },
      { seq: 3, kind: 'completed', step: 'a', outcome: 'x', outcomes: ['x', 'y'] },
      { seq: 4, kind: 'retrying', step: 'b', attempt: 1, error: { code: 'X', message: 'no' }, delayMs: 500 },
      { seq: 5, kind: 'rewound', step: 'a', toSeq: 1 },
      { seq: 6, kind: 'migrated', mapping: { a: 'c' } },
      { seq: 7, kind: 'waiting', step: 'd', waitKind: 'event', waitName: 'e', waitMs: 9 },
      { seq: 8, kind: 'waiting', step: 'f', waitKind: 'child', childId: id },
      { seq: 9, kind: 'waiting', step: 'g', waitKind: 'timer', waitUntil: 1_790_000_000_000 },
    ])
    expect((await b.store.instances.outline(TENANT, id, 2, 2)).map(({ seq }) => seq)).toEqual([3, 4])
    expect(await b.store.instances.outline('other', id, 0, 10)).toEqual([])
  })

  it('lists newest first, by definition and status, from a cursor on', async () => {
    const b = await open()
    const node = await b.joined()
    const ids = [await b.started(node), await b.started(node), await b.started(node, { claimed: false })]
    await b.store.definitions.registerFunction(TENANT, 'other', 1)
    const other = b.newId()
    await node.start(startItem(other, { definitionId: 'other' }))
    const list = async (
      filter: { definitionId?: string; status?: string; before?: string },
      limit = 10,
    ): Promise<string[]> => (await b.store.instances.list(TENANT, filter, limit)).map((view) => view.id)
    expect(await list({})).toEqual([other, ids[2], ids[1], ids[0]])
    expect(await list({ definitionId: WORKFLOW }, 2)).toEqual([ids[2], ids[1]])
    expect(await list({ definitionId: WORKFLOW, before: ids[1]! })).toEqual([ids[0]])
    expect(await list({ status: 'queued' })).toEqual([ids[2]])
  })
}

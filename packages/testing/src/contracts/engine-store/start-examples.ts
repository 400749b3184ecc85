import { expect, it } from 'vitest'
import { type Bench, checkpoint, startItem, TENANT, WORKFLOW } from './fixture.ts'

export function startExamples(open: () => Promise<Bench>): void {
  it('starts with the version that is published at that moment', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1)
    expect((await node.start(startItem(b.newId()))).starts).toEqual([{ kind: 'started', version: 1 }])
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 2)
    expect((await node.start(startItem(b.newId()))).starts).toEqual([{ kind: 'started', version: 2 }])
    expect((await node.start(startItem(b.newId(), { version: 1 }))).starts).toEqual([{ kind: 'started', version: 1 }])
  })

  it('refuses a version that must be the published one and is not, alone and among others', async () => {
    const b = await open()
    const node = await b.joined()
    const guessed = (version: number, extra: Parameters<typeof startItem>[1] = {}) =>
      startItem(b.newId(), { version, onlyPublished: true, ...extra })
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1)
    expect((await node.start(guessed(1), guessed(1))).starts).toEqual([
      { kind: 'started', version: 1 },
      { kind: 'started', version: 1 },
    ])
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 2)
    expect((await node.start(guessed(1))).starts).toEqual([{ kind: 'unknown-definition' }])
    const mixed = await node.start(
      ...[guessed(1), guessed(2), startItem(b.newId(), { version: 1 }), startItem(b.newId())],
      ...[guessed(1, { dedupeKey: 'k' }), guessed(2, { dedupeKey: 'k' }), guessed(2, { claimed: false })],
    )
    expect(mixed.starts).toEqual([
      { kind: 'unknown-definition' },
      { kind: 'started', version: 2 },
      { kind: 'started', version: 1 },
      { kind: 'started', version: 2 },
      expect.objectContaining({ kind: 'duplicate' }),
      { kind: 'started', version: 2 },
      { kind: 'started', version: 2 },
    ])
  })

  it('answers for a definition that is unknown or not published, and starts the rest of the batch', async () => {
    const b = await open()
    const node = await b.joined()
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1)
    await b.store.definitions.create(TENANT, 'draft-only', '{}')
    const answer = await node.start(
      startItem(b.newId(), { definitionId: 'nowhere' }),
      startItem(b.newId()),
      startItem(b.newId(), { definitionId: 'draft-only' }),
      startItem(b.newId(), { tenant: 'other' }),
    )
    expect(answer.starts.map((start) => start.kind)).toEqual([
      'unknown-definition',
      'started',
      'unknown-definition',
      'unknown-definition',
    ])
  })

  it('makes one instance of starts with one dedupe key, in a batch and across nodes', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    await b.store.definitions.registerFunction(TENANT, WORKFLOW, 1)
    await b.store.definitions.registerFunction('other', WORKFLOW, 1)
    const winner = b.newId()
    const inBatch = await one.start(startItem(winner, { dedupeKey: 'k' }), startItem(b.newId(), { dedupeKey: 'k' }))
    expect(inBatch.starts).toEqual([
      { kind: 'started', version: 1 },
      { kind: 'duplicate', instanceId: winner },
    ])
    expect((await two.start(startItem(b.newId(), { dedupeKey: 'k' }))).starts).toEqual([
      { kind: 'duplicate', instanceId: winner },
    ])
    const other = await two.start(startItem(b.newId(), { dedupeKey: 'k', tenant: 'other' }))
    expect(other.starts).toEqual([{ kind: 'started', version: 1 }])
  })

  it('gives an instance to the node that starts it, or to whoever claims it when it is due', async () => {
    const b = await open()
    const [one, two] = [await b.joined(), await b.joined()]
    const own = await b.started(one)
    const free = await b.started(one, { claimed: false })
    const later = await b.started(one, { claimed: false, dueInMs: 3_600_000 })
    expect(await two.claim()).toMatchObject([{ instanceId: free, claimNo: 1, crashes: 1, stim: 0 }])
    expect(await two.claim(100, 7_200_000)).toMatchObject([{ instanceId: later, claimNo: 1 }])
    expect((await b.store.agenda.claims(one.id)).map((claim) => claim.instanceId)).toEqual([own])
    expect((await b.store.instances.statuses(TENANT, [own])).get(own)).toBe('running')
    expect((await b.store.instances.statuses(TENANT, [free])).get(free)).toBe('queued')
  })

  it('answers a batch that is sent again as it did the first time, and applies it once', async () => {
    const b = await open()
    const node = await b.joined()
    const owned = await b.started(node)
    const lost = b.newId()
    const twin = b.newId()
    const batch = {
      nodeId: node.id,
      flushNo: 77,
      starts: [
        startItem(twin, { dedupeKey: 'k' }),
        startItem(b.newId(), { dedupeKey: 'k' }),
        startItem(b.newId(), { definitionId: 'nowhere' }),
      ],
      checkpoints: [checkpoint(lost), checkpoint(owned), checkpoint(twin, { claimNo: 9 })],
    }
    const first = await b.store.commits.commit(batch)
    expect(first).toMatchObject({
      repeated: false,
      checkpoints: [{ kind: 'lost' }, { kind: 'written' }, { kind: 'lost' }],
    })
    const again = await b.store.commits.commit(batch)
    expect(again).toEqual({ ...first, repeated: true, woken: again.woken })
    expect((await b.store.agenda.load([owned]))[0]!.facts.map((fact) => fact.seq)).toEqual([1, 2])
  })

  it('forgets batches before a number, and no others', async () => {
    const b = await open()
    const node = await b.joined()
    const empty = (flushNo: number) => b.store.commits.commit({ nodeId: node.id, flushNo, starts: [], checkpoints: [] })
    for (const flushNo of [11, 12, 13]) await empty(flushNo)
    await b.store.commits.trim(node.id, 12)
    expect([(await empty(12)).repeated, (await empty(13)).repeated, (await empty(11)).repeated]).toEqual([
      true,
      true,
      false,
    ])
  })

  it('applies a batch that is sent again when the first attempt was refused as a whole', async () => {
    const b = await open()
    const node = await b.joined()
    const instanceId = await b.started(node)
    await node.checkpoint(checkpoint(instanceId))
    const broken = {
      nodeId: node.id,
      flushNo: 78,
      starts: [startItem(instanceId)],
      checkpoints: [checkpoint(instanceId, { seq: 3 })],
    }
    await expect(b.store.commits.commit(broken)).rejects.toThrow()
    const mended = { ...broken, starts: [] }
    expect(await b.store.commits.commit(mended)).toMatchObject({ repeated: false, checkpoints: [{ kind: 'written' }] })
    expect((await b.store.agenda.load([instanceId]))[0]!.facts.map((fact) => fact.seq)).toEqual([1, 2, 3])
  })
}

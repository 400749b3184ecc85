import type { CommitBatch } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import { type Bench, checkpoint, startItem, TENANT, WORKFLOW } from './fixture.ts'

const FLUSH = 500

export function transactionExamples(open: () => Promise<Bench>): void {
  const batchOf = (nodeId: string, ...checkpoints: CommitBatch['checkpoints']): CommitBatch => ({
    nodeId,
    flushNo: FLUSH,
    starts: [],
    checkpoints,
  })

  it('commits facts together with statements of the user', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const { result, commit } = await b.store.transactions.transact(
      async (tx) => {
        await tx.query('select 1')
        return 'done'
      },
      (done) =>
        batchOf(node.id, checkpoint(id, { facts: [{ kind: 'completed', data: JSON.stringify({ step: done }) }] })),
    )
    expect(result).toBe('done')
    expect(commit).toMatchObject({ repeated: false, checkpoints: [{ kind: 'written' }] })
    expect((await b.store.agenda.load([id]))[0]!.facts).toMatchObject([{ seq: 1 }, { seq: 2, data: { step: 'done' } }])
    expect(await b.store.commits.commit(batchOf(node.id))).toMatchObject({ repeated: true })
  })

  it('writes nothing when the user code throws, and throws the same', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const work = async (): Promise<never> => {
      throw new RangeError('no')
    }
    await expect(b.store.transactions.transact(work, () => batchOf(node.id, checkpoint(id)))).rejects.toThrow(
      new RangeError('no'),
    )
    expect((await b.store.agenda.load([id]))[0]!.facts).toHaveLength(1)
    expect(await b.store.commits.commit(batchOf(node.id))).toMatchObject({ repeated: false })
  })

  it("commits nothing, the user's part included, when the facts are refused", async () => {
    const b = await open()
    const [node, other] = [await b.joined(), await b.joined()]
    const id = await b.started(other)
    const work = (tx: { query(text: string): Promise<unknown> }): Promise<unknown> => tx.query('select 1')
    const { commit } = await b.store.transactions.transact(work, () => batchOf(node.id, checkpoint(id)))
    expect(commit.checkpoints).toEqual([{ kind: 'lost' }])
    // An empty batch under its number settles what became of it: it was never there.
    expect(await b.store.commits.commit(batchOf(node.id))).toMatchObject({ repeated: false })
  })

  it('refuses a buried node', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    await b.store.membership.bury({ id: node.id, beat: 0 })
    const late = b.store.transactions.transact(
      async (tx) => tx.query('select 1'),
      () => batchOf(node.id, checkpoint(id)),
    )
    await expect(late).rejects.toMatchObject({ code: 'FENCED' })
  })

  it('starts an instance with the transaction, or not at all', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const [kept, never] = [b.newId(), b.newId()]
    const { transactions } = b.store
    await transactions.transact(
      async (tx) => {
        expect(await transactions.startWithin(tx, node.id, startItem(kept, { dedupeKey: 'k' }))).toEqual({
          kind: 'started',
          version: 1,
        })
        const twin = startItem(b.newId(), { dedupeKey: 'k' })
        expect(await transactions.startWithin(tx, node.id, twin)).toEqual({ kind: 'duplicate', instanceId: kept })
        const unknown = startItem(b.newId(), { definitionId: 'nowhere' })
        expect(await transactions.startWithin(tx, node.id, unknown)).toEqual({ kind: 'unknown-definition' })
        const outdated = startItem(b.newId(), { version: 7, onlyPublished: true })
        expect(await transactions.startWithin(tx, node.id, outdated)).toEqual({ kind: 'unknown-definition' })
      },
      () => batchOf(node.id, checkpoint(id)),
    )
    const failed = transactions.transact(
      async (tx) => {
        await transactions.startWithin(tx, node.id, startItem(never))
        throw new RangeError('no')
      },
      () => batchOf(node.id, checkpoint(id, { seq: 3 })),
    )
    await expect(failed).rejects.toThrow('no')
    expect((await b.store.agenda.load([kept, never])).map((run) => run.instanceId)).toEqual([kept])
    expect(await node.claim()).toMatchObject([{ instanceId: kept, claimNo: 1 }])
    expect(await b.store.instances.get(TENANT, kept)).toMatchObject({ definitionId: WORKFLOW, input: { amount: 7 } })
  })

  it('gives every fact of a transaction a position of its own', async () => {
    const b = await open()
    const node = await b.joined()
    const id = await b.started(node)
    const ids = [b.newId(), b.newId()]
    const { transactions } = b.store
    await transactions.transact(
      async (tx) => {
        for (const each of ids) await transactions.startWithin(tx, node.id, startItem(each))
      },
      () => batchOf(node.id, checkpoint(id)),
    )
    const positions: string[] = []
    for (const each of [...ids, id])
      positions.push(...(await b.store.instances.journal(TENANT, each, 0, 10)).map((row) => row.position))
    expect(new Set(positions).size).toBe(4)
  })
}

import type { NewHumanTask, NewTask } from '@lockstep/engine/ports'
import { expect, it } from 'vitest'
import {
  type Bench,
  bookmark,
  COMPLETED,
  type ContractNode,
  checkpoint,
  HOUR,
  SUSPENDED,
  TENANT,
  waitingFact,
} from './fixture.ts'

const ABANDONED = '{"status":"failed"}'

/** An instance that waits at a bookmark of this kind, and the id of both. */
async function waiting({ newId, started }: Bench, node: ContractNode, kind: string) {
  const instanceId = await started(node)
  const row = bookmark(newId(), { kind, name: 'print', hash: kind })
  await node.checkpoint(checkpoint(instanceId, { facts: [waitingFact(row)], opens: [row], then: SUSPENDED }))
  return { instanceId, id: row.id }
}

async function withTask(open: () => Promise<Bench>, more: Partial<NewTask> = {}) {
  const bench = await open()
  const node = await bench.joined()
  const { instanceId, id } = await waiting(bench, node, 'task')
  const task: NewTask = {
    ...{ tenant: TENANT, id, instanceId, step: 'ask', queue: 'default', name: 'print', payload: '{"page":1}' },
    ...{ leaseMs: HOUR, mostClaims: 3, ...more },
  }
  const { tasks, agenda } = bench.store
  await tasks.open(task)
  const claim = (worker = 'w', names = ['print'], limit = 10) =>
    tasks.claim({ tenant: TENANT, queue: 'default', names, limit, leaseMs: undefined, worker, abandoned: ABANDONED })
  const inbox = async () => (await agenda.inbox([instanceId]))[0]?.messages ?? []
  return { ...bench, node, instanceId, id, task, tasks, claim, inbox }
}

export function taskExamples(open: () => Promise<Bench>): void {
  it('hands a task to one worker, with its payload and a lease number', async () => {
    const { claim, tasks, id, instanceId } = await withTask(open)
    expect(await claim('w', ['other'])).toEqual([])
    expect(await claim('first')).toMatchObject([
      { id, instanceId, name: 'print', payload: { page: 1 }, status: 'claimed', leaseNo: 1, worker: 'first' },
    ])
    expect(await claim('second')).toEqual([])
    expect(await tasks.get(TENANT, id)).toMatchObject({ status: 'claimed', worker: 'first' })
    expect(await tasks.get('other', id)).toBeUndefined()
  })

  it('opens a task once, and not at all when nobody waits for it', async () => {
    const { claim, tasks, task, newId } = await withTask(open)
    await tasks.open(task)
    await tasks.open({ ...task, id: newId() })
    expect(await claim()).toHaveLength(1)
    expect(await claim()).toHaveLength(0)
  })

  it('makes the end of a task a message of its instance, once', async () => {
    const { claim, tasks, id, inbox, node, instanceId } = await withTask(open)
    await claim()
    expect(await tasks.end(TENANT, id, 1, 'completed', '{"status":"completed","output":7}')).toBe('done')
    expect(await tasks.end(TENANT, id, 1, 'completed', '{}')).toBe('already-completed')
    expect(await tasks.beat(TENANT, id, 1, undefined, undefined)).toBe('already-completed')
    expect(await inbox()).toMatchObject([
      { kind: 'task', bookmarkId: id, step: 'ask', payload: { status: 'completed', output: 7 } },
    ])
    expect((await node.claim()).map((claim) => claim.instanceId)).toEqual([instanceId])
    expect(await tasks.get(TENANT, id)).toMatchObject({ status: 'completed', payload: null })
  })

  it('gives the task of a silent worker to the next, and refuses the silent one from then on', async () => {
    const { claim, tasks, id, inbox } = await withTask(open, { leaseMs: 0 })
    await claim('silent')
    expect(await claim('next')).toMatchObject([{ id, leaseNo: 2, worker: 'next' }])
    for (const lease of [1, 2]) {
      expect(await tasks.end(TENANT, id, lease, 'completed', '{}')).toBe('lease-lost')
      expect(await tasks.beat(TENANT, id, lease, undefined, undefined)).toBe('lease-lost')
    }
    expect(await inbox()).toEqual([])
  })

  it('lets a heartbeat extend the lease and keep the progress', async () => {
    const { claim, tasks, id } = await withTask(open)
    const [before] = await claim()
    expect(await tasks.beat(TENANT, id, 1, 5 * HOUR, '{"done":1}')).toBe('done')
    const after = await tasks.get(TENANT, id)
    expect(after?.progress).toEqual({ done: 1 })
    expect(after!.leaseEndsAt! - before!.leaseEndsAt!).toBeGreaterThan(3 * HOUR)
    expect(await tasks.beat(TENANT, id, 1, undefined, undefined)).toBe('done')
    expect((await tasks.get(TENANT, id))?.progress).toEqual({ done: 1 })
    expect(await tasks.beat(TENANT, id, 7, undefined, undefined)).toBe('lease-lost')
  })

  it('fails a task that too many workers fell silent with', async () => {
    const { claim, tasks, id, inbox } = await withTask(open, { leaseMs: 0, mostClaims: 2 })
    await claim()
    await claim()
    expect(await claim()).toEqual([])
    expect(await inbox()).toMatchObject([{ kind: 'task', payload: { status: 'failed' } }])
    expect(await tasks.get(TENANT, id)).toMatchObject({ status: 'failed' })
  })

  it('says of a task whose instance does not wait any more that it is cancelled, and hands it to nobody', async () => {
    const { claim, tasks, id, node, instanceId, store } = await withTask(open)
    await claim()
    await store.stimuli.send({ tenant: TENANT, instanceId, kind: 'cancel', payload: '{}', dedupeKey: undefined })
    const [again] = await node.claim()
    await node.checkpoint(
      checkpoint(instanceId, { claimNo: again!.claimNo, seq: 3, stim: again!.stim, closes: [id], then: COMPLETED }),
    )
    expect(await tasks.get(TENANT, id)).toMatchObject({ status: 'cancelled' })
    expect(await tasks.beat(TENANT, id, 1, undefined, undefined)).toBe('cancelled')
    expect(await tasks.end(TENANT, id, 1, 'completed', '{}')).toBe('cancelled')
    expect(await claim()).toEqual([])
    expect(await tasks.end(TENANT, id, 1, 'completed', '{}')).toBe('cancelled')
  })

  it('opens a task again that was put away while its bookmark was lost, and not one that was done', async () => {
    const { claim, tasks, task, id, node, instanceId, store } = await withTask(open)
    await claim()
    await store.stimuli.send({ tenant: TENANT, instanceId, kind: 'edit', payload: '{}', dedupeKey: undefined })
    const [again] = await node.claim()
    const { claimNo, stim } = again!
    await node.checkpoint(checkpoint(instanceId, { claimNo, seq: 3, stim, closes: [id] }))
    expect(await tasks.end(TENANT, id, 1, 'completed', '{}')).toBe('cancelled')
    await tasks.open(task)
    expect(await tasks.get(TENANT, id)).toMatchObject({ status: 'cancelled' })
    const row = bookmark(id, { kind: 'task', name: 'print', hash: 'task' })
    await node.checkpoint(checkpoint(instanceId, { claimNo, seq: 4, stim, opens: [row] }))
    await tasks.open(task)
    expect(await tasks.end(TENANT, id, 1, 'completed', '{}')).toBe('lease-lost')
    expect(await claim()).toMatchObject([{ id, leaseNo: 2, payload: { page: 1 } }])
    expect(await tasks.end(TENANT, id, 2, 'completed', '{}')).toBe('done')
    await tasks.open(task)
    expect(await tasks.get(TENANT, id)).toMatchObject({ status: 'completed' })
  })

  it('tells which kinds of tasks can be claimed', async () => {
    const { claim, tasks } = await withTask(open)
    const print = { tenant: TENANT, queue: 'default', name: 'print' }
    expect(await tasks.look(10)).toEqual({ kinds: [print], more: false })
    expect(await tasks.look(1)).toEqual({ kinds: [print], more: true })
    await claim()
    expect(await tasks.look(10)).toEqual({ kinds: [], more: false })
  })

  it('lists tasks, newest first, by what was asked for', async () => {
    const { claim, tasks, id, instanceId } = await withTask(open)
    const ids = async (filter: object, before?: string) =>
      (await tasks.list(TENANT, filter, before, 10)).map((task) => task.id)
    expect(await ids({})).toEqual([id])
    expect(await ids({ status: 'open', queue: 'default', name: 'print', instanceId })).toEqual([id])
    expect(await ids({}, id)).toEqual([])
    await claim()
    expect(await ids({ status: 'open' })).toEqual([])
    expect(await ids({ status: 'claimed' })).toEqual([id])
    expect(await tasks.list('other', {}, undefined, 10)).toEqual([])
  })
}

export function humanTaskExamples(open: () => Promise<Bench>): void {
  async function withHuman(more: Partial<NewHumanTask> = {}) {
    const bench = await open()
    const node = await bench.joined()
    const { instanceId, id } = await waiting(bench, node, 'human')
    const { humanTasks, agenda } = bench.store
    const task: NewHumanTask = {
      ...{ tenant: TENANT, id, instanceId, step: 'ask', title: 'Approve', description: undefined },
      ...{ form: '{"type":"object"}', outcomes: ['approve', 'reject'], assignee: undefined, candidates: ['ann'] },
      ...{ dueInMs: HOUR, ...more },
    }
    await humanTasks.open(task)
    const end = (outcome = 'approve', tokenHash?: string) =>
      humanTasks.end({ tenant: TENANT, id, outcome, by: 'ann', message: `{"outcome":"${outcome}"}`, tokenHash })
    const inbox = async () => (await agenda.inbox([instanceId]))[0]?.messages ?? []
    return { ...bench, node, instanceId, id, task, humanTasks, end, inbox }
  }

  it('keeps what is asked of a person, and takes the first answer', async () => {
    const { humanTasks, id, end, inbox } = await withHuman()
    const found = await humanTasks.get(TENANT, id)
    expect(found).toMatchObject({ title: 'Approve', outcomes: ['approve', 'reject'], status: 'open' })
    expect(found!.form).toEqual({ type: 'object' })
    expect(found!.dueAt! - found!.createdAt).toBeGreaterThan(HOUR / 2)
    expect([await end(), await end('reject')]).toEqual(['done', 'already-completed'])
    expect(await inbox()).toMatchObject([{ kind: 'human', bookmarkId: id, payload: { outcome: 'approve' } }])
    expect(await humanTasks.get(TENANT, id)).toMatchObject({
      status: 'completed',
      outcome: 'approve',
      completedBy: 'ann',
    })
  })

  it('lists what is open for somebody', async () => {
    const { humanTasks, id, end } = await withHuman()
    const ids = async (filter: object) => (await humanTasks.list(TENANT, filter, undefined, 10)).map((task) => task.id)
    expect(await ids({ status: 'open', candidate: 'ann' })).toEqual([id])
    expect(await ids({ status: 'open', candidate: 'bob' })).toEqual([])
    expect(await ids({ status: 'open', assignee: 'ann' })).toEqual([])
    await end()
    expect(await ids({ status: 'open' })).toEqual([])
    expect(await ids({ status: 'completed' })).toEqual([id])
  })

  it('knows tokens by their hash until they are used', async () => {
    const { humanTasks, id, end, instanceId, newId } = await withHuman()
    const token = { tenant: TENANT, hash: 'h1', bookmarkId: id, ttlMs: HOUR }
    expect(await humanTasks.addToken(token)).toBeTypeOf('number')
    expect(await humanTasks.addToken({ ...token, hash: 'h2', bookmarkId: newId() })).toBeUndefined()
    expect(await humanTasks.addToken({ ...token, hash: 'h3', ttlMs: 0 })).toBeTypeOf('number')
    expect(await humanTasks.token(TENANT, 'h1')).toMatchObject({
      ...{ bookmarkId: id, instanceId, kind: 'human', isExpired: false, isUsed: false },
    })
    expect(await humanTasks.token(TENANT, 'h3')).toMatchObject({ isExpired: true })
    expect(await humanTasks.token('other', 'h1')).toBeUndefined()
    expect(await end('approve', 'h1')).toBe('done')
    expect(await humanTasks.token(TENANT, 'h1')).toMatchObject({ kind: undefined, isUsed: true })
    expect(await humanTasks.token(TENANT, 'h3')).toMatchObject({ kind: undefined, isUsed: false })
  })
}

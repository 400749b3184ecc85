/** Two real processes, of which one dies by kill -9 at the worst moment. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { api, openTaskSite, type TaskNode, type TaskSite } from './task-site.ts'

let site: TaskSite
beforeEach(async () => {
  site = await openTaskSite()
})
afterEach(() => site?.[Symbol.asyncDispose]())

const publish = (node: TaskNode, document: { readonly id: string }) =>
  node.call('PUT', api(`/workflow-definitions/${document.id}`), document)
const start = async (node: TaskNode, definitionId: string, input?: unknown, dedupeKey?: string): Promise<string> =>
  (await node.call('POST', api('/workflow-instances'), { definitionId, input, dedupeKey })).body.id
/** On a node that may die before it has answered: then the caller asks another one, with the same key. */
const startOn = (
  dying: TaskNode,
  other: TaskNode,
  definitionId: string,
  key: string,
  input?: unknown,
): Promise<string> => start(dying, definitionId, input, key).catch(() => start(other, definitionId, input, key))
const ended = async (node: TaskNode, id: string) => {
  for (;;) {
    const { body } = await node.call('GET', api(`/workflow-instances/${id}?wait=20s`))
    if (body.finishedAt !== null) return body
  }
}
const claim = async (node: TaskNode, more: object = {}) =>
  (await node.call('POST', api('/tasks/claim'), { tasks: ['print'], wait: '20s', ...more })).body.tasks[0]

const printing = {
  id: 'printing',
  activities: [
    { id: 'work', type: 'run-task', inputs: { task: 'print', payload: 1 } },
    { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'steps.work.output' } } },
  ],
  connections: [{ from: 'work', to: 'out' }],
}

describe('a node that dies', () => {
  it('before it has opened the task leaves the fact from which another opens it, once', async () => {
    const second = await site.node({ name: 'second' })
    await publish(second, printing)
    const first = await site.node({ name: 'first', crash: { port: 'tasks', method: 'open', when: 'before' } })
    const id = await startOn(first, second, 'printing', 'one')
    const task = await claim(second)
    await second.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: 'ok' })
    expect(await ended(second, id)).toMatchObject({ status: 'completed', output: { got: 'ok' } })
    expect(await site.rows('select count(*)::int as n from task')).toEqual([{ n: 1 }])
  })

  it('after it has opened the task changes nothing: the other has it too', async () => {
    const second = await site.node({ name: 'second' })
    await publish(second, printing)
    const first = await site.node({ name: 'first', crash: { port: 'tasks', method: 'open', when: 'after' } })
    const id = await startOn(first, second, 'printing', 'one')
    const task = await claim(second)
    await second.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: 'ok' })
    expect(await ended(second, id)).toMatchObject({ status: 'completed' })
    expect(await site.rows('select count(*)::int as n from task')).toEqual([{ n: 1 }])
  })

  it('between the completion and its application loses nothing: the message is durable', async () => {
    // It accepts the completion for an instance that it holds, and dies before it could say so.
    const second = await site.node({ name: 'second' })
    await publish(second, printing)
    const first = await site.node({ name: 'first', crash: { port: 'tasks', method: 'end', when: 'after' } })
    const id = await start(first, 'printing')
    const task = await claim(first)
    const unanswered = first.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: 'kept' })
    await expect(unanswered).rejects.toThrow()
    await first.ended
    // The worker repeats what it does not know to be heard.
    const again = await second.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: 'other' })
    expect([again.status, again.body.code]).toEqual([409, 'TASK_ALREADY_COMPLETED'])
    expect(await ended(second, id)).toMatchObject({ status: 'completed', output: { got: 'kept' } })
  })

  it('before the completion was written leaves the task to be completed elsewhere', async () => {
    const second = await site.node({ name: 'second' })
    await publish(second, printing)
    const first = await site.node({ name: 'first', crash: { port: 'tasks', method: 'end', when: 'before' } })
    const id = await start(first, 'printing')
    const task = await claim(first)
    await expect(first.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease })).rejects.toThrow()
    const again = await second.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: 'second' })
    expect(again.status).toBe(200)
    expect(await ended(second, id)).toMatchObject({ status: 'completed', output: { got: 'second' } })
  })
})

describe('a worker that dies', () => {
  it('loses its task to another when its lease is over, on whichever node it asked', async () => {
    const [first, second] = [await site.node({ name: 'first' }), await site.node({ name: 'second' })]
    await publish(first, printing)
    const id = await start(first, 'printing')
    const dead = await claim(first, { leaseFor: '300ms', worker: 'dead' })
    const next = await claim(second, { worker: 'next' })
    expect([next.id, next.lease]).toEqual([dead.id, 2])
    const late = await first.call('POST', api(`/tasks/${dead.id}/complete`), { lease: dead.lease, output: 'late' })
    expect([late.status, late.body.code, late.body.task.worker]).toEqual([409, 'TASK_LEASE_LOST', 'next'])
    await second.call('POST', api(`/tasks/${next.id}/complete`), { lease: 2, output: 'next' })
    expect(await ended(first, id)).toMatchObject({ output: { got: 'next' } })
  })
})

describe('an answer to a request', () => {
  const answering = {
    id: 'answering',
    activities: [
      { id: 'in', type: 'http-endpoint', inputs: { path: '/ask', mode: 'sync' } },
      { id: 'work', type: 'run-task', inputs: { task: 'print' } },
      { id: 'reply', type: 'http-response', inputs: { status: 201, body: { $expr: 'steps.work.output' } } },
    ],
    connections: [
      { from: 'in', to: 'work' },
      { from: 'work', to: 'reply' },
    ],
  }

  it('comes from whichever node the workflow ends up on', async () => {
    const front = await site.node({ name: 'front' })
    await publish(front, answering)
    const asked = front.call('POST', '/workflows/ask', {})
    const task = await claim(front)
    const back = await site.node({ name: 'back' })
    await back.call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: { by: 'worker' } })
    expect(await asked).toEqual({ status: 201, body: { by: 'worker' } })
  })

  it.each(['before', 'after'] as const)('survives the node that writes it, which dies %s its commit', async (when) => {
    const front = await site.node({ name: 'front' })
    await publish(front, answering)
    // Its first commit is the one that applies the completion, unless the other was faster.
    const runner = await site.node({ name: 'runner', crash: { port: 'commits', method: 'commit', when } })
    const asked = front.call('POST', '/workflows/ask', {})
    const task = await claim(runner)
    await runner
      .call('POST', api(`/tasks/${task.id}/complete`), { lease: task.lease, output: 'kept' })
      .catch(() => undefined)
    expect(await asked).toEqual({ status: 201, body: 'kept' })
    await runner.kill9()
  })
})

describe('a bulk run', () => {
  it('whose node dies in the middle starts nobody twice and forgets nobody', async () => {
    const child = {
      id: 'child',
      activities: [{ id: 'out', type: 'set-output', inputs: { name: 'n', value: { $expr: 'input' } } }],
    }
    const parent = {
      id: 'parent',
      activities: [
        { id: 'all', type: 'bulk-run', inputs: { definitionId: 'child', items: { $expr: 'input' }, concurrency: 20 } },
        { id: 'out', type: 'set-output', inputs: { name: 'all', value: { $expr: 'steps.all.output' } } },
      ],
      connections: [{ from: 'all', to: 'out' }],
    }
    const second = await site.node({ name: 'second' })
    await publish(second, child)
    await publish(second, parent)
    const items = Array.from({ length: 300 }, (_, n) => n)
    for (const n of [4, 9, 17]) {
      const first = await site.node({ name: 'first', crash: { port: 'commits', method: 'commit', when: 'after', n } })
      const id = await startOn(first, second, 'parent', `run-${n}`, items)
      const { output, status } = await ended(second, id)
      await first.kill9()
      expect(status).toBe('completed')
      expect(output.all).toMatchObject({ total: 300, completed: 300, faulted: 0, cancelled: 0 })
      expect(output.all.results.map((each: { output: { n: number } }) => each.output.n)).toEqual(items)
      const parentId = id.slice('wfi_'.length)
      expect(await site.rows(`select count(*)::int as n from instance where parent_id = '${parentId}'`)).toEqual([
        { n: 300 },
      ])
    }
  })
})

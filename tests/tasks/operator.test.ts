/** What operators do to instances that wait for workers, people and many children. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine()
  await test.publish({
    id: 'printing',
    activities: [
      { id: 'work', type: 'run-task', inputs: { task: 'print', payload: { $expr: 'input' } } },
      { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'steps.work.output' } } },
    ],
    connections: [{ from: 'work', to: 'out' }],
  } as never)
  await test.publish({
    id: 'asking',
    activities: [{ id: 'ask', type: 'human-task', inputs: { title: 'Well?', outcomes: ['yes', 'no'] } }],
  } as never)
  await test.publish({
    id: 'beside',
    activities: [
      { id: 'ask', type: 'human-task', inputs: { title: 'Well?', outcomes: ['yes'] } },
      { id: 'work', type: 'run-task', inputs: { task: 'bind' } },
      { id: 'gate', type: 'wait-for-event', inputs: { event: 'beside-go' } },
      { id: 'again', type: 'log', inputs: { message: 'here' } },
      { id: 'check', type: 'wait-for-event', inputs: { event: 'beside-check' } },
      { id: 'fails', type: 'fault', inputs: { message: 'no' } },
    ],
    connections: [
      { from: 'gate', to: 'again' },
      { from: 'again', to: 'check' },
      { from: 'check', to: 'fails' },
    ],
  } as never)
  await test.publish({
    id: 'patient',
    activities: [{ id: 'wait', type: 'wait-for-event', inputs: { event: 'never' } }],
  } as never)
  await test.publish({
    id: 'many',
    activities: [
      { id: 'all', type: 'bulk-run', inputs: { definitionId: 'patient', items: [1, 2, 3, 4, 5], concurrency: 3 } },
    ],
  } as never)
})
afterAll(() => test?.[Symbol.asyncDispose]())

const claim = async () => (await test.engine.tasks.claim({ tasks: ['print'], waitMs: 10_000 }))[0]!
const start = async (definitionId: string, input?: unknown) =>
  (await test.engine.start({ definitionId, input })).instanceId
const end = (id: string) => test.engine.waitForEnd(id, { limitMs: 20_000 })
const children = async (id: string) => {
  const all = await test.engine.list({ definitionId: 'patient' }, 100)
  return all.filter((each) => each.parentId === id).map((each) => each.status)
}

describe('an instance that waits for a worker', () => {
  it('takes the completion while it is paused, and goes on with it when it is continued', async () => {
    const id = await start('printing')
    const task = await claim()
    await test.rests(id, 'suspended')
    await test.engine.verbs.pause(id)
    await test.rests(id, 'paused')
    expect(await test.engine.tasks.complete({ id: task.id, leaseNo: 1 }, 'late')).toMatchObject({ outcome: 'done' })
    expect((await test.engine.get(id)).status).toBe('paused')
    await test.engine.verbs.continue(id)
    expect(await end(id)).toMatchObject({ status: 'completed', output: { got: 'late' } })
  })

  it('can be resumed by hand in place of the worker, who is told', async () => {
    const id = await start('printing')
    const task = await claim()
    expect(await test.engine.resume({ instanceId: id, bookmark: 'print', payload: 'by hand' })).toBe('resumed')
    expect(await end(id)).toMatchObject({ output: { got: 'by hand' } })
    expect(await test.engine.tasks.complete({ id: task.id, leaseNo: 1 })).toMatchObject({ outcome: 'cancelled' })
  })

  it('gets another task when it is sent back to work after the last one failed', async () => {
    const id = await start('printing')
    const first = await claim()
    await test.engine.tasks.fail({ id: first.id, leaseNo: 1 }, { message: 'no' })
    expect((await end(id))?.status).toBe('faulted')
    await test.engine.verbs.retry(id)
    const second = await claim()
    expect(second.id).not.toBe(first.id)
    await test.engine.tasks.complete({ id: second.id, leaseNo: 1 }, 'second')
    expect(await end(id)).toMatchObject({ status: 'completed', output: { got: 'second' } })
  })

  it('has a task of its own when it is a copy of another', async () => {
    const original = await start('printing', { n: 1 })
    const first = await claim()
    await test.rests(original, 'suspended')
    const forked = await test.engine.verbs.fork(original)
    if (!('instanceId' in forked) || forked.instanceId === undefined) throw new Error(JSON.stringify(forked))
    const second = await claim()
    expect([second.instanceId, second.id === first.id]).toEqual([forked.instanceId, false])
    await test.engine.tasks.complete({ id: first.id, leaseNo: 1 }, 'original')
    await test.engine.tasks.complete({ id: second.id, leaseNo: 1 }, 'copy')
    expect(await end(original)).toMatchObject({ output: { got: 'original' } })
    expect(await end(forked.instanceId)).toMatchObject({ output: { got: 'copy' } })
  })

  it('asks anew for what was done since the step that it is taken back to, and keeps what is still open', async () => {
    const id = await start('beside')
    const open = async () => (await test.engine.humanTasks.list({ instanceId: id, status: 'open' }, 10))[0]
    const worked = async () => (await test.engine.tasks.claim({ tasks: ['bind'], waitMs: 10_000 }))[0]!
    // Once: what comes before its bookmark is kept for it, and a second one would find nobody.
    const hear = (name: string) => test.engine.publish({ name })
    await test.rests(id, 'suspended')
    await hear('beside-go')
    const [asked, task] = [await open(), await worked()]
    await test.engine.tasks.complete(task, 'once')
    await hear('beside-check')
    expect((await end(id))?.status).toBe('faulted')
    expect(await test.engine.verbs.retry(id, { step: 'again' })).toEqual({ outcome: 'accepted' })
    const again = await worked()
    expect(again.id).not.toBe(task.id)
    await expect.poll(() => open().then((each) => each?.id)).toBe(asked!.id)
    expect(await test.engine.tasks.complete(task, 'twice')).toMatchObject({ outcome: 'already-completed' })
    expect(await test.engine.tasks.complete(again, 'anew')).toMatchObject({ outcome: 'done' })
    expect(await test.engine.humanTasks.complete({ id: asked!.id })).toMatchObject({ outcome: 'done' })
    expect((await test.engine.doctor()).findings).toEqual([])
    await test.engine.cancel(id)
    expect((await end(id))?.status).toBe('cancelled')
  })

  it('keeps its task when it is migrated, under the new name of the step', async () => {
    const version = (step: string) => ({
      id: 'renamed-task',
      activities: [{ id: step, type: 'human-task', inputs: { title: 'Well?', outcomes: ['yes'] } }],
    })
    await test.publish(version('before') as never)
    const id = await start('renamed-task')
    await test.rests(id, 'suspended')
    const [task] = await test.engine.humanTasks.list({ instanceId: id, status: 'open' }, 10)
    await test.engine.definitions.saveDraft('default', 'renamed-task', version('after') as never, 1)
    await test.engine.definitions.publish('default', 'renamed-task')
    await test.engine.verbs.migrate(id, { version: 2, mapping: { before: 'after' } })
    await expect
      .poll(() => test.engine.humanTasks.list({ instanceId: id, status: 'open' }, 10))
      .toMatchObject([{ id: task!.id, step: 'after' }])
    expect(await test.engine.humanTasks.complete({ id: task!.id })).toMatchObject({ outcome: 'done' })
    expect((await end(id))?.status).toBe('completed')
  })

  it('is explained', async () => {
    const [worker, person] = [await start('printing'), await start('asking')]
    await Promise.all([test.rests(worker, 'suspended'), test.rests(person, 'suspended')])
    expect((await test.engine.why(worker)).text).toContain('for a worker to do task "print"')
    expect((await test.engine.why(person)).text).toContain('for a person at "ask"')
    await test.engine.cancel(worker)
    await test.engine.cancel(person)
  })

  it('takes the first outcome when somebody resumes a human task by hand', async () => {
    const id = await start('asking')
    await test.rests(id, 'suspended')
    expect(await test.engine.resume({ instanceId: id, payload: 7 })).toBe('resumed')
    await end(id)
    const facts = (await test.engine.journal(id)).map((row) => row.data)
    expect(facts).toContainEqual(
      expect.objectContaining({ outcome: 'yes', output: { outcome: 'yes', data: 7, completedBy: null }, by: 'resume' }),
    )
  })
})

describe('a bulk run', () => {
  it('takes its children along when it is cancelled, and starts no more', async () => {
    const id = await start('many')
    await expect.poll(() => children(id)).toEqual(['suspended', 'suspended', 'suspended'])
    await test.rests(id, 'suspended')
    await test.engine.cancel(id)
    expect((await end(id))?.status).toBe('cancelled')
    expect(await children(id)).toEqual(['cancelled', 'cancelled', 'cancelled'])
  })

  it('leaves nothing broken behind, whatever it waits for', async () => {
    const [many, task, human] = [await start('many'), await start('printing'), await start('asking')]
    for (const id of [many, task, human]) await test.rests(id, 'suspended')
    expect((await test.engine.doctor()).findings).toEqual([])
    for (const id of [many, task, human]) await test.engine.cancel(id)
    for (const id of [many, task, human]) await end(id)
    expect((await test.engine.doctor()).findings).toEqual([])
  })
})

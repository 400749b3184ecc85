import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestEngine, type TestEngine } from '../engine/open-test-engine.ts'
import { readRows } from '../faults/read-rows.ts'

let test: TestEngine
beforeAll(async () => {
  test = await openTestEngine()
})
afterAll(() => test?.[Symbol.asyncDispose]())

const form = {
  type: 'object',
  required: ['amount'],
  properties: { amount: { type: 'number', minimum: 1 }, note: { type: 'string' } },
  additionalProperties: false,
}
let number = 0

async function asked(inputs: object = {}, connections: readonly object[] = []) {
  const id = `approval-${++number}`
  await test.publish({
    id,
    activities: [
      {
        id: 'ask',
        type: 'human-task',
        inputs: { title: 'Approve?', form, outcomes: ['approve', 'reject'], ...inputs },
      },
      { id: 'yes', type: 'set-output', inputs: { name: 'answer', value: { $expr: 'steps.ask.output' } } },
      { id: 'no', type: 'set-output', inputs: { name: 'rejected', value: true } },
      ...(connections.length === 0 ? [] : [{ id: 'boss', type: 'human-task', inputs: { title: 'Boss?' } }]),
    ],
    connections: [
      { from: 'ask', outcome: 'approve', to: 'yes' },
      { from: 'ask', outcome: 'reject', to: 'no' },
      ...connections,
    ],
  } as never)
  const { instanceId } = await test.engine.start({ definitionId: id })
  const open = () => test.engine.humanTasks.list({ status: 'open', instanceId }, 10)
  await expect.poll(async () => (await open()).length).toBe(1)
  const [task] = await open()
  const ended = () => test.engine.waitForEnd(instanceId, { limitMs: 20_000 })
  return { instanceId, task: task!, ended, open }
}

const complete = (id: string, more: object) => test.engine.humanTasks.complete({ id, ...more })

describe('human-task', () => {
  it('goes on through the outcome that the person chose, with what was handed in', async () => {
    const { task, ended, instanceId } = await asked({ assignee: 'ann', description: 'Look first' })
    expect(task).toMatchObject({ title: 'Approve?', assignee: 'ann', outcomes: ['approve', 'reject'], status: 'open' })
    expect(task.form).toEqual(form)
    expect((await test.engine.get(instanceId)).waitingFor).toMatchObject([{ kind: 'human', name: 'ask' }])
    expect(await complete(task.id, { outcome: 'approve', data: { amount: 5 }, by: 'ann' })).toMatchObject({
      outcome: 'done',
      task: { status: 'completed', completedBy: 'ann' },
    })
    const answer = { outcome: 'approve', data: { amount: 5 }, completedBy: 'ann' }
    expect(await ended()).toMatchObject({ status: 'completed', output: { answer } })
  })

  it('refuses what does not fit the form, field by field, and can be handed in again', async () => {
    const { task, ended } = await asked()
    for (const [data, pointer] of [
      [{}, '/amount'],
      [{ amount: 0 }, '/amount'],
      [{ amount: 1, other: 2 }, ''],
      ['text', ''],
    ] as const)
      await expect(complete(task.id, { outcome: 'approve', data })).rejects.toMatchObject({
        code: 'FORM_INVALID',
        details: { problems: [{ pointer }] },
      })
    await expect(complete(task.id, { outcome: 'maybe', data: { amount: 1 } })).rejects.toMatchObject({
      code: 'UNKNOWN_OUTCOME',
      message: expect.stringContaining('approve, reject'),
    })
    await expect(complete(task.id, { data: { amount: 1 } })).rejects.toMatchObject({ code: 'UNKNOWN_OUTCOME' })
    await expect(
      complete(task.id, { outcome: 'approve', data: { amount: 1, note: 'x'.repeat(1_100_000) } }),
    ).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' })
    await complete(task.id, { outcome: 'reject', data: { amount: 1 } })
    expect(await ended()).toMatchObject({ output: { rejected: true } })
  })

  it('takes the first of many, and tells the others', async () => {
    const { task } = await asked()
    const ends = await Promise.all(
      Array.from({ length: 10 }, (_, n) => complete(task.id, { outcome: 'approve', data: { amount: n + 1 } })),
    )
    expect(ends.map((end) => end.outcome).sort()).toEqual([...Array(9).fill('already-completed'), 'done'].sort())
  })

  it('escalates through timeout, and the late person is told', async () => {
    const { task, ended, open } = await asked({ timeout: '200ms' }, [{ from: 'ask', outcome: 'timeout', to: 'boss' }])
    await expect.poll(async () => (await open()).map((each) => each.title)).toEqual(['Boss?'])
    expect(await complete(task.id, { outcome: 'approve', data: { amount: 1 } })).toMatchObject({ outcome: 'cancelled' })
    const [boss] = await open()
    await complete(boss!.id, {})
    expect((await ended())?.status).toBe('completed')
  })

  it('fails when its time is over and nothing is connected to that', async () => {
    const activities = [{ id: 'ask', type: 'human-task', inputs: { title: 't', timeout: '50ms' } }]
    await test.publish({ id: 'in-time', activities } as never)
    expect(await test.run('in-time')).toMatchObject({ status: 'faulted', error: { code: 'TASK_TIMED_OUT' } })
  })

  it('cannot be done for an instance that has ended', async () => {
    const { task, instanceId, ended, open } = await asked()
    await test.engine.cancel(instanceId)
    await ended()
    expect(await open()).toEqual([])
    expect(await complete(task.id, { outcome: 'approve', data: { amount: 1 } })).toMatchObject({ outcome: 'cancelled' })
  })

  it('refuses forms that are too large or no schema, when published and when they come from an expression', async () => {
    const large = { type: 'object', description: 'x'.repeat(70_000) }
    for (const bad of [large, { type: 'nothing' }]) {
      const document = {
        id: 'bad-form',
        activities: [{ id: 'ask', type: 'human-task', inputs: { title: 't', form: bad } }],
      }
      expect(test.engine.definitions.problems(document as never)).toMatchObject([
        { pointer: '/activities/0/inputs/form', code: 'INVALID_INPUT', severity: 'error' },
      ])
    }
    await test.publish({
      id: 'late-form',
      activities: [{ id: 'ask', type: 'human-task', inputs: { title: 't', form: { $expr: 'input' } } }],
    } as never)
    expect(await test.run('late-form', large)).toMatchObject({ status: 'faulted', error: { code: 'INVALID_INPUT' } })
  })

  it('knows its outcomes when it is published', () => {
    const problems = (outcomes: unknown, outcome: string) =>
      test.engine.definitions.problems({
        id: 'x',
        activities: [
          { id: 'a', type: 'human-task', inputs: { title: 't', outcomes } },
          { id: 'b', type: 'log', inputs: { message: 'm' } },
        ],
        connections: [{ from: 'a', outcome, to: 'b' }],
      } as never)
    expect(problems(['yes', 'no'], 'yes')).toEqual([])
    expect(problems(['yes', 'no'], 'timeout')).toEqual([])
    expect(problems(['yes', 'no'], 'done')).toMatchObject([{ code: 'UNKNOWN_OUTCOME' }])
    expect(problems(['yes', 'timeout'], 'yes')).toMatchObject([{ pointer: '/activities/0/inputs/outcomes' }])
  })
})

describe('resume tokens', () => {
  it('show the task, hand it in once, and are known to the store by their hash only', async () => {
    const { task, ended } = await asked()
    const issued = await test.engine.resumeTokens.issue(task.id)
    expect(issued?.token).toMatch(/^rt_[A-Za-z0-9_-]{43}$/)
    const { token } = issued!
    expect(await test.engine.resumeTokens.show(token)).toMatchObject({ kind: 'human', task: { title: 'Approve?' } })
    const rows = JSON.stringify(await readRows(test.db, 'select * from resume_token'))
    expect(rows).not.toContain(token)
    await expect(test.engine.resumeTokens.use(token, { outcome: 'approve', data: {} })).rejects.toMatchObject({
      code: 'FORM_INVALID',
    })
    const uses = await Promise.all(
      Array.from({ length: 5 }, () => test.engine.resumeTokens.use(token, { outcome: 'approve', data: { amount: 2 } })),
    )
    expect(uses.filter((use) => use === 'done')).toHaveLength(1)
    expect(await test.engine.resumeTokens.use(token, { outcome: 'approve', data: { amount: 2 } })).toBe(
      'already-completed',
    )
    expect(await test.engine.resumeTokens.show(token)).toBeUndefined()
    expect(await ended()).toMatchObject({ status: 'completed' })
  })

  it('are worth nothing when wrong, expired, or overtaken by another', async () => {
    const { task } = await asked()
    const { token: expired } = (await test.engine.resumeTokens.issue(task.id, { ttlMs: 0 }))!
    const { token: beaten } = (await test.engine.resumeTokens.issue(task.id))!
    const answer = { outcome: 'approve', data: { amount: 1 } }
    const wrong = `rt_${'A'.repeat(43)}`
    for (const token of [wrong, expired, '', 'rt_', '../../etc', `${beaten}x`]) {
      expect(await test.engine.resumeTokens.show(token)).toBeUndefined()
      expect(await test.engine.resumeTokens.use(token, answer)).toBe('not-found')
    }
    await complete(task.id, answer)
    expect(await test.engine.resumeTokens.use(beaten, answer)).toBe('not-found')
    expect(await test.engine.resumeTokens.issue(task.id)).toBeUndefined()
  })

  it('resume an ordinary bookmark too', async () => {
    await test.publish({
      id: 'waits',
      activities: [
        { id: 'wait', type: 'wait-for-event', inputs: { event: 'go' } },
        { id: 'out', type: 'set-output', inputs: { name: 'got', value: { $expr: 'steps.wait.output' } } },
      ],
      connections: [{ from: 'wait', to: 'out' }],
    } as never)
    const { instanceId } = await test.engine.start({ definitionId: 'waits' })
    await test.rests(instanceId, 'suspended')
    const [waiting] = (await test.engine.get(instanceId)).waitingFor
    const { token } = (await test.engine.resumeTokens.issue(waiting!.bookmarkId))!
    expect(await test.engine.resumeTokens.show(token)).toMatchObject({ kind: 'event', name: 'go', task: undefined })
    expect(await test.engine.resumeTokens.use(token, { data: 7 })).toBe('done')
    expect(await test.engine.resumeTokens.use(token, { data: 8 })).toBe('already-completed')
    expect(await test.engine.waitForEnd(instanceId, { limitMs: 10_000 })).toMatchObject({ output: { got: 7 } })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
  await api.call('PUT', '/workflow-definitions/printing', {
    body: {
      id: 'printing',
      activities: [{ id: 'work', type: 'run-task', inputs: { task: 'print', payload: { page: 1 } } }],
    },
  })
  const form = { type: 'object', required: ['why'], properties: { why: { type: 'string', maxLength: 10 } } }
  await api.call('PUT', '/workflow-definitions/asking', {
    body: {
      id: 'asking',
      activities: [
        {
          id: 'ask',
          type: 'human-task',
          inputs: { title: 'Why?', form, outcomes: ['yes', 'no'], candidates: ['ann'] },
        },
      ],
    },
  })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const start = async (definitionId: string) =>
  (await api.call('POST', '/workflow-instances', { body: { definitionId } })).body.id as string
const post = (path: string, body?: object, headers?: Record<string, string>) =>
  api.call('POST', path, { ...(body === undefined ? {} : { body }), ...(headers === undefined ? {} : { headers }) })
const claim = async (more: object = {}) =>
  (await post('/tasks/claim', { tasks: ['print'], wait: '10s', ...more })).body.tasks
const ended = async (id: string) => (await api.call('GET', `/workflow-instances/${id}?wait=10s`)).body

describe('/tasks', () => {
  it('are claimed, beaten for, reported on and completed', async () => {
    const instanceId = await start('printing')
    const [task] = await claim({ worker: 'w1', leaseFor: '1m' })
    expect(task).toMatchObject({
      name: 'print',
      queue: 'default',
      instanceId,
      lease: 1,
      worker: 'w1',
      payload: { page: 1 },
    })
    const path = `/tasks/${task.id}`
    expect((await post(`${path}/heartbeat`, { lease: 1 })).body).toMatchObject({ outcome: 'done' })
    expect((await post(`${path}/progress`, { lease: 1, progress: 0.5 })).body.task.progress).toBe(0.5)
    expect((await api.call('GET', path)).body).toMatchObject({ status: 'claimed', progress: 0.5 })
    expect((await api.call('GET', '/tasks?status=claimed&name=print')).body.items).toMatchObject([{ id: task.id }])
    expect((await post(`${path}/complete`, { lease: 1, output: 7 })).body).toMatchObject({ outcome: 'done' })
    expect((await ended(instanceId)).status).toBe('completed')
    const again = await post(`${path}/complete`, { lease: 1 })
    expect([again.status, again.body]).toMatchObject([
      409,
      { code: 'TASK_ALREADY_COMPLETED', outcome: 'already-completed', task: { status: 'completed' } },
    ])
  })

  it('refuse a lease that is over with how the task stands, and a task of nobody with 404', async () => {
    const instanceId = await start('printing')
    const [task] = await claim()
    const late = await post(`/tasks/${task.id}/complete`, { lease: 99 })
    expect([late.status, late.body]).toMatchObject([
      409,
      { code: 'TASK_LEASE_LOST', task: { lease: 1, status: 'claimed' } },
    ])
    await post(`/workflow-instances/${instanceId}/cancel`)
    await ended(instanceId)
    const gone = await post(`/tasks/${task.id}/fail`, { lease: 1, message: 'm' })
    expect([gone.status, gone.body.code]).toEqual([410, 'TASK_CANCELLED'])
    const nobody = await post('/tasks/tsk_01900000-0000-7000-8000-000000000000/complete', { lease: 1 })
    expect([nobody.status, nobody.body.code]).toEqual([404, 'TASK_NOT_FOUND'])
    expect((await post('/tasks/x/complete', { lease: 1 })).body.code).toBe('INVALID_ID')
    expect((await post(`/tasks/${task.id}/complete`, {})).body.code).toBe('INVALID_REQUEST')
    expect((await post('/tasks/claim', { tasks: [] })).body.code).toBe('INVALID_REQUEST')
  })

  it('answers with none when the wait is over, and pages through all', async () => {
    expect((await post('/tasks/claim', { tasks: ['nothing'], wait: '50ms' })).body).toEqual({ tasks: [] })
    for (let n = 0; n < 3; n += 1) await start('printing')
    await expect.poll(async () => (await api.call('GET', '/tasks?status=open')).body.items.length).toBe(3)
    const first = (await api.call('GET', '/tasks?status=open&limit=2')).body
    const second = (await api.call('GET', `/tasks?status=open&limit=2&cursor=${first.page.next}`)).body
    expect([first.items.length, second.items.length, second.page.next]).toEqual([2, 1, null])
    const failed = await post(`/tasks/${(await claim())[0].id}/fail`, {
      lease: 1,
      message: 'no',
      code: 'X',
      retryable: false,
    })
    expect(failed.body.task.status).toBe('failed')
  })
})

describe('/human-tasks and /resume', () => {
  const asked = async () => {
    const instanceId = await start('asking')
    const list = async () => (await api.call('GET', `/human-tasks?instanceId=${instanceId}`)).body.items
    await expect.poll(async () => (await list()).length).toBe(1)
    const [task] = await list()
    return { instanceId, id: task.id as string, list }
  }

  it('list what is open, show the form, and take what fits it', async () => {
    const { instanceId, id, list } = await asked()
    expect((await api.call('GET', `/human-tasks/${id}`)).body).toMatchObject({
      title: 'Why?',
      outcomes: ['yes', 'no'],
      status: 'open',
    })
    expect((await api.call('GET', `/human-tasks?candidate=ann&instanceId=${instanceId}`)).body.items).toHaveLength(1)
    const bad = await post(`/human-tasks/${id}/complete`, { outcome: 'yes', data: { why: 'because of it' } })
    expect([bad.status, bad.body]).toMatchObject([422, { code: 'FORM_INVALID', problems: [{ pointer: '/why' }] }])
    const none = await post(`/human-tasks/${id}/complete`, { outcome: 'maybe', data: { why: 'x' } })
    expect([none.status, none.body]).toMatchObject([422, { code: 'UNKNOWN_OUTCOME', outcomes: ['yes', 'no'] }])
    const done = await post(`/human-tasks/${id}/complete`, { outcome: 'no', data: { why: 'so' }, by: 'ann' })
    expect(done.body).toMatchObject({
      outcome: 'done',
      task: { status: 'completed', outcome: 'no', completedBy: 'ann' },
    })
    expect((await ended(instanceId)).status).toBe('completed')
    expect(await list()).toEqual([])
    expect((await post(`/human-tasks/${id}/complete`, { outcome: 'no', data: { why: 'so' } })).status).toBe(409)
    expect((await post(`/human-tasks/${id}/token`)).status).toBe(404)
  })

  it('let a stranger with a token do one task, once; every other token is answered alike', async () => {
    const { instanceId, id } = await asked()
    const issued = await post(`/human-tasks/${id}/token`, { ttl: '1h' }, { 'idempotency-key': 'same' })
    const { token, path } = issued.body
    expect([issued.status, path, issued.headers['cache-control']]).toEqual([201, `/api/v1/resume/${token}`, 'no-store'])
    const second = await post(`/human-tasks/${id}/token`, { ttl: '1h' }, { 'idempotency-key': 'same' })
    expect(second.body.token).not.toBe(token)
    expect((await api.call('GET', `/resume/${token}`)).body).toMatchObject({
      kind: 'human',
      title: 'Why?',
      outcomes: ['yes', 'no'],
    })
    expect((await post(`/resume/${token}`, { outcome: 'yes', data: {} })).body.code).toBe('FORM_INVALID')
    expect((await post(`/resume/${token}`, { outcome: 'yes', data: { why: 'ok' } })).body).toEqual({ outcome: 'done' })
    expect((await ended(instanceId)).status).toBe('completed')
    expect((await post(`/resume/${token}`, { outcome: 'yes', data: { why: 'ok' } })).body.code).toBe(
      'TASK_ALREADY_COMPLETED',
    )
    const strangers = [`rt_${'x'.repeat(43)}`, 'rt_short', 'anything', second.body.token]
    const answers = await Promise.all(
      strangers.flatMap((each) => [api.call('GET', `/resume/${each}`), post(`/resume/${each}`, { data: 1 })]),
    )
    for (const { status, body } of answers)
      expect([status, body.code, body.detail]).toEqual([404, 'TOKEN_NOT_FOUND', answers[0]!.body.detail])
  })
})

describe('/events', () => {
  it('says how many instances an event started', async () => {
    const body = { id: 'by-event', activities: [{ id: 'on', type: 'event', inputs: { event: 'bang' } }] }
    await api.call('PUT', '/workflow-definitions/by-event', { body })
    expect((await post('/events', { name: 'bang' })).body).toMatchObject({ started: 1, matched: 0 })
    expect((await post('/events', { name: 'other' })).body).toMatchObject({ started: 0 })
  })
})

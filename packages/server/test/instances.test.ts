import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, faulty, sums } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  const order = workflow('order', async (ctx, input: { amount: number }) =>
    ctx.step('price', async () => input.amount * 2),
  )
  const nap = workflow('nap', async (ctx) => {
    await ctx.sleep('1h')
  })
  api = await openTestApi({ workflows: [order, nap] })
  for (const document of [sums('sums'), approval('approval'), faulty('faulty')]) {
    expect((await api.call('PUT', `/workflow-definitions/${document.id}`, { body: document })).status).toBe(201)
  }
  await api.call('POST', '/workflow-definitions', { body: sums('only-a-draft') })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const start = (body: object, headers: Record<string, string> = {}) =>
  api.call('POST', '/workflow-instances', { body, headers })

describe('starting an instance', () => {
  it('answers 201 with the instance and its place', async () => {
    const started = await start({ definitionId: 'approval', input: { of: 'chairs' }, correlationId: 'c-1' })
    expect(started.status).toBe(201)
    expect(started.headers.location).toBe(`/api/v1/workflow-instances/${started.body.id}`)
    expect(started.body).toMatchObject({
      definitionId: 'approval',
      version: 1,
      input: { of: 'chairs' },
      correlationId: 'c-1',
      tenant: 'default',
      parentId: null,
      output: null,
      finishedAt: null,
    })
    expect(Object.keys(started.body)).toEqual([
      ...[
        'id',
        'definitionId',
        'version',
        'status',
        'input',
        'output',
        'variables',
        'correlationId',
        'tenant',
        'parentId',
        'createdAt',
      ],
      ...['startedAt', 'finishedAt', 'nodeId', 'waitingFor', 'incidents', 'revision', 'error'],
    ])
  })

  it.each([
    { definitionId: 'order', input: { amount: 2.5 }, correlationId: 'c-7' },
    { definitionId: 'sums', input: { items: [1, -0, 2.5] } },
    { definitionId: 'faulty' },
  ])('answers to one that waited for $definitionId what a read answers', async (wanted) => {
    const ended = await start({ ...wanted, wait: '30s' })
    const read = await api.call('GET', `/workflow-instances/${ended.body.id}`)
    expect(ended.body).toEqual(read.body)
    // The first read of it was ours, unless only the store could tell how it ended.
    expect(read.headers['cache-status']).toBe(
      ended.body.status === 'completed' ? 'lockstep; fwd=miss' : 'lockstep; hit; detail=checked',
    )
  })

  it('waits for the end of a graph and answers its output and variables', async () => {
    const ended = await start({ definitionId: 'sums', input: { items: [1, 2, 3] }, wait: '30s' })
    expect(ended.status).toBe(200)
    expect(ended.body).toMatchObject({
      status: 'completed',
      output: { sum: 6 },
      variables: { total: 6 },
      waitingFor: [],
      error: null,
      nodeId: null,
    })
    expect(ended.body.finishedAt >= ended.body.createdAt).toBe(true)
  })

  it('waits for the end of a function and answers its result', async () => {
    const ended = await start({ definitionId: 'order', input: { amount: 21 }, wait: 30_000 })
    expect([ended.status, ended.body.status, ended.body.output, ended.body.variables]).toEqual([
      200,
      'completed',
      42,
      null,
    ])
  })

  it('answers the instance as it stands when the wait is over', async () => {
    const waited = await start({ definitionId: 'approval', wait: 1 })
    expect([waited.status, waited.body.finishedAt]).toEqual([200, null])
    expect((await start({ definitionId: 'approval', wait: 0 })).status).toBe(200)
  })

  it('says why an instance faulted', async () => {
    const { body } = await start({ definitionId: 'faulty', wait: '30s' })
    expect(body).toMatchObject({ status: 'faulted', output: null, error: { message: 'no more paper', step: 'boom' } })
    for (const incident of body.incidents) expect(incident.id).toMatch(/^inc_/)
  })

  it('starts one instance for one dedupeKey, and answers 200 with it the second time', async () => {
    const first = await start({ definitionId: 'approval', dedupeKey: 'order-7', input: 1 })
    const second = await start({ definitionId: 'approval', dedupeKey: 'order-7', input: 2 })
    expect([first.status, second.status]).toEqual([201, 200])
    expect(second.body).toMatchObject({ id: first.body.id, input: 1 })
  })

  it('takes Idempotency-Key for a dedupeKey of its own kind', async () => {
    const first = await start({ definitionId: 'approval' }, { 'idempotency-key': 'k1' })
    const second = await start({ definitionId: 'approval' }, { 'idempotency-key': 'k1' })
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body])
    const named = await start({ definitionId: 'approval', dedupeKey: 'k1' })
    expect([named.status, named.body.id === first.body.id]).toEqual([201, false])
  })

  it('starts a version that is named, and refuses one that is not there', async () => {
    expect((await start({ definitionId: 'sums', version: 1, input: { items: [] } })).status).toBe(201)
    const refused = await start({ definitionId: 'sums', version: 9, input: { items: [] } })
    expect([refused.status, refused.body.code]).toEqual([404, 'DEFINITION_NOT_FOUND'])
  })

  it('refuses what is unknown or only a draft', async () => {
    for (const definitionId of ['nobody-knows', 'only-a-draft']) {
      const refused = await start({ definitionId })
      expect([refused.status, refused.body.code]).toEqual([404, 'DEFINITION_NOT_FOUND'])
    }
  })

  it('refuses input that does not fit, naming the place', async () => {
    const refused = await start({ definitionId: 'sums', input: { items: ['one'] } })
    expect([refused.status, refused.body.code, refused.body.problems[0].pointer]).toEqual([
      422,
      'INPUT_INVALID',
      '/items/0',
    ])
  })
})

describe('reading an instance', () => {
  it('finds it by id, with what it waits for', async () => {
    const started = await start({ definitionId: 'approval', wait: 1 })
    await expect
      .poll(async () => (await api.call('GET', `/workflow-instances/${started.body.id}`)).body.status)
      .toBe('suspended')
    const { body } = await api.call('GET', `/workflow-instances/${started.body.id}`)
    expect(body.waitingFor).toEqual([{ bookmarkId: expect.stringMatching(/^bkm_/), kind: 'event', name: 'approved' }])
  })

  const rested = async (definitionId: string) => {
    const { id } = (await start({ definitionId })).body
    return (await api.call('GET', `/workflow-instances/${id}?wait=30s&until=suspended`)).body
  }
  const hoursAfter = (body: { createdAt: string }, at: string) =>
    Math.round((Date.parse(at) - Date.parse(body.createdAt)) / 360_000) / 10

  it('tells timers, retries, children and the end of patience beside what bookmarks stand for', async () => {
    const document = {
      id: 'times',
      activities: [
        { id: 'rest', type: 'delay', inputs: { duration: '1h' } },
        { id: 'paid', type: 'wait-for-event', inputs: { event: 'paid', timeout: '2h' } },
        { id: 'ask', type: 'human-task', inputs: { title: 'Well?', timeout: '3h' } },
        {
          id: 'call',
          type: 'fault',
          inputs: { message: 'not now' },
          retry: { attempts: 2, backoff: { initial: '4h', max: '4h' }, jitter: false },
        },
        { id: 'child', type: 'run-workflow', inputs: { definitionId: 'nap', wait: true } },
      ],
    }
    expect((await api.call('PUT', '/workflow-definitions/times', { body: document })).body.problems).toEqual([])
    const body = await rested('times')
    const marked = expect.stringMatching(/^bkm_/)
    const waits = body.waitingFor.map(({ dueAt, expiresAt, ...wait }: Record<string, string>) => ({
      ...wait,
      ...(dueAt === undefined ? {} : { due: hoursAfter(body, dueAt) }),
      ...(expiresAt === undefined ? {} : { gone: hoursAfter(body, expiresAt) }),
    }))
    expect(waits).toHaveLength(5)
    expect(waits).toEqual(
      expect.arrayContaining([
        { bookmarkId: marked, kind: 'event', name: 'paid', gone: 2 },
        { bookmarkId: marked, kind: 'human', name: 'ask', gone: 3 },
        { bookmarkId: null, kind: 'timer', name: 'rest', due: 1 },
        { bookmarkId: null, kind: 'retry', name: 'call', due: 4 },
        { bookmarkId: null, kind: 'child', name: 'child' },
      ]),
    )
    await api.call('POST', `/workflow-instances/${body.id}/terminate`, { body: { reason: 'seen' } })
    expect((await api.call('GET', `/workflow-instances/${body.id}?wait=30s`)).body.waitingFor).toEqual([])
  })

  it('tells what a function sleeps for', async () => {
    const body = await rested('nap')
    expect(body.waitingFor).toEqual([
      { bookmarkId: null, kind: 'timer', name: expect.any(String), dueAt: expect.any(String) },
    ])
    expect(hoursAfter(body, body.waitingFor[0].dueAt)).toBe(1)
  })

  it('waits for its end', async () => {
    const { id } = (await start({ definitionId: 'approval', correlationId: 'waited-for' })).body
    const waiting = api.call('GET', `/workflow-instances/${id}?wait=30s`)
    await expect.poll(async () => (await api.call('GET', `/workflow-instances/${id}`)).body.status).toBe('suspended')
    await api.call('POST', '/events', {
      body: { name: 'approved', correlationId: 'waited-for', payload: { by: 'ana' } },
    })
    expect((await waiting).body).toMatchObject({ status: 'completed', output: { by: 'ana' } })
    expect((await api.call('GET', `/workflow-instances/${id}?wait=1`)).status).toBe(200)
  })

  it('answers 404 for one that is not there', async () => {
    const id = 'wfi_01900000-0000-7000-8000-000000000000'
    for (const path of [
      `/workflow-instances/${id}`,
      `/workflow-instances/${id}?wait=1s`,
      `/workflow-instances/${id}/journal`,
    ]) {
      const { status, body } = await api.call('GET', path)
      expect([status, body.code]).toEqual([404, 'INSTANCE_NOT_FOUND'])
      expect(body.detail).toContain(id)
    }
  })
})

describe('listing instances', () => {
  it('goes through them newest first, each once, by definition', async () => {
    const started: string[] = []
    for (let n = 0; n < 5; n++)
      started.unshift((await start({ definitionId: 'order', input: { amount: n }, wait: '30s' })).body.id)
    const found: string[] = []
    let cursor = ''
    for (;;) {
      const { body } = await api.call('GET', `/workflow-instances?definitionId=order&status=completed&limit=2${cursor}`)
      found.push(...body.items.map((item: { id: string }) => item.id))
      if (body.page.next === null) break
      cursor = `&cursor=${body.page.next}`
    }
    expect(found.slice(0, 5)).toEqual(started)
    const all = { value: found.length, exact: true }
    const counted = await api.call('GET', '/workflow-instances?definitionId=order&status=completed&limit=2')
    expect(counted.body.count).toEqual(all)
    const onward = `limit=1&cursor=${counted.body.page.next}`
    const second = await api.call('GET', `/workflow-instances?definitionId=order&status=completed&${onward}`)
    expect(second.body.count).toEqual(all)
    expect(new Set(found).size).toBe(found.length)
  })

  it('filters by status', async () => {
    await start({ definitionId: 'faulty', wait: '30s' })
    const { body } = await api.call('GET', '/workflow-instances?status=faulted')
    expect(body.items.length).toBeGreaterThan(0)
    expect(body.items.every((item: { status: string }) => item.status === 'faulted')).toBe(true)
    expect((await api.call('GET', '/workflow-instances?definitionId=nobody-knows')).body).toMatchObject({
      items: [],
      count: { value: 0, exact: true },
    })
  })

  it('refuses a cursor of another list', async () => {
    const { body } = await api.call('GET', '/workflow-instances?limit=1')
    const refused = await api.call('GET', `/workflow-instances?limit=1&status=faulted&cursor=${body.page.next}`)
    expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_CURSOR'])
  })
})

describe('the journal', () => {
  it('is one chain from 1, read in pieces', async () => {
    const { id, revision } = (await start({ definitionId: 'sums', input: { items: [1, 2] }, wait: '30s' })).body
    const whole = (await api.call('GET', `/workflow-instances/${id}/journal`)).body
    expect(whole.items.map((item: { seq: number }) => item.seq)).toEqual(
      Array.from({ length: revision }, (_, at) => at + 1),
    )
    expect(whole.items[0]).toMatchObject({
      kind: 'started',
      data: { input: { items: [1, 2] } },
      nodeId: expect.stringMatching(/^nod_/),
    })
    expect(whole.count).toEqual({ value: revision, exact: true })
    const piece = (await api.call('GET', `/workflow-instances/${id}/journal?after=1&limit=2`)).body
    expect(piece.items).toEqual(whole.items.slice(1, 3))
    expect(piece.page.next).toBe('3')
    const end = (await api.call('GET', `/workflow-instances/${id}/journal?after=${revision}`)).body
    expect([end.items, end.page.next, end.count.value]).toEqual([[], null, revision])
  })
})

import { deferred } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval, twoWaits } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

const gate = deferred<string>()
const gated = workflow('gated', async (ctx) => ctx.step('pass', () => gate.promise))

let api: TestApi
beforeAll(async () => {
  api = await openTestApi({ workflows: [gated] })
  for (const document of [approval('approval'), twoWaits('two-waits')])
    await api.call('PUT', `/workflow-definitions/${document.id}`, { body: document })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

async function suspended(
  definitionId: string,
  more: object = {},
): Promise<{ id: string; waitingFor: { bookmarkId: string; name: string }[] }> {
  const { id } = (await api.call('POST', '/workflow-instances', { body: { definitionId, ...more } })).body
  const read = async () => (await api.call('GET', `/workflow-instances/${id}`)).body
  await expect.poll(async () => (await read()).status).toBe('suspended')
  return read()
}
const resume = (id: string, body?: object) =>
  api.call('POST', `/workflow-instances/${id}/resume`, body === undefined ? {} : { body })
const ended = async (id: string) => (await api.call('GET', `/workflow-instances/${id}?wait=30s`)).body

describe('resuming', () => {
  it('gives the payload to the only bookmark, and answers with the instance', async () => {
    const { id } = await suspended('approval')
    const { status, body } = await resume(id, { payload: { by: 'bo' } })
    expect([status, body.outcome, body.instance.id]).toEqual([200, 'resumed', id])
    expect(await ended(id)).toMatchObject({ status: 'completed', output: { by: 'bo' } })
  })

  it('takes a bookmark by its id and by its name', async () => {
    const { id, waitingFor } = await suspended('two-waits')
    const left = waitingFor.find((each) => each.name === 'left')!
    expect((await resume(id, { bookmark: left.bookmarkId })).status).toBe(200)
    expect((await resume(id, { bookmark: 'right' })).status).toBe(200)
    expect((await ended(id)).status).toBe('completed')
  })

  it('asks which one when there are several', async () => {
    const { id } = await suspended('two-waits')
    const { status, body } = await resume(id, {})
    expect([status, body.code, [...body.bookmarks].sort()]).toEqual([409, 'BOOKMARK_AMBIGUOUS', ['left', 'right']])
    expect(body.detail).toContain(id)
  })

  it('lets exactly one of many win, and tells the others', async () => {
    const { id } = await suspended('approval')
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, n) => resume(id, { bookmark: 'approved', payload: { by: n } })),
    )
    expect(answers.filter((each) => each.status === 200)).toHaveLength(1)
    for (const { body } of answers.filter((each) => each.status !== 200)) {
      expect(body).toMatchObject({ status: 409, code: 'ALREADY_RESUMED', outcome: 'already-resumed' })
    }
  })

  it('answers 404 where nothing waits, known instance or not', async () => {
    const { id } = await suspended('approval')
    for (const answer of [
      await resume(id, { bookmark: 'never' }),
      await resume('wfi_01900000-0000-7000-8000-000000000000'),
    ]) {
      expect(answer.body).toMatchObject({ status: 404, code: 'BOOKMARK_NOT_FOUND', outcome: 'not-found' })
    }
  })

  it('answers 409 while the instance is at work and may yet wait for it', async () => {
    const { id } = (await api.call('POST', '/workflow-instances', { body: { definitionId: 'gated' } })).body
    const { status, body } = await resume(id, { bookmark: 'later' })
    expect([status, body.code, body.outcome, body.retryable]).toEqual([409, 'RESUME_IN_PROGRESS', 'in-progress', true])
    gate.resolve('through')
    expect((await ended(id)).output).toBe('through')
  })

  it('answers 410 for a bookmark whose time is over', async () => {
    const { id } = await suspended('approval')
    await api.db.script("update bookmark set expires_at = clock_timestamp() - interval '1 second'")
    const { status, body } = await resume(id, { bookmark: 'approved' })
    expect([status, body.code, body.outcome]).toEqual([410, 'BOOKMARK_EXPIRED', 'expired'])
    await api.db.script('update bookmark set expires_at = null')
  })
})

describe('cancelling', () => {
  it('answers 202, ends the instance, and does not mind being repeated', async () => {
    const { id } = await suspended('approval')
    const first = await api.call('POST', `/workflow-instances/${id}/cancel`, { body: { reason: 'changed my mind' } })
    expect([first.status, first.body.id]).toEqual([202, id])
    expect((await ended(id)).status).toBe('cancelled')
    expect((await api.call('POST', `/workflow-instances/${id}/cancel`)).status).toBe(202)
    const facts = (await api.call('GET', `/workflow-instances/${id}/journal`)).body.items
    expect(facts.filter((fact: { kind: string }) => fact.kind === 'cancelled')).toMatchObject([
      { data: { reason: 'changed my mind' } },
    ])
  })

  it('is refused for what has ended another way', async () => {
    const { id } = await suspended('approval')
    await resume(id, { payload: { by: 'cy' } })
    await ended(id)
    const { status, body } = await api.call('POST', `/workflow-instances/${id}/cancel`)
    expect([status, body.code]).toEqual([409, 'INSTANCE_ENDED'])
  })

  it('answers 404 for an instance that is not there', async () => {
    const { status, body } = await api.call(
      'POST',
      '/workflow-instances/wfi_01900000-0000-7000-8000-000000000000/cancel',
    )
    expect([status, body.code]).toEqual([404, 'INSTANCE_NOT_FOUND'])
  })
})

describe('events', () => {
  it('reach the instance with their correlation id, and no other', async () => {
    const mine = await suspended('approval', { correlationId: 'mine' })
    const other = await suspended('approval', { correlationId: 'other' })
    const { status, body } = await api.call('POST', '/events', {
      body: { name: 'approved', correlationId: 'mine', payload: { by: 'di' } },
    })
    expect(status).toBe(202)
    expect(body).toEqual({ id: expect.stringMatching(/^evt_/), matched: 1, started: 0, kept: false })
    expect((await ended(mine.id)).output).toEqual({ by: 'di' })
    expect((await api.call('GET', `/workflow-instances/${other.id}`)).body.status).toBe('suspended')
  })

  it('are kept for who waits later', async () => {
    const { body } = await api.call('POST', '/events', {
      body: { name: 'approved', correlationId: 'later', payload: { by: 'ed' }, ttl: '1h' },
    })
    expect(body).toMatchObject({ matched: 0, kept: true })
    const { id } = (
      await api.call('POST', '/workflow-instances', { body: { definitionId: 'approval', correlationId: 'later' } })
    ).body
    expect((await ended(id)).output).toEqual({ by: 'ed' })
  })
})

import { workflow } from '@lockstep/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval } from './documents.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

let api: TestApi
let release = (): void => {}
beforeAll(async () => {
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  const copying = workflow('copying', async (ctx) => {
    await ctx.step('copy', async (step) => {
      step.progress({ done: 3, total: 4, note: 'files' })
      await gate
    })
  })
  api = await openTestApi({ workflows: [copying] })
  await api.call('PUT', '/workflow-definitions/approval', { body: approval('approval') })
})
afterAll(async () => {
  release()
  expect(api.failures).toEqual([])
  await api.close()
})

const F = '/flow-policies/approval'
const start = (definitionId = 'approval') => api.call('POST', '/workflow-instances', { body: { definitionId } })

describe('a flow policy', () => {
  it('refuses starts with 429 and when to come back, or 409 and who is there', async () => {
    await api.call('PUT', F, { body: { throttle: { limit: 1, per: '1h' } } })
    expect((await start()).status).toBe(201)
    const late = await start()
    expect([late.status, late.body.code, late.body.retryable]).toEqual([429, 'START_THROTTLED', true])
    expect(Number(late.headers['retry-after'])).toBe(Math.ceil(late.body.retryAfterMs / 1_000))
    expect(late.body.retryAfterMs).toBeGreaterThan(0)
    await api.call('PUT', F, { body: { singleton: {} } })
    const first = await start()
    const busy = first.status === 409 ? first : await start()
    expect([busy.status, busy.body.code]).toEqual([409, 'SINGLETON_BUSY'])
    expect(busy.body.instanceId).toMatch(/^wfi_/)
    expect(busy.body.detail).toContain(busy.body.instanceId)
    await api.call('PUT', F, { body: { singleton: { key: { $expr: 'input.missing.more' } } } })
    expect(await start()).toMatchObject({ status: 422, body: { code: 'FLOW_KEY_FAILED' } })
  })

  it('is replaced only by who read it last', async () => {
    const { headers } = await api.call('PUT', F, { body: { concurrency: { limit: 7 } } })
    const set = (limit: number, etag: string) =>
      api.call('PUT', F, { body: { concurrency: { limit } }, headers: { 'if-match': etag } })
    const mine = await set(8, headers.etag!)
    expect(mine.status).toBe(200)
    const current = { etag: mine.headers.etag }
    expect(await set(9, headers.etag!)).toMatchObject({ status: 412, body: { code: 'FLOW_POLICY_CHANGED', current } })
    const gone = await api.call('DELETE', F, { headers: { 'if-match': headers.etag! } })
    expect(gone.status).toBe(412)
    expect((await api.call('GET', F)).body.policy).toEqual({ concurrency: { limit: 8 } })
    expect((await api.call('DELETE', F)).status).toBe(204)
    const foreign = { body: {}, headers: { 'if-match': '"theirs"' } }
    expect((await api.call('PUT', '/flow-policies/copying', foreign)).status).toBe(412)
  })

  it('says every problem with its place', async () => {
    const bad = await api.call('PUT', F, { body: { rate: { limit: 0, per: 'soon' } } })
    expect([bad.status, bad.body.code]).toEqual([422, 'FLOW_POLICY_INVALID'])
    expect(bad.body.problems.map((each: { pointer: string }) => each.pointer)).toContain('/rate/limit')
    for (const body of [null, [], 'text']) expect((await api.call('PUT', F, { body })).status).toBeLessThan(500)
    expect(await api.call('PUT', F)).not.toMatchObject({ status: 200 })
    expect(await api.call('PUT', '/flow-policies/ghost', { body: {} })).toMatchObject({
      body: { code: 'DEFINITION_NOT_FOUND' },
    })
    expect((await api.call('GET', '/flow-policies/ghost')).body.code).toBe('FLOW_POLICY_NOT_FOUND')
  })
})

describe('limits and breakers', () => {
  it('are read page by page', async () => {
    for (const key of ['a', 'b', 'c']) {
      await api.call('PUT', `/limits/${key}`, { body: { concurrency: 1 } })
      await api.call('POST', `/circuit-breakers/${key}/trip`, { body: { openFor: '1h' } })
    }
    for (const noun of ['limits', 'circuit-breakers']) {
      const first = (await api.call('GET', `/${noun}?limit=2`)).body
      const rest = (await api.call('GET', `/${noun}?limit=2&cursor=${first.page.next}`)).body
      const keys = [...first.items, ...rest.items].map((each: { key: string }) => each.key)
      expect([keys, first.count, rest.count, rest.page.next]).toEqual([
        ['a', 'b', 'c'],
        { value: 3, exact: false },
        { value: 3, exact: true },
        null,
      ])
    }
  })

  it('tell who waits while a breaker is open, and of nobody once it is closed', async () => {
    const waiting = async () => (await api.call('GET', '/circuit-breakers/c')).body.waiting
    await api.db.script(`
      insert into step_permit (tenant, kind, key, instance_id, step, ticket, asked_at, until_at)
      values ('default', 'breaker', 'c', '01900000-0000-7000-8000-000000000001', 'pay', 0, now(), now() + interval '1 hour')`)
    expect(await waiting()).toBe(1)
    expect((await api.call('POST', '/circuit-breakers/c/reset')).body).toMatchObject({ waiting: 0, waitingSteps: [] })
    expect(await waiting()).toBe(0)
  })

  it.each([
    ['PUT', '/limits/a', {}, 400, 'INVALID_REQUEST'],
    ['PUT', '/limits/a', { concurrency: 0 }, 400, 'INVALID_REQUEST'],
    ['PUT', '/limits/a', { rate: { limit: 1, per: 0 } }, 400, 'INVALID_REQUEST'],
    ['PUT', '/limits/a', { rate: { limit: 1, per: 'soon' } }, 400, 'INVALID_DURATION'],
    ['PUT', '/limits/a%00b', { concurrency: 1 }, 400, 'INVALID_REQUEST'],
    ['PUT', `/limits/${'x'.repeat(201)}`, { concurrency: 1 }, 400, 'INVALID_REQUEST'],
    ['GET', '/limits/a%00b', undefined, 404, 'LIMIT_NOT_FOUND'],
    ['DELETE', '/limits/ghost', undefined, 404, 'LIMIT_NOT_FOUND'],
    ['GET', '/circuit-breakers/ghost', undefined, 404, 'BREAKER_NOT_FOUND'],
    ['POST', '/circuit-breakers/ghost/reset', undefined, 404, 'BREAKER_NOT_FOUND'],
    ['POST', '/circuit-breakers/a%00b/reset', undefined, 404, 'BREAKER_NOT_FOUND'],
    ['POST', '/circuit-breakers/a/trip', {}, 400, 'INVALID_REQUEST'],
    ['POST', '/circuit-breakers/a/trip', { openFor: '4000d' }, 400, 'INVALID_REQUEST'],
    ['POST', '/circuit-breakers/a/trip', { openFor: '1h', reason: 'a\0b' }, 400, 'MALFORMED_JSON'],
  ] as const)('refuse %s %s %j', async (method, path, body, status, code) => {
    expect(await api.call(method, path, { body })).toMatchObject({ status, body: { code } })
  })
})

describe('progress', () => {
  it('is what running steps say; of nobody there is none', async () => {
    const { id } = (await start('copying')).body
    const read = async () => (await api.call('GET', `/workflow-instances/${id}/progress`)).body.items
    await expect.poll(read, { timeout: 20_000 }).toMatchObject([{ done: 3, total: 4, note: 'files', attempt: 1 }])
    const ghost = 'wfi_01900000-0000-7000-8000-000000000000'
    expect((await api.call('GET', `/workflow-instances/${ghost}/progress`)).body.code).toBe('INSTANCE_NOT_FOUND')
  })
})

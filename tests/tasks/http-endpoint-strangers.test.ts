import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTestApi, type TestApi } from '../../packages/server/test/open-test-api.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
  const body = {
    id: 'balance',
    activities: [
      {
        id: 'in',
        type: 'http-endpoint',
        inputs: { path: '/balance/{a}/{b}', methods: ['POST', 'GET'], mode: 'sync', headers: ['x-customer'] },
      },
      {
        id: 'reply',
        type: 'http-response',
        inputs: {
          headers: { 'content-type': 'application/problem+json' },
          body: { customer: { $expr: 'input.headers["x-customer"]' }, parameters: { $expr: 'input.parameters' } },
        },
      },
    ],
    connections: [{ from: 'in', to: 'reply' }],
  }
  const { status } = await api.call('PUT', '/workflow-definitions/balance', { body })
  expect(status).toBe(201)
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

async function ask(path: string, headers: Record<string, string> = {}, method: 'GET' | 'POST' = 'POST') {
  const answer = await api.app.inject({ method, url: `/workflows/balance${path}`, headers })
  return { status: answer.statusCode, headers: answer.headers, body: answer.json() }
}

describe('strangers at one endpoint', () => {
  it('get no answer of another for guessing its key', async () => {
    const key = { 'idempotency-key': 'order-1' }
    const alice = await ask('/x/y', { ...key, 'x-customer': 'alice' })
    expect(alice.body.customer).toBe('alice')
    const mallory = await ask('/x/y', { ...key, 'x-customer': 'mallory' })
    expect([mallory.body.customer, mallory.headers['idempotent-replayed']]).toEqual(['mallory', undefined])
    const again = await ask('/x/y', { ...key, 'x-customer': 'alice', 'user-agent': 'another' })
    expect([again.body.customer, again.headers['idempotent-replayed']]).toEqual(['alice', 'true'])
  })

  it('are told that a key was used for another path, however it is written', async () => {
    const key = { 'idempotency-key': 'slash' }
    expect((await ask('/a%2Fb/c', key)).body.parameters).toEqual({ a: 'a/b', b: 'c' })
    expect((await ask('/a/b%2Fc', key)).body).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  it('start nothing with a parameter that is empty', async () => {
    expect((await ask('//c')).status).toBe(404)
    expect((await ask('/c//')).status).toBe(404)
  })

  it('are told which part of the query cannot be kept', async () => {
    const refused = await ask('/a/b?fine=1&bad=%00', {}, 'GET')
    expect([refused.status, refused.body.errors]).toEqual([
      400,
      [expect.objectContaining({ in: 'query', field: 'bad' })],
    ])
  })

  it('get the kind of JSON that the author calls it', async () => {
    expect((await ask('/a/b')).headers['content-type']).toMatch(/^application\/problem\+json/)
  })
})

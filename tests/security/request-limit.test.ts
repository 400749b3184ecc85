import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, securedApp, sendTo } from './open-secured-api.ts'

let api: SecuredApi
beforeAll(async () => {
  api = await openSecuredApi({ rateLimit: { burst: 20, perMs: 3_600_000 } })
})
afterAll(() => api?.[Symbol.asyncDispose]())

describe('the limit of requests', () => {
  it('tells what is left, and refuses who has used it up, wherever they come from', async () => {
    const key = await api.keyOf('viewer')
    const ask = (n: number) => api.send({ path: '/session', as: key, from: `10.1.0.${n}` })
    const first = await ask(1)
    expect(first.headers).toMatchObject({
      'ratelimit-policy': '"requests";q=20;w=3600',
      ratelimit: expect.stringMatching(/^"requests";r=19;t=\d+$/),
    })
    const all = []
    for (let n = 2; n <= 22; n += 1) all.push(await ask(n))
    const refused = all.filter(({ status }) => status === 429)
    expect([refused.length, refused[0]!.body.code, refused[0]!.body.retryable]).toEqual([2, 'RATE_LIMITED', true])
    expect(Number(refused[0]!.headers['retry-after'])).toBeGreaterThan(0)
    expect((await api.send({ path: '/session', as: await api.keyOf('viewer') })).status).toBe(200)
  })

  it('counts strangers by their address', async () => {
    const ask = (from: string) => api.send({ method: 'POST', path: '/session', body: { name: '', password: '' }, from })
    for (let n = 0; n < 20; n += 1) expect((await ask('10.2.0.1')).status).toBe(400)
    expect((await ask('10.2.0.1')).status).toBe(429)
    expect((await ask('10.2.0.2')).status).toBe(400)
  })

  it('counts neither probes nor the description', async () => {
    for (let n = 0; n < 30; n += 1) expect((await api.app.inject({ url: '/health/live' })).statusCode).toBe(200)
    expect((await api.send({ path: '/openapi.json' })).headers.ratelimit).toBeUndefined()
  })

  it('is none unless one was set', async () => {
    const free = await securedApp(api.engine, api.db)
    expect((await sendTo(free, { path: '/session', as: BOOTSTRAP_KEY })).headers.ratelimit).toBeUndefined()
    await free.close()
  })
})

import { systemClock } from '@lockstep/base'
import Fastify from 'fastify'
import { describe, expect, it } from 'vitest'
import { noteStatement, tellServerTiming } from './server-timing.ts'

async function answer(options: { ip?: string; kind?: string; headers?: Record<string, string>; path?: string } = {}) {
  const app = Fastify()
  app.decorateRequest('principal', null as never)
  tellServerTiming(app, systemClock)
  app.addHook('onRequest', async (request) => {
    noteStatement(1)
    if (options.kind !== undefined) request.principal = { kind: options.kind } as typeof request.principal
  })
  app.post('/', async () => {
    await new Promise((resolve) => setImmediate(resolve))
    noteStatement(2)
    return {}
  })
  const reply = await app.inject({
    ...{ method: 'POST', url: options.path ?? '/', payload: { a: 1 }, headers: options.headers ?? {} },
    remoteAddress: options.ip ?? '127.0.0.1',
  })
  await app.close()
  return reply.headers['server-timing']
}

describe('Server-Timing', () => {
  it('tells what a request took, and what its own statements did', async () => {
    noteStatement(50)
    expect(await answer()).toMatch(/^total;dur=\d+(\.\d)?, db;dur=3$/)
    expect(await answer({ ip: '::1' })).toBeDefined()
    expect(await answer({ path: '/nothing' })).toMatch(/^total;dur=/)
  })

  it('is for who sits at the machine or has shown a credential, never for strangers', async () => {
    expect(await answer({ ip: '10.0.0.7' })).toBeUndefined()
    expect(await answer({ ip: '10.0.0.7', kind: 'anonymous' })).toBeUndefined()
    expect(await answer({ ip: '10.0.0.7', kind: 'key' })).toBeDefined()
    for (const name of ['x-forwarded-for', 'forwarded'])
      expect(await answer({ headers: { [name]: '10.0.0.7' } })).toBeUndefined()
  })
})

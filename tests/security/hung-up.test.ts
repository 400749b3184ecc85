import { afterAll, beforeAll, expect, it } from 'vitest'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'

let api: SecuredApi
beforeAll(async () => {
  api = await openSecuredApi()
})
afterAll(() => api[Symbol.asyncDispose]())

it('writes down what somebody did who hung up before the answer, with where from, and all that others do after it', async () => {
  const activities = [{ id: 'wait', type: 'delay', inputs: { duration: '500ms' } }]
  await api.engine.definitions.create('default', { id: 'slow', activities })
  await api.engine.definitions.publish('default', 'slow')
  const root = await api.app.listen({ host: '127.0.0.1', port: 0 })
  const hangUp = new AbortController()
  const started = fetch(`${root}/api/v1/workflow-instances`, {
    method: 'POST',
    headers: { authorization: `Bearer ${BOOTSTRAP_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ definitionId: 'slow', wait: '30s' }),
    signal: hangUp.signal,
  })
  const running = async () => (await api.send({ path: '/workflow-instances', as: BOOTSTRAP_KEY })).body.items.length
  await expect.poll(running).toBe(1)
  hangUp.abort()
  await expect(started).rejects.toThrow()
  const entries = async (operation: string) => {
    const { body } = await api.send({ path: `/audit-log?operation=${operation}`, as: BOOTSTRAP_KEY })
    return body.items.map(({ address }: { address: string }) => address)
  }
  await expect.poll(() => entries('startWorkflowInstance')).toEqual(['127.0.0.1'])
  await api.send({ method: 'POST', path: '/events', as: BOOTSTRAP_KEY, body: { name: 'after' } })
  await expect.poll(() => entries('publishEvent')).toHaveLength(1)
})

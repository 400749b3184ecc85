import { toWireId } from '@lockstep/base'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSecuredApi, type SecuredApi } from './open-secured-api.ts'

let api: SecuredApi
beforeAll(async () => {
  api = await openSecuredApi()
  const activities = [
    { id: 'ask', type: 'human-task', inputs: { title: 'Pay?', assignee: 'ceo', outcomes: ['approve'] } },
  ]
  await api.engine.definitions.create('default', { id: 'asking', activities })
  await api.engine.definitions.publish('default', 'asking')
})
afterAll(() => api[Symbol.asyncDispose]())

async function asked() {
  const { instanceId } = await api.engine.start({ definitionId: 'asking' })
  const find = async () => (await api.engine.humanTasks.list({ instanceId }, 1))[0]
  await expect.poll(find).toBeDefined()
  const { id } = (await find())!
  const path = `/workflow-instances/${toWireId('instance', instanceId)}/bookmarks/${toWireId('bookmark', id)}/token`
  return { path, find }
}

describe('a link that decides a task', () => {
  it('is made by nobody who may not decide, by whatever way', async () => {
    const { path, find } = await asked()
    const as = await api.keyOf('operator', { permissions: ['instances:resume', 'instances:read'] })
    const { status, body } = await api.send({ method: 'POST', path, as })
    expect([status, body.code, body.detail]).toEqual([403, 'FORBIDDEN', expect.stringContaining('tasks:decide')])
    expect((await find())!.status).toBe('open')
  })

  it('writes down that a name was only said', async () => {
    const { path, find } = await asked()
    const as = await api.keyOf('operator')
    const { token } = (await api.send({ method: 'POST', path, as })).body
    const used = await api.send({ method: 'POST', path: `/resume/${token}`, body: { outcome: 'approve', by: 'ceo' } })
    expect([used.status, (await find())!.completedBy]).toEqual([200, 'ceo (with a link)'])
  })

  it('writes down who used it where they have signed in', async () => {
    const { path, find } = await asked()
    const as = await api.keyOf('operator', { name: 'desk' })
    const { token } = (await api.send({ method: 'POST', path, as })).body
    const body = { outcome: 'approve', by: 'ceo' }
    await api.send({ method: 'POST', path: `/resume/${token}`, as, body })
    expect((await find())!.completedBy).toMatch(/^ceo \((through desk|with a link)\)$/)
  })
})

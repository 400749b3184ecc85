import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'

const PASSWORD = 'a long enough password 1'
const cookies = new Map<string, string>()
let api: SecuredApi

beforeAll(async () => {
  api = await openSecuredApi()
  const activities = [
    { id: 'ask', type: 'human-task', inputs: { title: 'Pay?', assignee: 'ann', candidates: ['accounting'] } },
  ]
  await api.engine.definitions.create('default', { id: 'asking', activities })
  await api.engine.definitions.publish('default', 'asking')
  for (const [at, name] of ['ann', 'bob'].entries()) {
    const known = { name, password: PASSWORD }
    const body = { ...known, role: 'operator' }
    expect((await api.send({ method: 'POST', path: '/users', as: BOOTSTRAP_KEY, body })).status).toBe(201)
    const signedIn = await api.send({ method: 'POST', path: '/session', body: known, from: `10.1.0.${at + 1}` })
    cookies.set(name, String(signedIn.headers['set-cookie']).split(';')[0]!)
  }
})
afterAll(() => api[Symbol.asyncDispose]())

async function complete(who: { readonly user?: string; readonly key?: string }, body: object = {}) {
  const { instanceId } = await api.engine.start({ definitionId: 'asking' })
  const open = () => api.engine.humanTasks.list({ instanceId, status: 'open' }, 1)
  await expect.poll(async () => (await open()).length).toBe(1)
  const path = `/human-tasks/hmt_${(await open())[0]!.id}/complete`
  const headers = who.user === undefined ? {} : { cookie: cookies.get(who.user)! }
  const { status, body: told } = await api.send({ method: 'POST', path, as: who.key, headers, body })
  return { status, code: told.code, by: told.task?.completedBy, isOpen: (await open()).length === 1 }
}

describe('a decision over the API', () => {
  it('is written down under the name of who sent it', async () => {
    expect(await complete({ user: 'ann' })).toMatchObject({ status: 200, by: 'ann', isOpen: false })
    const key = await api.keyOf('operator', { name: 'till' })
    expect(await complete({ key })).toMatchObject({ status: 200, by: 'till' })
  })

  it('is refused to a user whom the task does not name, and leaves it open', async () => {
    expect(await complete({ user: 'bob' })).toEqual({
      status: 403,
      code: 'TASK_NOT_YOURS',
      by: undefined,
      isOpen: true,
    })
    expect(await complete({ user: 'bob' }, { by: 'zoe' })).toMatchObject({ status: 403, code: 'TASK_NOT_YOURS' })
  })

  it('is written down under both names where an operator acts for somebody', async () => {
    expect(await complete({ user: 'bob' }, { by: 'accounting' })).toMatchObject({
      status: 200,
      by: 'accounting (through bob)',
    })
  })

  it('is not made in the name of another by who may only decide', async () => {
    const key = await api.keyOf('operator', { name: 'desk', permissions: ['tasks:decide'] })
    expect(await complete({ key }, { by: 'ann' })).toMatchObject({ status: 403, code: 'TASK_NOT_YOURS' })
    expect(await complete({ key })).toMatchObject({ status: 200, by: 'desk' })
  })
})

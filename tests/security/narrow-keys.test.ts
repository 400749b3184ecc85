/** A key that was narrowed does what it was narrowed to, and nothing that takes more. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { approval } from '../../packages/server/test/documents.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, type Sent } from './open-secured-api.ts'

let api: SecuredApi
beforeAll(async () => {
  api = await openSecuredApi()
  await done({ method: 'PUT', path: '/workflow-definitions/waits', body: approval('waits') })
})
afterAll(() => api[Symbol.asyncDispose]())

const PASSWORD = 'correct horse battery staple'
const document = (id: string) => ({ id, trigger: { cron: '0 3 * * *' }, definitionId: 'waits' })
const only = (...permissions: string[]): Promise<string> => api.keyOf('admin', { permissions })

async function done(sent: Sent) {
  const answer = await api.send({ as: BOOTSTRAP_KEY, ...sent })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300)
  return answer.body
}

async function refused(sent: Sent, permission: string): Promise<void> {
  const { status, body } = await api.send(sent)
  expect([status, body.code, body.detail]).toEqual([403, 'FORBIDDEN', expect.stringContaining(permission)])
}

describe('saving and publishing', () => {
  it.each([
    ['definitions:publish', 'definitions:write'],
    ['definitions:write', 'definitions:publish'],
  ])('is not done with %s alone', async (has, lacks) => {
    const as = await only(has)
    const sent = { method: 'PUT', path: '/workflow-definitions/fresh', as, body: approval('fresh') } as const
    await refused(sent, lacks)
    expect((await api.send({ path: '/workflow-definitions/fresh', as: BOOTSTRAP_KEY })).status).toBe(404)
  })

  it('is done with both', async () => {
    const as = await only('definitions:publish', 'definitions:write')
    await done({ method: 'PUT', path: '/workflow-definitions/both', as, body: approval('both') })
  })
})

describe('a schedule', () => {
  const steps: readonly (readonly [what: string, Sent])[] = [
    ['made', { method: 'POST', path: '/schedules', body: document('made') }],
    [
      'made under its id',
      { method: 'PUT', path: '/schedules/put', headers: { 'if-none-match': '*' }, body: document('put') },
    ],
    [
      'replaced',
      {
        method: 'PUT',
        path: '/schedules/there',
        headers: { 'if-match': '*' },
        body: { ...document('there'), input: 1 },
      },
    ],
    ['resumed', { method: 'POST', path: '/schedules/there/resume' }],
    ['triggered', { method: 'POST', path: '/schedules/there/trigger', body: { input: 'any' } }],
    [
      'filled in',
      {
        method: 'POST',
        path: '/schedules/there/backfill',
        body: { from: '2026-01-01T00:00:00Z', to: '2026-01-03T00:00:00Z' },
      },
    ],
  ]
  beforeAll(() => done({ method: 'POST', path: '/schedules', body: document('there') }))

  it.each(steps)('is %s by who may start instances too, and by nobody else', async (_, sent) => {
    await refused({ ...sent, as: await only('schedules:write', 'schedules:operate') }, 'instances:start')
    await done({ ...sent, as: await only('schedules:write', 'schedules:operate', 'instances:start') })
  })

  it('is paused, looked at by the clock outside, and deleted without', async () => {
    const as = await only('schedules:write', 'schedules:operate')
    await done({ method: 'POST', path: '/schedules/there/pause', as })
    await done({ method: 'POST', path: '/schedules/run-due', as })
    await done({ method: 'DELETE', path: '/schedules/there', as })
  })
})

describe('users', () => {
  const make = (name: string, role: string, tenant = 'default') =>
    done({ method: 'POST', path: '/users', body: { name, password: PASSWORD, role, tenant } })

  it('who may do more are not taken away by who manages users alone', async () => {
    await make('root', 'admin')
    const as = await only('users:manage')
    await refused({ method: 'DELETE', path: '/users/root', as }, 'which the other one has')
    await done({ method: 'DELETE', path: '/users/root', as: await api.keyOf('admin') })
  })

  it('who may do no more are, and so are those of another tenant by who runs the cluster', async () => {
    await make('vic', 'viewer')
    await make('vera', 'viewer', 'acme')
    const reads = (await done({ path: '/session', as: await api.keyOf('viewer') })).permissions
    const as = await only('users:manage', ...reads)
    for (const name of ['vic', 'vera']) await done({ method: 'DELETE', path: `/users/${name}`, as })
  })

  it('take themselves away', async () => {
    await make('leaves', 'admin')
    const opened = await api.send({ method: 'POST', path: '/session', body: { name: 'leaves', password: PASSWORD } })
    const headers = { cookie: String(opened.headers['set-cookie']).split(';')[0]! }
    expect((await api.send({ method: 'DELETE', path: '/users/leaves', headers })).status).toBe(204)
  })

  it('of another tenant are not there for who is bound to one', async () => {
    await make('far', 'admin', 'globex')
    const as = await api.keyOf('admin', { tenant: 'acme' })
    const { body } = await api.send({ method: 'DELETE', path: '/users/far', as })
    expect(body.code).toBe('USER_NOT_FOUND')
  })
})

describe('keys', () => {
  const make = (more: object) =>
    done({ method: 'POST', path: '/api-keys', body: { name: 'k', role: 'admin', ...more } })
  const revoke = (id: string, as: string): Sent => ({ method: 'POST', path: `/api-keys/${id}/revoke`, as })

  it('that may do more are not revoked by who manages keys alone', async () => {
    const strong = await make({})
    const as = await only('keys:manage')
    await refused(revoke(strong.id, as), 'which the other one has')
    expect((await api.send({ path: '/session', as: strong.key })).status).toBe(200)
    await done(revoke(strong.id, await api.keyOf('admin')))
  })

  it('that may do no more are, and so is the key itself', async () => {
    const weak = await make({ permissions: ['keys:manage'] })
    const own = await make({ permissions: ['keys:manage'] })
    await done(revoke(weak.id, own.key))
    await done(revoke(own.id, own.key))
    expect((await api.send({ path: '/session', as: own.key })).status).toBe(401)
  })

  it('of another tenant are not there for who is bound to one', async () => {
    const far = await make({ tenant: 'globex' })
    const as = await api.keyOf('admin', { tenant: 'acme', permissions: ['keys:manage'] })
    expect((await api.send(revoke(far.id, as))).body.code).toBe('API_KEY_NOT_FOUND')
  })
})

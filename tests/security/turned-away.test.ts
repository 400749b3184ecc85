/** What was refused at the door is in the audit log, where it would have changed something; what strangers send by the thousand is one entry. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi, type Sent, securedApp, sendTo } from './open-secured-api.ts'

const PASSWORD = 'correct horse battery staple'
const EVIL = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
let api: SecuredApi
beforeAll(async () => {
  api = await openSecuredApi()
})
afterAll(() => api[Symbol.asyncDispose]())

interface Entry {
  readonly actor: { readonly id: string }
  readonly outcome: string
  readonly status: number
  readonly target: string
  readonly times: number
  readonly address: string
}
const log = async (query: string): Promise<readonly Entry[]> =>
  (await api.send({ path: `/audit-log?${query}`, as: BOOTSTRAP_KEY })).body.items

/** On a server that stops then, which writes down what it counted. */
async function sendAll(sent: readonly Sent[], more: Parameters<typeof securedApp>[2] = {}): Promise<number[]> {
  const app = await securedApp(api.engine, api.db, more)
  const statuses: number[] = []
  for (const each of sent) statuses.push((await sendTo(app, each)).status)
  await app.close()
  return statuses
}

describe('the audit log', () => {
  it('has changes without credentials, however many there were, once for each address', async () => {
    const tries = (from: string, ids: readonly string[]): Sent[] =>
      ids.map((id) => ({ method: 'DELETE', path: `/users/${id}`, from }))
    const same = Array<string>(50).fill('root')
    expect(new Set(await sendAll([...tries('10.2.0.1', same), ...tries('10.2.0.2', ['a', 'b'])]))).toEqual(
      new Set([401]),
    )
    const entries = await log('operation=deleteUser&outcome=UNAUTHENTICATED')
    expect(entries.map(({ address, target, times, actor }) => [address, target, times, actor.id]).sort()).toEqual([
      ['10.2.0.1', 'root', 50, 'nobody'],
      ['10.2.0.2', '', 2, 'nobody'],
    ])
  })

  it('has changes with wrong credentials, and those that were told to come back later', async () => {
    const wrong: Sent = { method: 'POST', path: '/events', as: 'nonsense', from: '10.2.0.3', body: { name: 'x' } }
    const statuses = await sendAll(Array<Sent>(40).fill(wrong))
    const times = async (outcome: string) => (await log(`operation=publishEvent&outcome=${outcome}`))[0]!.times
    expect(await times('UNAUTHENTICATED')).toBe(statuses.filter((each) => each === 401).length)
    expect(await times('RATE_LIMITED')).toBe(statuses.filter((each) => each === 429).length)
  })

  it('has nothing of strangers who only read', async () => {
    await sendAll([{ path: '/users' }, { path: '/session', as: 'nonsense' }])
    expect(await log('operation=listUsers')).toEqual([])
    expect(await log('operation=getSession')).toEqual([])
  })

  it('has what the page of another site tried with the cookie of a user, and whose it was', async () => {
    const body = { name: 'ana', password: PASSWORD, role: 'admin' }
    await api.send({ method: 'POST', path: '/users', as: BOOTSTRAP_KEY, body })
    const opened = await api.send({ method: 'POST', path: '/session', body: { name: 'ana', password: PASSWORD } })
    const headers = { cookie: String(opened.headers['set-cookie']).split(';')[0]!, ...EVIL }
    const answer = await api.send({ method: 'DELETE', path: '/users/bob', headers })
    expect([answer.status, answer.body.code]).toEqual([403, 'CROSS_SITE_REQUEST'])
    expect(JSON.stringify(answer.body)).not.toContain('ana')
    await expect
      .poll(async () => (await log('outcome=CROSS_SITE_REQUEST&operation=deleteUser')).map(seen))
      .toEqual([['user:ana', 'bob', 403, 1]])
  })

  it('has what the page of another site tried without one, counted', async () => {
    const signIn: Sent = { method: 'POST', path: '/session', headers: EVIL, body: { name: 'ana', password: PASSWORD } }
    expect(new Set(await sendAll(Array<Sent>(30).fill(signIn)))).toEqual(new Set([403]))
    expect((await log('outcome=CROSS_SITE_REQUEST&operation=openSession')).map(seen)).toEqual([['nobody', '', 403, 30]])
  })

  it('has it where nobody is asked who they are, too', async () => {
    const local = { host: 'localhost', ...EVIL }
    const change: Sent = { method: 'DELETE', path: '/schedules/nightly', headers: local }
    expect(await sendAll([change, change, { path: '/schedules', headers: local }], { auth: 'none' })).toEqual([
      403, 403, 200,
    ])
    expect((await log('outcome=CROSS_SITE_REQUEST&operation=deleteSchedule')).map(seen)).toEqual([
      ['nobody', 'nightly', 403, 2],
    ])
  })

  it('never has the token of a link', async () => {
    const path = `/resume/rt_${'q'.repeat(43)}`
    expect(await sendAll([{ method: 'POST', path, headers: EVIL, body: {} }])).toEqual([403])
    const entries = await log('outcome=CROSS_SITE_REQUEST&operation=useResumeToken')
    expect(entries.map(seen)).toEqual([['nobody', '', 403, 1]])
    expect(JSON.stringify(entries)).not.toContain('qqqq')
  })

  it('says that a password changed, and never which one it is', async () => {
    await api.send({
      ...{ method: 'POST', path: '/users', as: BOOTSTRAP_KEY },
      body: { name: 'bea', password: PASSWORD, role: 'viewer' },
    })
    const change = (body: object) => api.send({ method: 'PUT', path: '/users/bea', as: BOOTSTRAP_KEY, body })
    await change({ password: 'another good password' })
    await change({ role: 'operator' })
    const entries = await log('operation=changeUser&target=bea')
    expect(entries).toMatchObject([
      { before: { role: 'viewer' }, after: { role: 'operator', disabled: false } },
      {
        before: { role: 'viewer', disabled: false },
        after: { role: 'viewer', disabled: false, passwordChanged: true },
      },
    ])
    expect(JSON.stringify(entries[0])).not.toContain('passwordChanged')
    expect(JSON.stringify(entries)).not.toMatch(/another good|scrypt/)
  })
})

const seen = ({ actor, target, status, times }: Entry) => [actor.id, target, status, times]

import { statement } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { approval } from '../../packages/server/test/documents.ts'
import { BOOTSTRAP_KEY, openSecuredApi, type SecuredApi } from './open-secured-api.ts'

let api: SecuredApi
let operator: string
let id: string
beforeAll(async () => {
  api = await openSecuredApi()
  operator = await api.keyOf('operator')
  await api.send({ method: 'PUT', path: '/workflow-definitions/waits', as: BOOTSTRAP_KEY, body: approval('waits') })
  const start = { method: 'POST', path: '/workflow-instances', as: operator, body: { definitionId: 'waits' } } as const
  id = (await api.send(start)).body.id
  const rests = async () =>
    expect((await api.send({ path: `/workflow-instances/${id}`, as: operator })).body.status).toBe('suspended')
  await vi.waitFor(rests, { timeout: 60_000 })
})
afterAll(() => api[Symbol.asyncDispose]())

interface Entry {
  readonly operation: string
  readonly outcome: string
  readonly target: string
  readonly seq: string
}
const log = async (query = ''): Promise<readonly Entry[]> =>
  (await api.send({ path: `/audit-log${query}`, as: BOOTSTRAP_KEY })).body.items
const resume = (as: string) =>
  api.send({ method: 'POST', path: `/workflow-instances/${id}/resume`, as, body: { payload: { by: 'al' } } })

describe('the audit log', () => {
  it('has a change as soon as it was answered: who, what, from where, and what came of it', async () => {
    const body = { name: 'eu', role: 'viewer' }
    const { body: made } = await api.send({
      method: 'POST',
      path: '/api-keys',
      as: BOOTSTRAP_KEY,
      body,
      from: '10.1.2.3',
      headers: { 'user-agent': 'a test' },
    })
    const [newest] = await log()
    expect(newest).toMatchObject({
      ...{
        operation: 'createApiKey',
        outcome: 'done',
        status: 201,
        address: '10.1.2.3',
        agent: 'a test',
        node: 'test',
      },
      actor: { kind: 'key', id: 'key:bootstrap' },
      at: expect.stringMatching(/Z$/),
    })
    const revoked = await api.send({ method: 'POST', path: `/api-keys/${made.id}/revoke`, as: BOOTSTRAP_KEY })
    expect([revoked.status, (await log())[0]!.target]).toEqual([200, made.id])
    expect(JSON.stringify(await log())).not.toContain(made.key.slice(-43))
  })

  it('has every attempt to resume, those that lost and those that may not', async () => {
    const viewer = await api.keyOf('viewer')
    expect((await resume(viewer)).status).toBe(403)
    const answers = await Promise.all([resume(operator), resume(operator), resume(operator)])
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    await expect.poll(async () => (await log('?operation=resumeWorkflowInstance')).length, { timeout: 60_000 }).toBe(4)
    const entries = await log('?operation=resumeWorkflowInstance')
    expect(entries.every(({ target }) => target === id)).toBe(true)
    const outcomes = entries.map(({ outcome }) => outcome)
    expect(outcomes.filter((each) => each === 'done')).toHaveLength(1)
    expect(outcomes).toContain('FORBIDDEN')
    expect(outcomes.filter((each) => each !== 'done' && each !== 'FORBIDDEN')).toHaveLength(2)
  })

  it('has a failed sign-in, and tokens that open nothing, without the secret', async () => {
    await api.send({ method: 'POST', path: '/session', body: { name: 'ana', password: 'the password of ana' } })
    const token = `rt_${'y'.repeat(43)}`
    await api.send({ method: 'POST', path: `/resume/${token}`, body: {} })
    await expect.poll(async () => (await log('?operation=useResumeToken')).length, { timeout: 60_000 }).toBe(1)
    const entries = await log()
    expect(entries.map(({ operation, outcome }) => `${operation} ${outcome}`)).toEqual(
      expect.arrayContaining(['openSession SIGN_IN_FAILED', 'useResumeToken TOKEN_NOT_FOUND']),
    )
    expect(JSON.stringify(entries)).not.toMatch(/password of ana|yyyyyyyy/)
  })

  it('has nothing of what only reads', async () => {
    const before = (await log('?limit=1'))[0]!.seq
    await api.send({ path: '/workflow-instances', as: operator })
    await api.send({ path: `/workflow-instances/${id}`, as: operator })
    expect((await log('?limit=1'))[0]!.seq).toBe(before)
  })

  it('is read page by page, each entry once, by actor and outcome', async () => {
    const all = await log('?limit=200')
    const seen: string[] = []
    let cursor = ''
    do {
      const { body } = await api.send({ path: `/audit-log?limit=3${cursor}`, as: BOOTSTRAP_KEY })
      seen.push(...body.items.map((each: Entry) => each.seq))
      cursor = body.page.next === null ? '' : `&cursor=${body.page.next}`
    } while (cursor !== '')
    expect(seen).toEqual(all.map(({ seq }) => seq))
    expect(await log('?actor=key:bootstrap&outcome=FORBIDDEN')).toEqual([])
    const other = await api.send({ path: '/audit-log?outcome=done&limit=1', as: BOOTSTRAP_KEY })
    const misused = await api.send({ path: `/audit-log?limit=1&cursor=${other.body.page.next}`, as: BOOTSTRAP_KEY })
    expect(misused.body.code).toBe('INVALID_CURSOR')
  })

  it('cannot be changed, not even by who has the database', async () => {
    for (const text of ['update audit_entry set actor = $1', 'delete from audit_entry where actor <> $1']) {
      const write = statement<string>(`test_${text.slice(0, 6)}_audit`, (actor) => [actor], text)
      await expect(api.db.run(write, 'nobody')).rejects.toThrow(/append only/)
    }
    await expect(api.db.script('truncate audit_entry')).rejects.toThrow(/append only/)
  })

  it('loses nothing that was answered when the server stops', async () => {
    const apart = await openSecuredApi()
    const { db } = apart
    const event = { method: 'POST', path: '/events', as: BOOTSTRAP_KEY, body: { name: 'e' } } as const
    await Promise.all(Array.from({ length: 50 }, () => apart.send(event)))
    await apart.app.close()
    const count = statement<undefined, { count: string }>(
      'test_count_audit',
      () => [],
      `select count(*)::text as count from audit_entry where operation = 'publishEvent' and outcome = 'done'`,
    )
    expect((await db.one(count)).count).toBe('50')
    await apart[Symbol.asyncDispose]()
  })
})

import { trimAudit } from '@lockstep/engine'
import { postgresAccess, statement } from '@lockstep/postgres'
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
  readonly at: string
  readonly tenant: string
  readonly made: readonly string[]
  readonly actor: { readonly id: string }
  readonly operation: string
  readonly outcome: string
  readonly target: string
  readonly seq: string
  readonly times: number
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
      ...{ target: 'eu', made: [made.id] },
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
    const attempts = async () =>
      (await log('?operation=resumeWorkflowInstance')).flatMap((entry) => Array<typeof entry>(entry.times).fill(entry))
    await expect.poll(async () => (await attempts()).length, { timeout: 60_000 }).toBe(4)
    const entries = await attempts()
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

  it('names what was started, and is found by the instance, the workflow and whatever stands behind it in a path', async () => {
    const start = {
      method: 'POST',
      path: '/workflow-instances',
      as: operator,
      body: { definitionId: 'waits' },
    } as const
    const ids = (await Promise.all(Array.from({ length: 5 }, () => api.send(start)))).map(
      ({ body }) => body.id as string,
    )
    const about = (target: string) => log(`?target=${target}`)
    for (const each of ids)
      await expect
        .poll(async () => (await about(each)).map(({ operation, target }) => [operation, target]), { timeout: 60_000 })
        .toEqual([['startWorkflowInstance', 'waits']])
    expect((await about(ids[0]!))[0]!.made).toContain(ids[0])
    const started = (await about('waits')).filter(({ operation }) => operation === 'startWorkflowInstance')
    expect(started.flatMap(({ made }) => made)).toEqual(expect.arrayContaining([...ids, id]))
    expect((await log('?target=waits&operation=startWorkflowInstance&outcome=none')).length).toBe(0)
    await api.send({ method: 'POST', path: `/workflow-instances/${ids[0]}/cancel`, as: operator })
    expect((await about(ids[0]!)).map(({ operation }) => operation)).toContain('cancelWorkflowInstance')
    await api.send({ method: 'POST', path: '/events', as: operator, body: { name: 'nobody-waits' } })
    await expect.poll(async () => (await about('nobody-waits')).length, { timeout: 60_000 }).toBe(1)
    expect(await about('wait')).toEqual([])
  })

  it('says who signed in, and who tried to', async () => {
    const user = { name: 'bea', password: 'a long password of bea', role: 'viewer' }
    await api.send({ method: 'POST', path: '/users', as: BOOTSTRAP_KEY, body: user })
    const signIn = (password: string) =>
      api.send({ method: 'POST', path: '/session', body: { name: 'bea', password }, from: '10.3.0.1' })
    expect([(await signIn('wrong')).status, (await signIn(user.password)).status]).toEqual([401, 200])
    expect((await log('?target=bea')).map(({ operation, outcome, actor }) => [operation, outcome, actor.id])).toEqual([
      ['openSession', 'done', 'user:bea'],
      ['openSession', 'SIGN_IN_FAILED', 'nobody'],
      ['createUser', 'done', 'key:bootstrap'],
    ])
  })

  it('has every link that was tried, good, used or wrong, with the instance and the tenant that it was made for', async () => {
    const tenant = 'acme'
    await api.engine.definitions.create(tenant, approval('links'))
    await api.engine.definitions.publish(tenant, 'links')
    const { instanceId } = await api.engine.start({ tenant, definitionId: 'links' })
    const waiting = async () => (await api.engine.get(instanceId, tenant)).waitingFor[0]?.bookmarkId
    await expect.poll(waiting, { timeout: 60_000 }).toBeDefined()
    const { token } = (await api.engine.resumeTokens.issue((await waiting())!, { tenant }))!
    const hand = async (link: string): Promise<number> =>
      (
        await api.app.inject({
          method: 'POST',
          url: `/resume/${link}`,
          headers: { 'content-type': 'application/x-www-form-urlencoded' },
          payload: '',
          remoteAddress: '10.3.0.2',
        })
      ).statusCode
    const statuses = [await hand(token), await hand(token), await hand(`rt_${'z'.repeat(43)}`)]
    expect(statuses).toEqual([200, 404, 404])
    const links = async () =>
      (await log('?operation=useResumeLink')).map(({ outcome, target, tenant: whose }) => [outcome, target, whose])
    const about = `wfi_${instanceId}`
    await expect.poll(links, { timeout: 60_000 }).toEqual([
      ['TOKEN_NOT_FOUND', '', 'default'],
      ['TASK_ALREADY_COMPLETED', about, tenant],
      ['done', about, tenant],
    ])
    expect((await log(`?target=${about}`)).length).toBe(2)
    const again = await api.send({ method: 'POST', path: `/resume/${token}`, body: {}, from: '10.3.0.3' })
    const wrong = await api.send({ method: 'POST', path: `/resume/rt_${'z'.repeat(43)}`, body: {}, from: '10.3.0.3' })
    expect([again.status, again.body.code]).toEqual([wrong.status, wrong.body.code])
    const known = await api.send({ method: 'POST', path: `/resume/${token}`, body: {}, as: operator })
    expect([known.status, known.body.code]).toEqual([409, 'TASK_ALREADY_COMPLETED'])
    await expect.poll(async () => (await log('?operation=useResumeToken')).length, { timeout: 60_000 }).toBe(4)
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

  it('is read by time, of one target too, and no further back than asked', async () => {
    const ghost = (id: string) => `wfi_01900000-0000-7000-8000-0000000000${id}`
    const cancel = (id: string) =>
      api.send({ method: 'POST', path: `/workflow-instances/${ghost(id)}/cancel`, as: BOOTSTRAP_KEY })
    await cancel('a1')
    const mark = (await log('?limit=1'))[0]!
    const at = encodeURIComponent(mark.at)
    await expect
      .poll(async () => {
        await cancel('a2')
        return (await log('?limit=1'))[0]!.at > mark.at
      })
      .toBe(true)
    const [since, before] = [await log(`?at[gte]=${at}&limit=200`), await log(`?at[lt]=${at}&limit=200`)]
    expect(since.every((entry) => entry.at >= mark.at)).toBe(true)
    expect(before.every((entry) => entry.at < mark.at)).toBe(true)
    expect(since.length + before.length).toBe((await log('?limit=200')).length)
    expect(await log(`?target=${ghost('a1')}&at[lt]=${at}`)).toEqual([])
    expect(await log(`?target=${ghost('a1')}&at[gte]=${at}`)).toHaveLength(1)
    expect(await log('?at[gte]=-1h&at[lt]=-30m')).toEqual([])
    const odd = await api.send({ path: '/audit-log?at[gte]=yesterday', as: BOOTSTRAP_KEY })
    expect([odd.status, odd.body.errors[0].field]).toEqual([400, 'at[gte]'])
  })

  it('cannot be changed, not even by who has the database', async () => {
    for (const text of ['update audit_entry set actor = $1', 'delete from audit_entry where actor <> $1']) {
      const write = statement<string>(`test_${text.slice(0, 6)}_audit`, (actor) => [actor], text)
      await expect(api.db.run(write, 'nobody')).rejects.toThrow(/append only/)
    }
    await expect(api.db.script('truncate audit_entry')).rejects.toThrow(/append only/)
  })

  it('lets go of what is older than it is kept, and of nothing else', async () => {
    await using apart = await openSecuredApi()
    await apart.keyOf('viewer')
    const audit = postgresAccess(apart.db).audit
    const old = { tenant: 'default', actorKind: 'key', actor: 'key:1', target: '', outcome: 'done', status: 200 }
    const rest = { address: '', agent: '', node: '', detail: undefined }
    const days = (n: number) => Date.parse(new Date().toISOString()) - n * 86_400_000
    await audit.append([401, 399].map((n) => ({ ...old, ...rest, operation: `of ${n} days`, at: days(n) })))
    const chore = trimAudit(audit)
    await chore.run(new AbortController().signal)
    const { body } = await apart.send({ path: '/audit-log', as: BOOTSTRAP_KEY })
    expect(body.items.map(({ operation }: Entry) => operation)).toEqual(['of 399 days', 'createApiKey'])
    await expect(audit.trim(1, 100)).rejects.toThrow(/append only/)
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
      `select sum(coalesce((detail ->> 'times')::integer, 1))::text as count from audit_entry where operation = 'publishEvent' and outcome = 'done'`,
    )
    expect((await db.one(count)).count).toBe('50')
    await apart[Symbol.asyncDispose]()
  })
})

describe('an audit log that is long', () => {
  it('is not gone through to its beginning for what is young', async () => {
    await using long = await openSecuredApi()
    await long.db.script(`insert into audit_entry (tenant, at, actor_kind, actor, operation, target, outcome, status, address, agent, node)
      select 'default', clock_timestamp() - interval '3 hours', 'key', 'key:old', 'cancelWorkflowInstance', '', 'done', 202, '', '', ''
        from generate_series(1, 20000)`)
    const pageOf = async (query: string) => (await long.send({ path: `/audit-log?${query}`, as: BOOTSTRAP_KEY })).body
    expect(await pageOf('at[gte]=-1h')).toMatchObject({ items: [], page: { next: null } })
    const back = await pageOf('at[gte]=-1d&actor=nobody')
    expect([back.items, typeof back.page.next]).toEqual([[], 'string'])
  })
})

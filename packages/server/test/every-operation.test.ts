import { workflow } from '@lockstep/engine'
import { postgresDeadLetters, postgresEngineStore } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiRoutes } from '../src/routes/index.ts'
import { devSupervisor } from './dev-supervisor.ts'
import { approval, faulty, sums } from './documents.ts'
import { fencedMemory } from './fenced-memory.ts'
import { openTestApi, type Sent, type TestApi } from './open-test-api.ts'
import { asking, flaky, resizing } from './operations.ts'
import { type Method, throughClient } from './through-client.ts'

/**
 * Calls every operation there is, through the typed client. What was sent and what came back are held against the OpenAPI document by `call` itself;
 * an operation that nobody calls fails the last test.
 */
let api: TestApi
beforeAll(async () => {
  api = await openTestApi({
    workflows: [workflow('billing.monthly', async () => 'paid')],
    devControl: devSupervisor('node-1', 'node-2').control,
    lockLab: { resource: fencedMemory(), isOffered: () => true },
  })
})
afterAll(async () => {
  expect(api.failures).toEqual([])
  await api.close()
})

const done = (method: Method, path: string, sent?: Sent) => throughClient(api)(method, path, sent)
const D = '/workflow-definitions'
const I = '/workflow-instances'

const waiting = async (): Promise<string> => {
  const { id } = (await done('POST', I, { body: { definitionId: 'approval', input: { customer: { id: 7 } } } })).body
  await expect.poll(async () => (await api.call('GET', `${I}/${id}`)).body.status).toBe('suspended')
  return id
}

const ended = async (id: string) => (await done('GET', `${I}/${id}?wait=30s`)).body
const rests = (id: string, status: string) =>
  expect.poll(async () => (await api.call('GET', `${I}/${id}`)).body.status).toBe(status)

describe('every operation', () => {
  it('of keys, users, sessions and the audit log', async () => {
    const { body: issued } = await done('POST', '/api-keys', {
      body: { name: 'ci', role: 'operator', expiresIn: '1h' },
    })
    expect(issued.key).toMatch(/^lsk_[0-9a-f]{32}_.{43}$/)
    const [listed] = (await done('GET', '/api-keys')).body.items
    expect([listed.id, listed.live, listed.key]).toEqual([issued.id, true, undefined])
    expect((await done('POST', `/api-keys/${issued.id}/revoke`)).body.live).toBe(false)
    const ana = { name: 'ana', password: 'correct horse battery', role: 'viewer' }
    await done('POST', '/users', { body: ana })
    expect((await done('PUT', '/users/ana', { body: { role: 'designer' } })).body.role).toBe('designer')
    expect((await done('GET', '/users')).body.items).toMatchObject([{ name: 'ana', role: 'designer' }])
    const opened = await done('POST', '/session', { body: { name: 'ana', password: ana.password } })
    expect(opened.headers['set-cookie']).toMatch(
      /^lockstep-session=.{43}; Path=\/; HttpOnly; SameSite=Lax,\s?lockstep-device=/,
    )
    expect((await done('GET', '/session')).body).toMatchObject({ kind: 'anonymous', role: 'admin', auth: 'none' })
    await done('DELETE', '/session')
    expect((await done('DELETE', '/sessions?subject=user:ana')).body).toEqual({ ended: 1 })
    await done('DELETE', '/users/ana')
    const { items } = (await done('GET', '/audit-log')).body
    expect(items.map((each: { operation: string }) => each.operation).slice(0, 4)).toEqual([
      ...['deleteUser', 'endSessions', 'closeSession', 'openSession'],
    ])
  })

  it('of definitions', async () => {
    await done('POST', D, { body: approval('approval') })
    await done('GET', D)
    await done('GET', `${D}/approval`)
    const { headers } = await done('GET', `${D}/approval/draft`)
    await done('PUT', `${D}/approval/draft`, { body: approval('approval'), headers: { 'if-match': headers.etag! } })
    await done('POST', `${D}/approval/publish`)
    await done('PUT', `${D}/sums`, { body: sums('sums') })
    await done('PUT', `${D}/sums`, { body: { ...sums('sums'), name: 'More sums' } })
    expect(
      (await done('GET', `${D}/sums/versions`)).body.items.map((each: { version: number }) => each.version),
    ).toEqual([2, 1])
    expect((await done('GET', `${D}/sums/versions/1`)).body).toMatchObject({
      document: { name: 'Sums' },
      pinned: { value: 0 },
    })
    await done('POST', `${D}/sums/versions/1/publish`)
    expect((await done('GET', `${D}/sums/diff?from=1&to=2`)).body).toMatchObject({ changes: [{ subject: 'workflow' }] })
    await done('POST', `${D}/sums/retract`)
    expect((await done('GET', `${D}/sums`)).body.version).toBe(null)
    await done('POST', `${D}/sums/versions/2/publish`)
    const caller = {
      id: 'caller',
      activities: [{ id: 'run', type: 'run-workflow', inputs: { definitionId: 'sums', input: {} } }],
    }
    await done('PUT', `${D}/caller`, { body: caller })
    expect((await done('GET', `${D}/sums/consumers`)).body.items).toMatchObject([{ id: 'caller', current: true }])
    await done('POST', D, { body: faulty('short-lived') })
    expect((await done('DELETE', `${D}/short-lived/draft`)).body.status).toBe('deleted')
    const yaml = (await done('GET', `${D}/approval/export?format=yaml`)).body as string
    expect(yaml).toContain('wait-for-event')
    const imported = await done('POST', `${D}/import`, { raw: yaml, headers: { 'content-type': 'application/yaml' } })
    expect(imported.body).toMatchObject({ written: true, documents: [{ id: 'approval', outcome: 'unchanged' }] })
  })

  it('of activities and schemas', async () => {
    const { body, headers } = await done('GET', '/activity-types')
    expect(body.items.map((each: { type: string }) => each.type)).toContain('wait-for-event')
    const again = await done('GET', '/activity-types', { headers: { 'if-none-match': headers.etag! } })
    expect([again.status, again.body]).toEqual([304, ''])
    expect((await done('GET', '/activity-types/log')).body).toMatchObject({ type: 'log', kind: 'action' })
    expect((await done('GET', '/schemas/workflow-definition')).body.$defs.activity).toBeDefined()
    expect((await done('GET', '/schemas/schedule')).body.properties.trigger).toBeDefined()
  })

  it('of instances and events', async () => {
    const id = await waiting()
    expect(
      (await done('GET', `${I}?status=suspended&definition=approval&input.customer.id=7`)).body.items,
    ).toMatchObject([{ id }])
    await done('GET', `${I}/${id}`)
    await done('GET', `${I}/${id}/journal`)
    await done('GET', `${I}/${id}/compensations`)
    expect((await done('GET', `${I}/${id}/why`)).body).toMatchObject({
      state: 'waiting',
      waitsFor: [{ kind: 'event', name: 'approved' }],
    })
    expect((await done('GET', `${I}/${id}/state?at=1`)).body).toMatchObject({ seq: 1, steps: [{ activity: 'ask' }] })
    expect((await done('GET', `${I}/${id}/timeline`)).body.items.at(-1)).toMatchObject({
      status: 'suspended',
      endedAt: null,
    })
    expect((await done('GET', `${I}/${id}/activities?at=1`)).body).toMatchObject({
      seq: 1,
      items: [{ activity: 'ask', status: 'running', runs: 1 }],
    })
    await done('POST', `${I}/${id}/resume`, { body: { payload: { by: 'al' } } })
    await done('POST', `${I}/${await waiting()}/cancel`, { body: { reason: 'no' } })
    await done('POST', '/events', { body: { name: 'nobody-waits', payload: 1 } })
    expect((await done('GET', `${I}/counts?definition=approval`)).body.exact).toBe(true)
    const found = await done('POST', `${I}/search`, { body: { filter: { definition: 'approval' }, limit: 1 } })
    expect(found.body.items).toHaveLength(1)
    await done('GET', '/streams/events?follow=false&topics=cluster')
    const told = await done('GET', `/streams/events?follow=false&after=1&instance=${id}`)
    expect(told.body).toContain(`"type":"started"`)
    await ended(id)
    expect((await done('DELETE', `${I}/${id}?dryRun=true`)).body).toMatchObject({ id, incidents: 0 })
    expect((await done('DELETE', `${I}/${id}`)).status).toBe(204)
    // What other transactions may still come before is told after them.
    const after = async (): Promise<string> =>
      (await done('GET', `/streams/events?follow=false&after=1&topics=instances&instance=${id}`)).body
    await expect.poll(after).toContain(`"type":"deleted"`)
    expect(await after()).not.toContain(`"type":"started"`)
    expect(told.headers['x-accel-buffering']).toBe('no')
  })

  it('of test runs and expressions', async () => {
    const { id } = (await done('POST', `${D}/approval/test-runs`, { body: { input: { customer: { id: 1 } } } })).body
    await expect.poll(async () => (await api.call('GET', `/test-runs/${id}`)).body.status).toBe('suspended')
    expect((await done('GET', '/test-runs?definition=approval')).body.items).toMatchObject([{ id, test: true }])
    await done('GET', `/test-runs/${id}/journal`)
    expect((await done('GET', `/test-runs/${id}/state`)).body.steps).toMatchObject([{ activity: 'ask' }])
    expect((await done('GET', `/test-runs/${id}/activities`)).body.items).toMatchObject([{ activity: 'ask' }])
    expect((await done('GET', `${I}/${id}/scope?step=ask`)).body.scope.input).toEqual({ customer: { id: 1 } })
    const asked = { body: { expression: 'input.customer.id + 1', step: 'ask' } }
    expect((await done('POST', `${I}/${id}/evaluate`, asked)).body).toMatchObject({ status: 'value', value: 2 })
    await done('POST', `/test-runs/${id}/resume`, { body: { payload: {} } })
    const other = (await done('POST', `${D}/approval/test-runs`, { body: {} })).body.id
    await done('POST', `/test-runs/${other}/cancel`, { body: {} })
  })

  it('of verbs', async () => {
    await done('PUT', `${D}/flaky`, { body: flaky('flaky') })
    await done('PUT', `${D}/flaky`, { body: { ...flaky('flaky'), name: 'Flaky, second version' } })
    const faulted = (await done('POST', I, { body: { definitionId: 'flaky', wait: '30s' } })).body
    expect(faulted.status).toBe('faulted')
    const forked = await done('POST', `${I}/${faulted.id}/fork`, { body: { at: 1, variables: { sound: true } } })
    expect(await ended(forked.body.id)).toMatchObject({ status: 'completed', output: { ok: true } })
    const again = await done('POST', `${I}/${faulted.id}/fork`, { body: { at: 1, variables: { sound: true } } })
    const first = await done('GET', `${I}/${faulted.id}/forks?limit=1`)
    expect(first.body).toMatchObject({ items: [{ id: again.body.id }], count: { value: 2, exact: false } })
    const second = await done('GET', `${I}/${faulted.id}/forks?limit=1&cursor=${first.body.page.next}`)
    expect(second.body).toMatchObject({ items: [{ id: forked.body.id }], page: { next: null }, count: { exact: true } })
    expect((await done('GET', `${I}/${forked.body.id}/forks`)).body.items).toEqual([])
    expect((await done('GET', `${I}/${faulted.id}/compensations`)).body.items).toEqual([])
    const retried = await done('POST', `${I}/${faulted.id}/retry`, {
      body: { step: 'check', variables: { sound: true } },
    })
    expect([retried.status, retried.body.outcome]).toEqual([202, 'accepted'])
    expect(await ended(faulted.id)).toMatchObject({ status: 'completed' })

    const id = await waiting()
    await done('POST', `${I}/${id}/pause`, { body: { reason: 'later' } })
    await rests(id, 'paused')
    await done('POST', `${I}/${id}/continue`)
    await rests(id, 'suspended')
    await done('PUT', `${D}/approval`, { body: { ...approval('approval'), variables: { seen: { type: 'boolean' } } } })
    const forecast = { from: 1, to: 2 }
    expect((await done('POST', `${D}/approval/migration-forecast`, { body: forecast })).body).toMatchObject({
      impossible: 0,
    })
    await done('POST', `${I}/${id}/migrate`, { body: { version: 2 } })
    await expect.poll(async () => (await api.call('GET', `${I}/${id}`)).body.version).toBe(2)
    expect((await done('GET', `${I}/${id}/state?at=1`)).body.version).toBe(1)
    await done('POST', `${I}/${id}/variables`, { body: { variables: { seen: true } } })
    await expect.poll(async () => (await api.call('GET', `${I}/${id}`)).body.variables).toEqual({ seen: true })
    await done('POST', `${I}/${id}/terminate`, { body: { reason: 'enough' } })
    expect((await ended(id)).status).toBe('terminated')
  })

  it('of incidents', async () => {
    for (const _ of [1, 2]) await done('POST', I, { body: { definitionId: 'flaky', version: 1, wait: '30s' } })
    const { items } = (await done('GET', '/incidents?state=open&definition=flaky&limit=1')).body
    expect(items).toMatchObject([{ state: 'open', definitionId: 'flaky', step: 'boom' }])
    expect((await done('GET', `/incidents/${items[0].id}`)).body).toEqual(items[0])
    const { items: groups, lastResolved } = (await done('GET', '/incidents/groups?definition=flaky')).body
    expect(groups).toMatchObject([{ fingerprint: items[0].fingerprint, open: expect.any(Number), cleanVersion: null }])
    expect(groups[0].histogram).toMatchObject({ from: expect.any(String), slotMs: 150_000 })
    expect(groups[0].histogram.counts.reduce((sum: number, count: number) => sum + count)).toBe(groups[0].open)
    expect(lastResolved).toBeNull()
    const care = { acknowledged: true, assignee: 'ana', mute: '8h', note: 'known' }
    const tended = (await done('POST', `/incidents/groups/${items[0].fingerprint}/tend`, { body: care })).body
    expect(tended).toMatchObject({ acknowledgedAt: expect.any(String), assignee: 'ana', note: 'known' })
    expect(Date.parse(tended.mutedUntil) - Date.parse(tended.acknowledgedAt)).toBe(8 * 3_600_000)
    const muted = async (is: boolean) =>
      (await done('GET', `/incidents/groups?muted=${is}&fingerprint=${tended.fingerprint}`)).body.items
    const [quiet] = await muted(true)
    expect([quiet, await muted(false)]).toEqual([{ ...tended, histogram: quiet.histogram }, []])
    const resolved = await done('POST', `/incidents/${items[0].id}/resolve`, { body: { note: 'known' } })
    expect(resolved.body).toMatchObject({ state: 'resolved', resolution: 'noted', note: 'known' })
    const alike = await done('POST', '/incidents/resolve-alike', { body: { fingerprint: items[0].fingerprint } })
    expect(alike.body.more).toBe(false)
    const none = (await done('GET', '/incidents/groups?definition=flaky')).body
    expect(none).toMatchObject({ items: [], lastResolved: { state: 'resolved', definitionId: 'flaky' } })
  })

  it('of dead letters', async () => {
    const letter = {
      tenant: 'default',
      definitionId: 'flaky',
      source: 'rabbitmq:orders',
      code: 'UNREADABLE',
      reason: 'why',
    }
    const keys = { dedupeKey: undefined, correlationId: undefined }
    for (const n of [1, 2])
      await postgresDeadLetters(api.db).put({
        ...{ ...letter, ...keys, id: `01900000-0000-7000-8000-00000000000${n}`, raw: Buffer.from([n]) },
      })
    const first = (await done('GET', '/dead-letters?definition=flaky&source=rabbitmq:orders&limit=1')).body
    expect(first).toMatchObject({ items: [{ code: 'UNREADABLE', source: 'rabbitmq:orders' }], count: { exact: false } })
    const { items } = (await done('GET', `/dead-letters?cursor=${first.page.next}`)).body
    expect((await done('GET', `/dead-letters/${items[0].id}`)).body).toMatchObject({ input: null, raw: 'AQ==' })
    const refused = await api.call('POST', `/dead-letters/${items[0].id}/retry`)
    expect([refused.status, refused.body.code]).toEqual([422, 'DEAD_LETTER_UNREADABLE'])
    const tried = await done('POST', `/dead-letters/${items[0].id}/retry`, { body: { input: { mended: true } } })
    expect(tried.body).toEqual({ instanceId: expect.stringMatching(/^wfi_/), created: true })
    await done('DELETE', `/dead-letters/${first.items[0].id}`)
    expect((await done('GET', '/dead-letters')).body.items).toEqual([])
  })

  it('of batches', async () => {
    const ids = [await waiting(), await waiting()]
    const request = { action: 'cancel', target: { filter: { definition: 'approval', status: 'suspended' } } }
    const preview = await done('POST', '/batch-operations', { body: { ...request, dryRun: true } })
    expect([preview.status, preview.body.count >= 2]).toEqual([200, true])
    const { status, body } = await done('POST', '/batch-operations', { body: { ...request, target: { ids } } })
    expect([status, body.action]).toEqual([202, 'cancel'])
    await expect.poll(async () => (await done('GET', `/batch-operations/${body.id}`)).body.state).toBe('done')
    expect((await done('GET', `/batch-operations/${body.id}/items`)).body.items).toHaveLength(2)
    expect((await done('GET', '/batch-operations')).body.items[0].id).toBe(body.id)
    // Written where nobody is woken for them: they rest until they are told what to do.
    const [one, two] = [2, 3].map((n) => `0199a000-0000-7000-8000-00000000000${n}`)
    const resting = { tenant: 'default', verb: 'pause', options: '{}', limit: 1, note: undefined }
    for (const id of [one!, two!])
      await postgresEngineStore(api.db).operations.create({ ...resting, id, filter: { instanceIds: [id] } })
    expect((await done('POST', `/batch-operations/bop_${one}/pause`)).body.state).toBe('paused')
    expect((await done('POST', `/batch-operations/bop_${one}/cancel`)).body.state).toBe('cancelled')
    await done('POST', `/batch-operations/bop_${two}/continue`)
    const over = await api.call('POST', `/batch-operations/${body.id}/cancel`)
    expect([over.status, over.body.code]).toEqual([409, 'OPERATION_OVER'])
  })

  it('of tasks and people', async () => {
    await done('PUT', `${D}/resizing`, { body: resizing('resizing') })
    for (const end of ['complete', 'fail'] as const) {
      const instance = (await done('POST', I, { body: { definitionId: 'resizing' } })).body.id
      const { tasks } = (await done('POST', '/tasks/claim', { body: { tasks: ['resize'], wait: '10s' } })).body
      const [{ id, lease }] = tasks
      await done('GET', '/tasks')
      await done('GET', `/tasks/${id}`)
      await done('POST', `/tasks/${id}/heartbeat`, { body: { lease } })
      await done('POST', `/tasks/${id}/progress`, { body: { lease, progress: { done: 1 } } })
      await done('POST', `/tasks/${id}/results`, { body: { lease, from: 1, parts: ['half'] } })
      const results = (await done('GET', `${I}/${instance}/results`)).body
      expect(results).toMatchObject({ next: 1, items: [{ value: 'half' }] })
      await done('POST', `/tasks/${id}/${end}`, { body: { lease, ...(end === 'fail' ? { message: 'no' } : {}) } })
      await ended(instance)
      expect((await done('GET', `${I}/${instance}/results/stream`)).body).toMatch(/event: part\n[\s\S]*event: end\n/)
    }
    await done('PUT', `${D}/asking`, { body: asking('asking') })
    for (const _ of [1, 2]) await done('POST', I, { body: { definitionId: 'asking' } })
    const open = async () => (await done('GET', '/human-tasks')).body.items
    await expect.poll(async () => (await open()).length).toBe(2)
    const [first, second] = await open()
    const page = (await done('GET', '/bookmarks?kind=human&limit=1')).body
    const rest = (await done('GET', `/bookmarks?kind=human&limit=1&cursor=${page.page.next}`)).body
    const asked = [...page.items, ...rest.items]
    expect(asked.map((each: { instanceId: string }) => each.instanceId)).toEqual(
      [first, second].map((each) => each.instanceId),
    )
    expect([rest.page.next, asked[0]]).toMatchObject([null, { kind: 'human', definitionId: 'asking', step: 'ask' }])
    const narrow = `instance=${second.instanceId}&name=${asked[1].name}`
    expect((await done('GET', `/bookmarks?${narrow}`)).body.items).toEqual([asked[1]])
    for (const other of ['kind=event', 'name=nothing', 'correlationId=nobody'])
      expect((await done('GET', `/bookmarks?instance=${second.instanceId}&${other}`)).body.items).toEqual([])
    await done('GET', `/human-tasks/${first.id}`)
    const outcome = first.outcomes?.[0]
    const handed = { ...(outcome === undefined ? {} : { outcome }), data: { why: 'because' } }
    await done('POST', `/human-tasks/${first.id}/complete`, { body: handed })
    const [wait] = (await done('GET', `${I}/${second.instanceId}`)).body.waitingFor
    await done('POST', `${I}/${second.instanceId}/bookmarks/${wait.bookmarkId}/token`)
    const { token } = (await done('POST', `/human-tasks/${second.id}/token`)).body
    await done('GET', `/resume/${token}`)
    await done('POST', `/resume/${token}`, { body: handed })
    await done('GET', '/http-endpoints')
  })

  it('of schedules', async () => {
    const document = { id: 'hourly', trigger: { cron: '0 * * * *' }, definitionId: 'approval' }
    const { headers, body } = await done('POST', '/schedules', { body: document })
    expect(body).toMatchObject({
      id: 'hourly',
      paused: false,
      owner: null,
      nextAt: expect.stringMatching(/:00:00\.000Z$/),
    })
    await done('GET', '/schedules?paused=false')
    await done('GET', '/schedules/hourly')
    await done('PUT', '/schedules/hourly', {
      body: { ...document, name: 'Each hour' },
      headers: { 'if-match': headers.etag! },
    })
    expect((await done('POST', '/schedules/hourly/pause')).body).toMatchObject({ paused: true, nextAt: null })
    expect((await done('POST', '/schedules/hourly/resume')).body.paused).toBe(false)
    const fired = (await done('POST', '/schedules/hourly/trigger', { body: { key: 'k' } })).body
    expect(fired).toMatchObject({ outcome: 'started', instanceId: expect.stringMatching(/^wfi_/), created: true })
    expect((await done('POST', '/schedules/hourly/trigger', { body: { key: 'k' } })).body).toEqual({
      ...fired,
      created: false,
    })
    const range = { from: '2026-01-01T00:00:00Z', to: '2026-01-01T03:00:00Z', overlap: 'allow' }
    expect((await done('POST', '/schedules/hourly/backfill', { body: range })).body).toMatchObject({
      started: 3,
      existing: 0,
    })
    expect((await done('GET', '/schedules/hourly/runs')).body.items).toHaveLength(4)
    expect((await done('GET', '/schedules/hourly/preview?count=3')).body.items).toHaveLength(3)
    const skipped = { ...document, trigger: { cron: '30 2 29 3 *', zone: 'Europe/Berlin' }, dst: 'skip' }
    const preview = await done('POST', '/schedules/preview?count=1&from=2026-03-01T00:00:00Z', { body: skipped })
    expect(preview.body.items[0]).toMatchObject({ status: 'dropped', dst: 'in-gap' })
    await done('POST', '/schedules/run-due')
    expect((await done('DELETE', '/schedules/hourly')).status).toBe(204)
  })

  it('of flow policies', async () => {
    await done('PUT', `${D}/held`, { body: approval('held') })
    const policy = { concurrency: { limit: 1 } }
    const { headers } = await done('PUT', '/flow-policies/held', { body: policy })
    expect((await done('GET', '/flow-policies/held')).body).toMatchObject({ policy, chosen: policy, waiting: 0 })
    expect((await done('GET', '/flow-policies')).body.items).toContainEqual(
      expect.objectContaining({ definitionId: 'held', etag: headers.etag }),
    )
    await done('DELETE', '/flow-policies/held', { headers: { 'if-match': headers.etag! } })
    expect((await done('GET', '/flow-policies/held')).body).toMatchObject({ policy: null, chosen: null })
  })

  it('of limits, breakers and progress', async () => {
    const key = encodeURIComponent('mail/eu')
    await done('PUT', `/limits/${key}`, { body: { concurrency: 2, rate: { limit: 10, per: '1m' } } })
    const limit = { key: 'mail/eu', concurrency: 2, rate: { limit: 10, perMs: 60_000 }, running: 0, waiting: 0 }
    expect((await done('GET', `/limits/${key}`)).body).toMatchObject(limit)
    expect((await done('GET', '/limits')).body.items).toMatchObject([limit])
    expect((await done('DELETE', `/limits/${key}`)).status).toBe(204)
    await done('POST', `/circuit-breakers/${key}/trip`, { body: { openFor: '1h', reason: 'upkeep' } })
    const open = { state: 'open', reason: 'upkeep' }
    expect((await done('GET', `/circuit-breakers/${key}`)).body).toMatchObject({ ...open, key: 'mail/eu' })
    expect((await done('GET', '/circuit-breakers')).body.items).toMatchObject([{ ...open, history: [open] }])
    const closed = (await done('POST', `/circuit-breakers/${key}/reset`, { body: { reason: 'done' } })).body
    expect(closed).toMatchObject({ state: 'closed', history: [{ state: 'closed', reason: 'done' }, open] })
    expect((await done('GET', `${I}/${await waiting()}/progress`)).body).toEqual({ items: [] })
  })

  it('of the lock lab', async () => {
    expect((await done('GET', '/lock-lab')).body).toMatchObject({ offered: true, tracks: 8 })
    const ask = { track: 1, worker: 'A', ttlMs: 10_000, waitMs: 0 }
    const { outcome, fence, token } = (await done('POST', '/lock-lab/acquire', { body: ask })).body
    expect(outcome).toBe('granted')
    const held = { track: 1, ttlMs: 10_000, fence, token }
    expect((await done('POST', '/lock-lab/renew', { body: held })).body).toEqual({ outcome: 'renewed' })
    const written = { outcome: 'written', seen: null }
    expect((await done('POST', '/lock-lab/write', { body: { track: 1, fence } })).body).toEqual(written)
    expect((await done('POST', '/lock-lab/release', { body: held })).body).toEqual({ outcome: 'released' })
  })

  it('of locks and nodes', async () => {
    await using _lease = await api.locks.mutex('orders/42').acquire()
    const key = encodeURIComponent('orders/42')
    expect((await done('GET', '/locks?prefix=orders')).body.items).toMatchObject([
      { key: 'orders/42', state: 'held', holder: { name: 'test' } },
    ])
    expect((await done('GET', `/locks/${key}`)).body).toMatchObject({
      held: [{ share: 'mutex' }],
      history: [{ kind: 'granted' }],
    })
    expect((await done('POST', `/locks/${key}/release`, { body: { reason: 'stuck' } })).body).toMatchObject({
      released: 1,
    })
    expect((await done('GET', '/cluster/nodes')).body.items).toMatchObject([{ self: true, state: 'alive' }])
  })

  it('of the cluster', async () => {
    const [{ id }] = (await done('GET', '/cluster/nodes')).body.items
    const roles = ['api', 'worker', 'scheduler']
    expect((await done('GET', `/cluster/nodes/${id}`)).body).toMatchObject({ id, roles, wanted: 'active' })
    expect((await done('POST', `/cluster/nodes/${id}/cordon`)).body).toMatchObject({ id, wanted: 'cordoned' })
    expect((await done('POST', `/cluster/nodes/${id}/drain`)).body).toMatchObject({ id, wanted: 'drained' })
    const stateOf = async () => (await done('GET', `/cluster/nodes/${id}`)).body.state
    await expect.poll(stateOf).toBe('drained')
    await done('POST', `/cluster/nodes/${id}/uncordon`)
    await expect.poll(stateOf).toBe('alive')
    // Told in the order of commits: only when no older transaction runs on that server, in whichever database.
    const told = async () => (await done('GET', '/cluster/events')).body.items
    const kinds = async () => (await told()).map(({ kind }: { kind: string }) => kind)
    await expect.poll(kinds).toEqual(['joined', 'lock-broken', 'cordoned', 'draining', 'drained', 'uncordoned'])
    const [first, ...others] = await told()
    expect(first).toMatchObject({ kind: 'joined', nodeId: id, detail: { roles } })
    const rest = await done('GET', `/cluster/events?after=${others[0].position}&limit=1`)
    expect(rest.body).toEqual({ items: [others[1]], after: others[1].position })
    const campaign = new AbortController()
    const leads = api.locks.election('report').campaign({ signal: campaign.signal, onElected: () => {} })
    await expect
      .poll(async () => (await done('GET', '/cluster/leaders')).body.items)
      .toMatchObject([{ election: 'report', name: 'test', term: expect.stringMatching(/^\d+$/), standby: 0 }])
    campaign.abort()
    await leads
    for (const verb of ['pause', 'continue', 'kill', 'revive'])
      expect((await done('POST', `/cluster/nodes/node-2/${verb}`)).body.name).toBe('node-2')
    const unknown = await api.call('POST', '/cluster/nodes/nod_7/drain')
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NODE_NOT_FOUND'])
  })

  it('of queues, contention and figures', async () => {
    expect((await done('GET', '/queues')).body.items).toEqual(expect.any(Array))
    await using _lease = await api.locks.mutex('orders/43').acquire()
    expect((await done('GET', '/lock-contention')).body).toMatchObject({
      ...{ keys: [], deadlocks: [], truncated: false },
      graph: { parties: [], holds: [], waits: [], left: 0 },
      patterns: expect.arrayContaining([expect.objectContaining({ pattern: 'orders/*' })]),
    })
    expect((await done('GET', '/metrics/query?range=15m')).body).toMatchObject({
      range: '15m',
      scope: 'cluster',
      nodeId: expect.any(String),
    })
    expect((await done('GET', '/metrics/query?range=30d&scope=node')).body).toMatchObject({ scope: 'node' })
    for (const by of ['definition', 'node'])
      expect((await done('GET', `/metrics/split?by=${by}&range=15m`)).body).toMatchObject({ by, range: '15m' })
    const dashboard = (await done('GET', '/metrics/dashboard')).body
    expect([dashboard.uid, dashboard.panels.length > 20]).toEqual(['lockstep', true])
  })

  it('of caches', async () => {
    const names = (await done('GET', '/caches')).body.items.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['definitions', 'instances', 'published-versions'])
    for (const verb of ['clear', 'invalidate'])
      expect((await done('POST', `/caches/definitions/${verb}`)).body).toMatchObject({ name: 'definitions', size: 0 })
  })

  it('of secrets', async () => {
    expect((await done('PUT', '/secrets/a-token', { body: { value: 'long enough' } })).body).toMatchObject({
      revision: 1,
    })
    expect((await done('GET', '/secrets')).body.items).toMatchObject([{ name: 'a-token', updatedBy: 'anonymous' }])
    expect((await done('POST', '/secrets/rotate')).body).toMatchObject({ resealed: 0, unreadable: [], next: null })
    await done('DELETE', '/secrets/a-token')
  })

  it('of upkeep', async () => {
    expect((await done('GET', '/doctor')).body).toMatchObject({ healthy: true, next: null })
    expect((await done('GET', '/doctor/checks')).body.checks.length).toBeGreaterThan(2)
    await done('POST', '/doctor', { body: { lookAt: 10 } })
    await done('PUT', '/retention/rules', { body: { status: 'completed', keep: '30d' } })
    await done('PUT', '/retention/holds', { body: { definitionId: 'sums', reason: 'audit' } })
    expect((await done('GET', '/retention/rules')).body.items).toMatchObject([
      { kind: 'keep', status: 'completed', keepMs: 30 * 86_400_000, definitionId: null },
      { kind: 'hold', definitionId: 'sums', reason: 'audit' },
    ])
    await done('DELETE', '/retention/rules?status=completed')
    await done('DELETE', '/retention/holds?definitionId=sums')
    expect((await done('GET', '/retention/rules')).body.items).toEqual([])
    expect((await done('POST', '/retention/sweep')).body.ended).toBe('done')
  })

  it('of settings', async () => {
    const { body, headers } = await done('GET', '/settings')
    expect(body).toMatchObject({ items: [], clusterName: 'lockstep', nodeId: expect.stringMatching(/^nod_/) })
    const again = await api.call('GET', '/settings', { headers: { 'if-none-match': headers.etag! } })
    expect(again.status).toBe(304)
  })

  it('was called', () => {
    expect(apiRoutes.map((route) => route.name).filter((name) => !api.described.called.has(name))).toEqual([])
  })
})

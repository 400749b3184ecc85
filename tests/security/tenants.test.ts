import { statement } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiRoutes } from '../../packages/server/src/routes/index.ts'
import { openSecuredApi, type SecuredApi, untilLimited } from './open-secured-api.ts'
import { furnish, type TenantWorld, type WorldId } from './tenant-world.ts'

let api: SecuredApi
let acme: TenantWorld
/** Another tenant, which has nothing. */
let stranger: string
beforeAll(async () => {
  api = await openSecuredApi()
  acme = await furnish(api, 'acme')
  stranger = await api.keyOf('admin', { tenant: 'globex' })
})
afterAll(() => api[Symbol.asyncDispose]())

/** For each route with an id: whose id it is, and a body that would do were it one's own. */
const foreign: Readonly<Record<string, readonly [WorldId, body?: object]>> = {
  getWorkflowDefinition: ['definition'],
  getWorkflowDraft: ['definition'],
  publishWorkflowDefinition: ['definition'],
  discardWorkflowDraft: ['definition'],
  retractWorkflowDefinition: ['definition'],
  listWorkflowVersions: ['definition'],
  getWorkflowVersion: ['definition'],
  republishWorkflowVersion: ['definition'],
  diffWorkflowDefinition: ['definition'],
  listWorkflowConsumers: ['definition'],
  exportWorkflowDefinition: ['definition'],
  forecastWorkflowMigration: ['definition', { from: 1, to: 2 }],
  getFlowPolicy: ['definition'],
  setFlowPolicy: ['definition', { concurrency: { limit: 1 } }],
  deleteFlowPolicy: ['definition'],
  getWorkflowInstance: ['instance'],
  readWorkflowJournal: ['instance'],
  getWorkflowInstanceTimeline: ['instance'],
  deleteWorkflowInstance: ['instance'],
  getWorkflowInstanceState: ['instance'],
  whyWorkflowInstance: ['instance'],
  listWorkflowInstanceCompensations: ['instance'],
  getWorkflowInstanceProgress: ['instance'],
  getWorkflowInstanceResults: ['instance'],
  streamWorkflowInstanceResults: ['instance'],
  resumeWorkflowInstance: ['instance', { bookmark: 'approved' }],
  cancelWorkflowInstance: ['instance'],
  terminateWorkflowInstance: ['instance', { reason: 'x' }],
  pauseWorkflowInstance: ['instance'],
  continueWorkflowInstance: ['instance'],
  retryWorkflowInstance: ['instance'],
  forkWorkflowInstance: ['instance', { at: 1 }],
  migrateWorkflowInstance: ['instance', { version: 1 }],
  setWorkflowInstanceVariables: ['instance', { variables: { a: 1 } }],
  getBatchOperation: ['operation'],
  listBatchOperationItems: ['operation'],
  cancelBatchOperation: ['operation'],
  pauseBatchOperation: ['operation'],
  continueBatchOperation: ['operation'],
  getDeadLetter: ['deadLetter'],
  retryDeadLetter: ['deadLetter', { input: 1 }],
  discardDeadLetter: ['deadLetter'],
  getIncident: ['incident'],
  resolveIncident: ['incident', { note: 'x' }],
  tendIncidents: ['fingerprint', { acknowledged: true }],
  getTask: ['task'],
  heartbeatTask: ['task', { lease: 1 }],
  reportTaskProgress: ['task', { lease: 1, progress: { done: 1 } }],
  emitTaskResults: ['task', { lease: 1, from: 1, parts: [1] }],
  completeTask: ['task', { lease: 1 }],
  failTask: ['task', { lease: 1, message: 'x' }],
  getHumanTask: ['humanTask'],
  completeHumanTask: ['humanTask', { data: {} }],
  issueHumanTaskToken: ['humanTask'],
  issueBookmarkToken: ['instance'],
  listWorkflowInstanceActivities: ['instance'],
  listWorkflowInstanceForks: ['instance'],
  listTestRunActivities: ['testRun'],
  getSchedule: ['schedule'],
  deleteSchedule: ['schedule'],
  pauseSchedule: ['schedule'],
  resumeSchedule: ['schedule'],
  triggerSchedule: ['schedule', { key: 'k' }],
  backfillSchedule: ['schedule', { from: '2026-01-01T00:00:00Z', to: '2026-01-01T05:00:00Z' }],
  previewSchedule: ['schedule'],
  listScheduleRuns: ['schedule'],
  revokeApiKey: ['apiKey'],
  changeUser: ['user', { disabled: true }],
  deleteUser: ['user'],
  deleteSecret: ['secret'],
  startTestRun: ['definition'],
  getTestRun: ['testRun'],
  readTestRunJournal: ['testRun'],
  getTestRunState: ['testRun'],
  resumeTestRun: ['testRun', { bookmark: 'approved' }],
  cancelTestRun: ['testRun'],
  getWorkflowInstanceScope: ['instance'],
  evaluateExpression: ['instance', { expression: '1' }],
}

/** Routes whose id is a name that every tenant may use for itself, or that belongs to nobody. Below, they see none of the other's. */
const ownNames = new Set([
  'setSecret',
  ...['saveAndPublishWorkflowDefinition', 'saveWorkflowDraft', 'saveSchedule', 'getLimit', 'setLimit', 'deleteLimit'],
  ...[
    'getCircuitBreaker',
    'resetCircuitBreaker',
    'tripCircuitBreaker',
    'getActivityType',
    'showResumeToken',
    'useResumeToken',
  ],
])

const everything = statement<undefined, { facts: string }>(
  'test_all_of_acme',
  () => [],
  `select concat_ws(' ',
     (select json_agg(row(d.id, d.revision, d.published) order by d.id) from definition d where tenant = 'acme'),
     (select json_agg(row(i.id, i.status) order by i.id) from instance i where tenant = 'acme'),
     (select count(*) from inbox), (select json_agg(row(s.id, s.revision, s.paused) order by s.id) from schedule s where tenant = 'acme'),
     (select count(*) from incident_care),
     (select json_agg(row(k.id, k.revoked_at)) from api_key k where tenant = 'acme'),
     (select json_agg(row(s.name, s.revision)) from secret s where tenant = 'acme'),
     (select json_agg(row(u.name, u.disabled, u.role)) from local_user u where tenant = 'acme')) as facts`,
)

describe('what belongs to another tenant', () => {
  const named = apiRoutes.filter((route) => route.path.includes(':id') && route.reach !== 'cluster')

  it('is asked for in this table through every route there is', () => {
    const names = named.map(({ name }) => name)
    expect(names.filter((name) => foreign[name] === undefined && !ownNames.has(name))).toEqual([])
    expect([...Object.keys(foreign), ...ownNames].filter((name) => !names.includes(name))).toEqual([])
  })

  it.each(named.filter(({ name }) => foreign[name] !== undefined).map((route) => [route.name, route] as const))(
    'is not there: %s',
    async (name, { method, path }) => {
      const [kind, body] = foreign[name]!
      const before = await api.db.one(everything)
      const ids = { ':id': acme.ids[kind], ':version': '1', ':bookmarkId': acme.ids.bookmark }
      const target = path.replaceAll(/:\w+/g, (each) => encodeURIComponent(ids[each as keyof typeof ids]))
      const query =
        name === 'diffWorkflowDefinition' ? '?from=1&to=1' : /InstanceState$|TestRunState$/.test(name) ? '?at=1' : ''
      const headers = { 'if-match': '*' }
      const answer = await api.send({
        ...{ method, path: `${target}${query}`, as: stranger, headers },
        ...(body === undefined ? {} : { body }),
      })
      expect([answer.status, answer.body.code]).toEqual([404, expect.stringMatching(/NOT_FOUND$/)])
      expect(await api.db.one(everything)).toEqual(before)
      const ghost = await api.send({ method: 'GET', path: `/workflow-instances/${acme.ids.instance}`, as: acme.key })
      expect(ghost.status).toBe(200)
    },
  )

  it('is in no list', async () => {
    const lists = apiRoutes.filter(
      ({ method, path, reach, stream, name }) =>
        method === 'GET' && !path.includes(':') && reach !== 'cluster' && stream !== true && name.startsWith('list'),
    )
    expect(lists.length).toBeGreaterThan(12)
    for (const { path, name } of lists) {
      if (name === 'listActivityTypes') continue
      const { status, body } = await api.send({ path, as: stranger })
      expect([name, status]).toEqual([name, 200])
      const tenants = body.items.map((each: { tenant?: string }) => each.tenant)
      if (name === 'listAuditLog') expect(new Set(tenants)).toEqual(new Set(['globex']))
      else if (name === 'listApiKeys') expect(tenants).toEqual(['globex'])
      else expect([name, body.items]).toEqual([name, []])
    }
    const groups = await api.send({ path: '/incidents/groups', as: stranger })
    expect(groups.body.items).toEqual([])
  })

  it('is not touched by things of the same name', async () => {
    const put = (path: string, body: object) => api.send({ method: 'PUT', path, as: stranger, body })
    const before = await api.db.one(everything)
    expect((await api.send({ path: '/limits/mail', as: stranger })).status).toBe(404)
    expect((await put('/limits/mail', { concurrency: 9 })).status).toBe(200)
    expect((await api.send({ path: '/limits/mail', as: acme.key })).body.concurrency).toBe(2)
    expect((await api.send({ path: '/circuit-breakers/mail', as: stranger })).status).toBe(404)
    const document = { id: 'shared', activities: [{ id: 'a', type: 'log', inputs: { message: 'mine' } }] }
    expect((await put('/workflow-definitions/shared', document)).body.version).toBe(1)
    expect(
      (await put('/schedules/nightly', { id: 'nightly', trigger: { every: '1h' }, definitionId: 'shared' })).status,
    ).toBeLessThan(500)
    expect(await api.db.one(everything)).toEqual(before)
    const started = await api.send({
      method: 'POST',
      path: '/workflow-instances',
      as: stranger,
      body: { definitionId: 'shared', wait: '30s' },
    })
    expect(started.body).toMatchObject({ tenant: 'globex', status: 'completed' })
  })

  it('does not hear events of another, nor answer to batches', async () => {
    const event = { method: 'POST', path: '/events', as: stranger, body: { name: 'approved' } } as const
    expect((await api.send(event)).body).toMatchObject({ matched: 0 })
    const target = { ids: [acme.ids.instance] }
    const batch = await api.send({
      method: 'POST',
      path: '/batch-operations',
      as: stranger,
      body: { action: 'cancel', target },
    })
    if (batch.status < 400)
      await expect
        .poll(async () => (await api.send({ path: `/batch-operations/${batch.body.id}`, as: stranger })).body.state, {
          timeout: 60_000,
        })
        .toBe('done')
    expect((await api.send({ path: `/workflow-instances/${acme.ids.instance}`, as: acme.key })).body.status).toBe(
      'suspended',
    )
  })

  it('cannot be named by a request: not in a header, a query or a body', async () => {
    const headers = { 'x-tenant': 'acme', 'x-lockstep-tenant': 'acme', tenant: 'acme' }
    expect((await api.send({ path: `/workflow-instances/${acme.ids.instance}`, as: stranger, headers })).status).toBe(
      404,
    )
    expect((await api.send({ path: '/workflow-instances?tenant=acme', as: stranger })).status).toBe(400)
    const body = { definitionId: 'flaky', tenant: 'acme' }
    expect((await api.send({ method: 'POST', path: '/workflow-instances', as: stranger, body })).status).toBe(400)
  })

  it('and what is of the whole cluster, is for the default tenant alone', async () => {
    for (const { method, path } of apiRoutes.filter(({ reach }) => reach === 'cluster')) {
      const answer = await api.send({ method, path: path.replaceAll(/:\w+/g, 'x'), as: stranger })
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, 'FORBIDDEN'])
    }
  })

  it('a token of a bookmark resumes its instance once, and stands for that one alone', async () => {
    const at = (instance: string) => `/workflow-instances/${instance}/bookmarks/${acme.ids.bookmark}/token`
    const { instance, humanTask } = acme.ids
    const elsewhere = (await api.send({ path: `/human-tasks/${humanTask}`, as: acme.key })).body.instanceId
    const wrong = await api.send({ method: 'POST', path: at(elsewhere), as: acme.key })
    expect([wrong.status, wrong.body.code]).toEqual([404, 'BOOKMARK_NOT_FOUND'])
    const viewer = await api.keyOf('viewer', { tenant: 'acme' })
    expect((await api.send({ method: 'POST', path: at(instance), as: viewer })).status).toBe(403)
    const issue = { method: 'POST', path: at(instance), as: acme.key, body: { ttl: '1h' } } as const
    for (const ttl of ['0s', '367d', '9999d']) {
      const refused = await api.send({ ...issue, body: { ttl } })
      expect([refused.status, refused.body.errors?.[0].field]).toEqual([400, '/ttl'])
    }
    const { status, body, headers } = await api.send({ ...issue, headers: { host: '127.0.0.1:4400' } })
    expect([status, headers['cache-control']]).toEqual([201, 'no-store'])
    expect(body.url).toBe(`http://127.0.0.1:4400/resume/${body.token}`)
    expect((await api.send({ ...issue, headers: { host: 'elsewhere.example' } })).body.url).toBeNull()
    const use = { method: 'POST', path: `/resume/${body.token}`, body: { data: { by: 'ann' } } } as const
    expect((await api.send(use)).body).toEqual({ outcome: 'done' })
    const after = async () => (await api.send({ path: `/workflow-instances/${instance}`, as: acme.key })).body
    await expect.poll(async () => (await after()).waitingFor, { timeout: 30_000 }).toEqual([])
    expect((await api.send(use)).body.code).toBe('TOKEN_NOT_FOUND')
    expect((await api.send(issue)).body.code).toBe('BOOKMARK_NOT_FOUND')
  })

  it('a resume token opens for whoever holds it, in the tenant that it was made in', async () => {
    const issue = { method: 'POST', path: `/human-tasks/${acme.ids.humanTask}/token`, as: acme.key } as const
    const { token } = (await api.send(issue)).body
    expect((await api.send({ path: `/resume/${token}` })).body).toMatchObject({ kind: 'human', title: 'Approve?' })
    const wrong = (await api.send({ path: `/resume/${token.slice(0, -1)}_` })).body
    expect(wrong.code).toBe('TOKEN_NOT_FOUND')
    const used = await api.send({ method: 'POST', path: `/resume/${token}`, body: { data: { why: 'yes' } } })
    expect([used.status, used.body]).toEqual([200, { outcome: 'done' }])
    const last = await untilLimited(
      () => api.send({ path: `/resume/rt_${'x'.repeat(43)}` }),
      ({ status }) => status,
    )
    expect(last.body.code).toBe('RATE_LIMITED')
  })
})

/** Who fires schedules: one that is elected, or nobody until somebody asks. */
import { expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'
import { ClusterSite, PATIENCE_MS, type SiteNode } from './membership-site.ts'

const tick = { id: 'tick', activities: [{ id: 'log', type: 'log', inputs: { message: 'tick' } }] }
/** A term is 20 heartbeats long: much longer than it takes to bury a node. */
const leading = { LOCKSTEP_SCHEDULER: 'leader', LOCKSTEP_HEARTBEAT_MS: '1500', LOCKSTEP_NODE_TTL_MS: '6000' }

const firedBy = async (site: ClusterSite): Promise<string[]> =>
  (await site.rows<{ node: string }>('select distinct node_id as node from schedule_run')).map(
    ({ node }) => `nod_${node}`,
  )

const leaderOf = async (node: SiteNode): Promise<string | undefined> =>
  (await node.api('GET', '/cluster/leaders')).items.find(
    ({ election }: { election: string }) => election === 'scheduler',
  )?.name

it('one node is elected and fires, another takes over when it is killed', { timeout: 4 * PATIENCE_MS }, async () => {
  await using site = await ClusterSite.open()
  const nodes = [await site.node('a', leading), await site.node('b', leading)]
  const [a] = nodes
  await a!.publish(tick)
  const often = { id: 'often', trigger: { interval: '1s' }, definitionId: 'tick', overlap: 'allow' }
  await a!.api('POST', '/schedules', often)
  const runs = async (): Promise<number> => (await site.rows('select 1 from schedule_run')).length
  await until('it has fired a few times', async () => (await runs()) >= 3, PATIENCE_MS)
  const name = await leaderOf(a!)
  const leader = nodes.find((node) => node.name === name)!
  const other = nodes.find((node) => node !== leader)!
  const { id } = await other.node(leader.name)
  expect(await firedBy(site)).toEqual([id])

  await leader.process.end('SIGKILL')
  const [term] = await site.rows<{ end: string }>(
    `select expires_at::text as end from lease_lock where name = 'election:scheduler'`,
  )
  await until('the other leads', async () => (await leaderOf(other)) === other.name, PATIENCE_MS)
  const successor = (await other.node(other.name)).id
  await until('the other fires', async () => (await firedBy(site)).includes(successor), PATIENCE_MS)
  expect((await firedBy(site)).sort()).toEqual([id, successor].sort())
  const [{ keys, all }] = (await site.rows<{ keys: number; all: number }>(
    'select count(distinct key)::int4 as keys, count(*)::int4 as all from schedule_run',
  )) as [{ keys: number; all: number }]
  expect(keys).toBe(all)
  let elected: { readonly name: string; readonly detail: { readonly term: string } }[] = []
  const seen = async (): Promise<boolean> => {
    elected = await site.rows(`select name, detail from cluster_event where kind = 'elected' order by pos`)
    return elected.length > 1
  }
  await until('both elections are told', seen, PATIENCE_MS)
  expect(elected.map((each) => each.name)).toEqual([leader.name, other.name])
  expect(BigInt(elected[1]!.detail.term) > BigInt(elected[0]!.detail.term)).toBe(true)
  // Whoever buried the leader has deposed it: its term did not have to run out first.
  const early = await site.rows(
    `select 1 from cluster_event where kind = 'elected' and name = $1 and at < $2::timestamptz`,
    other.name,
    term!.end,
  )
  expect(early).toHaveLength(1)

  // A drained leader resigns: nobody else is there to fire.
  await other.api('POST', `/cluster/nodes/${successor}/drain`)
  await until('nobody leads', async () => (await leaderOf(other)) === undefined, PATIENCE_MS)
})

it('with the scheduler off only who asks fires what is due, once', { timeout: 3 * PATIENCE_MS }, async () => {
  await using site = await ClusterSite.open()
  const off = { LOCKSTEP_SCHEDULER: 'off' }
  const [a, b] = [await site.node('a', off), await site.node('b', off)]
  await a.publish(tick)
  const [{ at }] = (await site.rows<{ at: string }>(
    `select to_char(clock_timestamp() + interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as at`,
  )) as [{ at: string }]
  await a.api('POST', '/schedules', { id: 'once', trigger: { at }, definitionId: 'tick' })
  await until(
    'it is due',
    async () => (await site.rows('select 1 from schedule where due_at < clock_timestamp()')).length === 1,
    PATIENCE_MS,
  )
  expect(await site.rows('select 1 from schedule_run')).toEqual([])
  const asked = await Promise.all([a, b, a, b].map((node) => node.api('POST', '/schedules/run-due')))
  const again = await a.api('POST', '/schedules/run-due')
  expect([...asked, again].reduce((sum, { started }) => sum + started, 0)).toBe(1)
  const [{ instance }] = (await site.rows<{ instance: string }>(
    'select instance_id as instance from schedule_run',
  )) as [{ instance: string }]
  expect(await b.ended(`wfi_${instance}`)).toMatchObject({ status: 'completed' })
})

it('a key that may only do this fires what is due, on servers that ask for keys', {
  timeout: 3 * PATIENCE_MS,
}, async () => {
  await using site = await ClusterSite.open()
  const bootstrap = 'a-bootstrap-key-of-more-than-thirty-two-characters'
  const secured = { LOCKSTEP_SCHEDULER: 'off', LOCKSTEP_AUTH: 'keys', LOCKSTEP_API_KEY: bootstrap }
  const [a, b] = [await site.node('a', secured), await site.node('b', secured)]
  const as = async (key: string | undefined, node: SiteNode, method: string, where: string, body?: object) => {
    const headers = {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const given = body === undefined ? {} : { body: JSON.stringify(body) }
    const response = await fetch(`${node.url}/api/v1${where}`, { method, headers, ...given })
    return { status: response.status, body: await response.json() }
  }
  expect((await as(bootstrap, a, 'PUT', '/workflow-definitions/tick', tick)).status).toBe(201)
  const soon = { id: 'soon', trigger: { interval: '1s' }, definitionId: 'tick' }
  expect((await as(bootstrap, a, 'POST', '/schedules', soon)).status).toBe(201)
  // As the documentation has it.
  const create = ['keys', 'create', 'clock', '--role', 'operator', '--permission', 'schedules:operate']
  await using command = new LockstepProcess([...create, '--url', a.url, '--json'], {
    cwd: site.folder,
    env: { LOCKSTEP_API_KEY: bootstrap },
  })
  const { code, output } = await command.finished()
  expect(code, output).toBe(0)
  const { key } = JSON.parse(output)

  await until(
    'it is due',
    async () => (await site.rows('select 1 from schedule where due_at < clock_timestamp()')).length === 1,
    PATIENCE_MS,
  )
  const asked = await Promise.all([a, b, a, b].map((node) => as(key, node, 'POST', '/schedules/run-due')))
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  const started = asked.reduce((sum, { body }) => sum + body.started, 0)
  expect(started).toBeGreaterThan(0)
  expect(await site.rows('select 1 from schedule_run where instance_id is not null')).toHaveLength(started)
  // It may do this, and nothing else; and nobody may without a key.
  expect((await as(undefined, a, 'POST', '/schedules/run-due')).status).toBe(401)
  const refused = await as(key, a, 'POST', '/workflow-instances', { definitionId: 'tick' })
  expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN'])
  expect((await as(key, b, 'GET', '/workflow-instances')).status).toBe(403)
})

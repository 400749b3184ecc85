/** Who fires schedules: one that is elected, or nobody until somebody asks. */
import { expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { ClusterSite, PATIENCE_MS, type SiteNode } from './membership-site.ts'

const tick = { id: 'tick', activities: [{ id: 'log', type: 'log', inputs: { message: 'tick' } }] }
const leading = { LOCKSTEP_SCHEDULER: 'leader' }

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

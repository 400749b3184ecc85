/** Each node does what its roles say, and nothing else. */
import { expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { ClusterSite, PATIENCE_MS } from './membership-site.ts'

const greet = {
  id: 'greet',
  activities: [{ id: 'out', type: 'set-output', inputs: { name: 'said', value: 'hello' } }],
}

it('a node answers, runs or fires as its roles say', { timeout: 4 * PATIENCE_MS }, async () => {
  await using site = await ClusterSite.open()
  const front = await site.node('front', { LOCKSTEP_ROLES: 'api' })
  await front.publish(greet)
  await front.api('POST', '/schedules', {
    ...{ id: 'often', trigger: { interval: '1s' }, definitionId: 'greet', overlap: 'allow' },
  })
  const early = await front.start('greet')
  expect((await front.api('GET', `/workflow-instances/${early}`)).nodeId).toBeNull()

  // A worker takes what was started, and serves nothing but health.
  const worker = await site.node('worker', { LOCKSTEP_ROLES: 'worker' })
  expect(await front.ended(early)).toMatchObject({ status: 'completed', output: { said: 'hello' } })
  const waited = await front.api('POST', '/workflow-instances', { definitionId: 'greet', wait: '60s' })
  expect(waited).toMatchObject({ status: 'completed', output: { said: 'hello' } })
  expect((await worker.ask('GET', '/api/v1/cluster/nodes')).status).toBe(404)
  expect((await worker.ask('GET', '/health/ready')).status).toBe(200)

  // Nothing has fired, although it has been due for a while; then one comes that fires.
  expect(await site.rows('select 1 from schedule_run')).toEqual([])
  await site.node('clock', { LOCKSTEP_ROLES: 'scheduler' })
  await until(
    'it has fired, and what it started has run',
    async () => (await site.rows('select 1 from schedule_run where ended_at is not null')).length > 1,
    PATIENCE_MS,
  )
  const { items } = await front.api('GET', '/cluster/nodes')
  const told = async () =>
    (await front.api('GET', '/cluster/nodes')).items.map(
      ({ name, roles, state, capacity }: Record<string, unknown>) => ({ name, roles, state, capacity }),
    )
  await expect.poll(told, { timeout: PATIENCE_MS }).toEqual([
    { name: 'clock', roles: ['scheduler'], state: 'alive', capacity: 0 },
    { name: 'front', roles: ['api'], state: 'alive', capacity: 0 },
    { name: 'worker', roles: ['worker'], state: 'alive', capacity: 500 },
  ])
  const idOf = (name: string): string => items.find((each: { name: string }) => each.name === name).id
  const fired = await site.rows<{ node: string }>('select distinct node_id as node from schedule_run')
  expect(fired.map(({ node }) => `nod_${node}`)).toEqual([idOf('clock')])
  const ran = await site.rows<{ node: string }>(
    `select distinct node_id as node from journal where kind <> 'started' and seq > 1`,
  )
  expect(ran.map(({ node }) => `nod_${node}`)).toEqual([idOf('worker')])
})

it('a role that is unknown is refused by its name', async () => {
  await using site = await ClusterSite.open()
  await expect(site.node('odd', { LOCKSTEP_ROLES: 'api,boss' })).rejects.toThrow(
    /"roles" must be one or more of api, worker, scheduler.*"boss".*INVALID_OPTION/s,
  )
})

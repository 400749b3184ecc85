import { silentLogger } from '@lockstep/base'
import { postgresAccess } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { devVerbs } from '../src/dev-cluster/dev-control.ts'
import { openHttpServer } from '../src/index.ts'
import { devSupervisor } from './dev-supervisor.ts'
import { openTestApi, type TestApi } from './open-test-api.ts'

const supervisor = devSupervisor('node-1', 'node-2', 'node-3')
let api: TestApi
let plain: TestApi
beforeAll(async () => {
  api = await openTestApi({ engine: { name: 'node-1' }, devControl: supervisor.control })
  plain = await openTestApi({ engine: { name: 'node-1' } })
})
afterAll(async () => {
  expect([...api.failures, ...plain.failures]).toEqual([])
  await api.close()
  await plain.close()
})

const order = async (verb: string, node: string, on = api) => {
  const { status, body } = await on.call('POST', `/cluster/nodes/${node}/${verb}`)
  return [status, body.code ?? body.state]
}
const stateOf = async (name: string): Promise<string> =>
  (await api.call('GET', '/cluster/nodes')).body.processes.find((each: { name: string }) => each.name === name).state

describe('a node of a dev cluster', () => {
  it('has another one killed and revived, and says how all stand', async () => {
    expect(await order('kill', 'node-2')).toEqual([202, 'dead'])
    expect(await stateOf('node-2')).toBe('dead')
    expect(await order('revive', 'node-2')).toEqual([202, 'starting'])
    supervisor.states.set('node-2', 'running')
    expect(supervisor.orders.splice(0)).toEqual(['kill node-2', 'revive node-2'])
  })

  it('has another one frozen and let go on', async () => {
    expect(await order('pause', 'node-3')).toEqual([202, 'paused'])
    expect(await stateOf('node-3')).toBe('paused')
    expect(await order('continue', 'node-3')).toEqual([202, 'running'])
    supervisor.orders.splice(0)
  })

  it.each([
    ...[['kill', 'dead'] as const, ['pause', 'dead'] as const, ['pause', 'paused'] as const],
    ...[['continue', 'running'] as const, ['revive', 'running'] as const, ['revive', 'paused'] as const],
  ])('does not %s one that is %s', async (verb, state) => {
    supervisor.states.set('node-2', state)
    const refused = await api.call('POST', `/cluster/nodes/node-2/${verb}`)
    expect([refused.status, refused.body.code]).toEqual([409, 'NODE_WRONG_STATE'])
    expect(refused.body.detail).toMatch(`node-2 is ${state}: it cannot`)
    supervisor.states.set('node-2', 'running')
    expect(supervisor.orders).toEqual([])
  })

  it('knows a node by its id as well, and none that is not there', async () => {
    const { items } = (await api.call('GET', '/cluster/nodes')).body
    expect(items).toMatchObject([{ name: 'node-1', self: true }])
    expect(await order('revive', items[0].id)).toEqual([409, 'NODE_WRONG_STATE'])
    expect(await order('kill', 'node-9')).toEqual([404, 'NODE_NOT_FOUND'])
    expect(await order('kill', 'nod_00000000-0000-7000-8000-000000000000')).toEqual([404, 'NODE_NOT_FOUND'])
    expect(supervisor.orders).toEqual([])
  })

  it('answers before it is killed itself, once, with its entry in the audit log', async () => {
    const told: unknown[] = []
    const own = devSupervisor('node-1', 'node-2')
    const server = await openHttpServer({
      ...{ host: '127.0.0.1', port: 0, basePath: '', engine: api.engine, ...api.ports, logger: silentLogger },
      health: { started: () => true, ready: async () => [] },
      access: { auth: 'none', store: postgresAccess(api.db), secret: 'of a test', passwordCost: 10 },
      devControl: {
        ...own.control,
        order: async (verb, name) => {
          const [newest] = (await api.call('GET', '/audit-log')).body.items
          told.push(newest)
          return own.control.order(verb, name)
        },
      },
    })
    const kill = () =>
      fetch(`${server.url}/api/v1/cluster/nodes/node-1/kill`, {
        method: 'POST',
        headers: { 'idempotency-key': 'only-once' },
      })
    const first = await kill()
    expect([first.status, await first.json()]).toEqual([202, expect.objectContaining({ name: 'node-1' })])
    await expect.poll(() => own.orders).toEqual(['kill node-1'])
    expect(told).toMatchObject([{ operation: 'killNode', target: 'node-1', outcome: 'done', status: 202 }])
    const again = await kill()
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true'])
    await server.close()
    expect(own.orders).toEqual(['kill node-1'])
  })
})

describe('any other node', () => {
  it.each(devVerbs)('does not %s', async (verb) => {
    expect(await order(verb, 'node-1', plain)).toEqual([409, 'NOT_DEV_CLUSTER'])
    expect((await plain.call('GET', '/cluster/nodes')).body.processes).toEqual([])
  })

  it('is also one whose supervisor has gone', async () => {
    supervisor.leave()
    expect(await order('kill', 'node-2')).toEqual([409, 'NOT_DEV_CLUSTER'])
    expect((await api.call('GET', '/cluster/nodes')).body.processes).toEqual([])
  })
})

import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { cloneDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { LockstepProcess } from '../start/run-lockstep.ts'

type Line = Readonly<Record<string, unknown>> & { readonly msg: string }

const page = readFileSync(new URL('../../docs/how-to/logs.md', import.meta.url), 'utf8')
const [, table = ''] = page.split('## Messages of a cluster')
/** Area and level of each message, as the page says. */
const documented = new Map(
  [...table.matchAll(/^\| `([^`]+)` \| `[^|]+ \| `(\w+)` \| (\w+) \|/gm)].map(([, msg, area, level]) => [
    msg!,
    { area: area!, level: level! },
  ]),
)

/** Waits for one event, then for a moment; then for a lock that another one may hold, which is not waited for. */
const order = {
  id: 'order',
  activities: [
    { id: 'paid', type: 'wait-for-event', inputs: { event: 'paid' } },
    { id: 'rest', type: 'delay', inputs: { duration: '50ms' } },
    {
      id: 'stock',
      type: 'critical-section',
      inputs: { lock: 'stock', waitTimeout: '100ms' },
      body: { activities: [{ id: 'hold', type: 'delay', inputs: { duration: '2s' } }], connections: [] },
    },
    { id: 'busy', type: 'set-output', inputs: { name: 'busy', value: true } },
  ],
  connections: [
    { from: 'paid', to: 'rest' },
    { from: 'rest', to: 'stock' },
    { from: 'stock', outcome: 'timeout', to: 'busy' },
  ],
}

describe('messages of a cluster', () => {
  let folder: string
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let [one, two]: LockstepProcess[] = []
  const urls: string[] = []
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'lockstep-log-'))
    database = await cloneDatabase(inject('postgres'))
    const open = (name: string): LockstepProcess =>
      new LockstepProcess(['server', '--port', '0'], {
        cwd: folder,
        env: {
          ...{ LOCKSTEP_DATABASE_URL: database.url, LOCKSTEP_NODE_NAME: name, LOCKSTEP_LOG_LEVEL: 'debug' },
          ...{ LOCKSTEP_MIGRATE: 'off', LOCKSTEP_NODE_TTL_MS: '3000' },
        },
      })
    one = open('node-1')
    two = open('node-2')
    urls.push(await one.url(), await two.url())
  })
  afterAll(async () => {
    for (const node of [one, two]) await node?.[Symbol.asyncDispose]()
    await database?.drop()
    await rm(folder, { recursive: true, force: true })
  })

  const linesOf = (nodes: readonly (LockstepProcess | undefined)[]): Line[] =>
    nodes.flatMap((node) =>
      (node?.output ?? '')
        .split('\n')
        .filter((line) => line.startsWith('{') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as Line),
    )
  const told = async (msg: string, fields: object, nodes = [one, two]): Promise<void> => {
    const like = expect.objectContaining({ msg, ...documented.get(msg), ...fields })
    await expect.poll(() => linesOf(nodes).filter((line) => line.msg === msg), { timeout: 60_000 }).toContainEqual(like)
  }
  const ask = async (
    node: number,
    method: string,
    where: string,
    body?: unknown,
  ): Promise<[number, { id: string }]> => {
    const headers = { 'content-type': 'application/json' }
    const given = body === undefined ? {} : { headers, body: JSON.stringify(body) }
    const response = await fetch(`${urls[node]}/api/v1/${where}`, { method, ...given })
    return [response.status, (await response.json()) as { id: string }]
  }

  it('are those of the page', () => {
    expect([...documented.keys()]).toEqual([
      ...['lock acquired', 'lock released', 'lock busy', 'resume already in progress', 'timer fired'],
      ...['definition invalidation received', 'node joined', 'buried a silent node'],
    ])
  })

  it('say who joined', async () => {
    await told('node joined', { code: 'NODE_JOINED', nodeId: expect.stringMatching(/^nod_/), name: 'node-1' })
    await told('node joined', { code: 'NODE_JOINED', nodeId: expect.stringMatching(/^nod_/), name: 'node-2' })
  })

  it('name the workflow that another node has published or retracted', async () => {
    const code = 'DEFINITION_INVALIDATED'
    expect((await ask(0, 'POST', 'workflow-definitions', order))[0]).toBe(201)
    expect((await ask(0, 'POST', 'workflow-definitions/order/publish', {}))[0]).toBe(200)
    await told('definition invalidation received', { code, definitionId: 'order', version: 1 }, [two])
    expect((await ask(0, 'POST', 'workflow-definitions/order/retract', {}))[0]).toBeLessThan(300)
    await expect.poll(() => linesOf([two]).filter((line) => line.code === code).length).toBe(2)
    expect(linesOf([two]).findLast((line) => line.code === code)).not.toHaveProperty('version')
    expect((await ask(0, 'POST', 'workflow-definitions/order/versions/1/publish', {}))[0]).toBeLessThan(300)
  })

  it('tell of resumes that come second, timers, and locks', async () => {
    const ids: string[] = []
    for (let n = 0; n < 2; n += 1) {
      const [status, { id }] = await ask(n, 'POST', 'workflow-instances', { definitionId: 'order' })
      expect(status).toBe(201)
      ids.push(id)
    }
    for (const instanceId of ids) {
      await until(
        'it waits',
        async () =>
          ((await ask(0, 'GET', `workflow-instances/${instanceId}`))[1] as unknown as { status: string }).status ===
          'suspended',
        30_000,
      )
      const resume = (node: number) =>
        ask(node, 'POST', `workflow-instances/${instanceId}/resume`, { bookmark: 'paid' })
      const statuses = (await Promise.all([resume(0), resume(1)])).map(([status]) => status).sort()
      expect(statuses).toEqual([200, 409])
      await told('resume already in progress', {
        ...{ code: expect.stringMatching(/^(?:ALREADY_RESUMED|RESUME_IN_PROGRESS)$/), instanceId, bookmark: 'paid' },
      })
      await told('timer fired', { code: 'TIMER_FIRED', instanceId, lateMs: expect.any(Number) })
    }
    const lock = { lock: expect.stringContaining('stock'), kind: 'mutex' }
    await told('lock acquired', {
      ...lock,
      code: 'LOCK_ACQUIRED',
      fence: expect.any(String),
      waitedMs: expect.any(Number),
    })
    await told('lock busy', { ...lock, code: 'LOCK_BUSY' })
    await told('lock released', { ...lock, code: 'LOCK_RELEASED', heldMs: expect.any(Number) })
    const late = linesOf([one, two]).flatMap(({ msg, lateMs }) => (msg === 'timer fired' ? [lateMs] : []))
    expect(late.filter((ms) => !Number.isInteger(ms))).toEqual([])
  })

  it('say who was buried', async () => {
    const nodeId = linesOf([two]).find(({ msg }) => msg === 'node joined')?.nodeId
    await two?.end('SIGKILL')
    await told('buried a silent node', { code: 'NODE_BURIED', nodeId, name: 'node-2' }, [one])
  })
})

/**
 * What operators ask for survives the death of everybody. A verb is acknowledged while no node lives, or the one that applies it is killed just
 * before or just after it writes; another then finishes it, once.
 */
import { postgresEngineStore } from '@lockstep/postgres'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endOf, start, view, waitsFor } from './instance-view.ts'
import { shortLife, TestBed, type TestSite } from './test-bed.ts'
import type { Crash, NodeCallFailed, TestNode } from './test-node.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

const verb = <T = { outcome: string }>(
  node: TestNode,
  name: string,
  instanceId: string,
  ...args: unknown[]
): Promise<T> => node.call('verb', { verb: name, instanceId, args })

const kinds = async (node: TestNode, instanceId: string): Promise<string[]> =>
  (await node.call<{ kind: string }[]>('journal', { instanceId })).map((row) => row.kind)

/** Asked while nobody lives. */
const send = (site: TestSite, instanceId: string, kind: string, payload: object) =>
  postgresEngineStore(site.db).verbs.send({
    ...{ tenant: 'default', instanceId, kind, payload: JSON.stringify(payload) },
    ...{ dedupeKey: undefined, queue: undefined, operationId: undefined },
  })

/** The next node dies at its first write of this kind; the one after it lives. */
async function applied(site: TestSite, crash: Crash): Promise<TestNode> {
  // It may be so quick that it is gone before it has said that it is open.
  await site.node({ name: 'dying', crash, engine: shortLife }).catch((error: NodeCallFailed) => {
    if (error.code !== 'GONE') throw error
  })
  await site.nodes.at(-1)!.ended()
  return site.node({ name: 'heir', engine: shortLife })
}

async function healthy(site: TestSite, node: TestNode): Promise<void> {
  expect(await node.call('doctor')).toMatchObject({ findings: [] })
  expect(await site.violations()).toEqual([])
}

const note = (id: string) => ({ id, type: 'note', inputs: { value: id } })
const line = (id: string, activities: { id: string }[], rest: object = {}) => ({
  id,
  ...rest,
  activities,
  connections: activities.slice(1).map((each, index) => ({ from: activities[index]!.id, to: each.id })),
})
const ask = { id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }
const variables = { ok: { type: 'boolean', default: false } }
/** Fails unless somebody has set its variable. */
const picky = {
  id: 'picky',
  variables,
  activities: [
    note('first'),
    { id: 'check', type: 'if', inputs: { condition: { $expr: 'vars.ok' } } },
    { id: 'bad', type: 'fault', inputs: { message: 'not ok', code: 'NOT_OK' } },
    note('good'),
  ],
  connections: [
    { from: 'first', to: 'check' },
    { from: 'check', outcome: 'false', to: 'bad' },
    { from: 'check', outcome: 'true', to: 'good' },
  ],
}

async function waiting(site: TestSite, document: { id: string }): Promise<string> {
  await using node = await site.node({ name: 'first' })
  await node.call('publishDocument', { document })
  const id = await start(node, document.id, { n: 1 })
  await waitsFor(node, id, 'go')
  return id
}

const moments = (op: Crash['op']): Crash[] => [
  { op, n: 1, when: 'before' },
  { op, n: 1, when: 'after' },
]

describe.each(moments('commit'))('the node that applies it is killed $when its commit', (crash) => {
  it('P1 P4: terminates once', async () => {
    await using site = await bed.site()
    const id = await waiting(site, line('wait', [ask]))
    expect(await send(site, id, 'terminate', { reason: 'enough' })).toEqual({ kind: 'accepted' })
    const heir = await applied(site, crash)
    expect(await endOf(heir, id)).toMatchObject({ status: 'terminated' })
    expect((await kinds(heir, id)).filter((kind) => kind === 'ended')).toHaveLength(1)
    await healthy(site, heir)
  })

  it('P1: pauses, keeps what comes, and continues', async () => {
    await using site = await bed.site()
    const id = await waiting(site, line('wait', [ask, note('after')]))
    await send(site, id, 'pause', {})
    const second = await applied(site, crash)
    await until('it is paused', async () => (await view(second, id)).status === 'paused')
    expect(await second.call('resume', { instanceId: id, bookmark: 'go' })).toBe('resumed')
    await second.kill9()
    expect(site.effects()).toEqual([])
    await send(site, id, 'continue', {})
    const heir = await applied(site, crash)
    expect(await endOf(heir, id)).toMatchObject({ status: 'completed' })
    expect((await kinds(heir, id)).filter((kind) => kind === 'paused' || kind === 'continued')).toEqual([
      ...['paused', 'continued'],
    ])
    await healthy(site, heir)
  })

  it('P1: goes back to an earlier step of what had ended, with another variable', async () => {
    await using site = await bed.site()
    let id = ''
    {
      await using node = await site.node({ name: 'first' })
      await node.call('publishDocument', { document: picky })
      id = await start(node, 'picky', {})
      expect(await endOf(node, id)).toMatchObject({ status: 'faulted' })
    }
    const payload = JSON.stringify({ step: 'check', variables: { ok: true } })
    const request = { messages: [{ kind: 'retry', payload }], queue: undefined, force: false, note: 'mended' }
    const { verbs } = postgresEngineStore(site.db)
    const retry = () => verbs.retry({ tenant: 'default', instanceId: id, operationId: undefined, ...request })
    expect(await retry()).toEqual({ kind: 'accepted' })
    expect(await retry()).toEqual({ kind: 'wrong-state', status: 'suspended' })
    const heir = await applied(site, crash)
    expect(await endOf(heir, id)).toMatchObject({ status: 'completed' })
    const seen = await kinds(heir, id)
    expect(seen.filter((kind) => kind === 'rewound')).toHaveLength(1)
    expect(site.effects().map((effect) => effect.step)).toEqual(['first', 'good'])
    expect(await heir.call('incidents', { method: 'list' })).toMatchObject({ incidents: [{ resolution: 'retried' }] })
    await healthy(site, heir)
  })

  it('P1: edits a variable', async () => {
    await using site = await bed.site()
    const out = { id: 'out', type: 'set-output', inputs: { name: 'ok', value: { $expr: 'vars.ok' } } }
    const id = await waiting(site, line('wait', [ask, out], { variables }))
    await send(site, id, 'assign', { variables: { ok: true } })
    const heir = await applied(site, crash)
    await until('it has heard', async () => (await kinds(heir, id)).includes('assigned'))
    await heir.call('resume', { instanceId: id, bookmark: 'go' })
    expect(await endOf(heir, id)).toMatchObject({ output: { ok: true } })
    expect((await kinds(heir, id)).filter((kind) => kind === 'assigned')).toHaveLength(1)
    await healthy(site, heir)
  })

  it('P1 P5: is told what became of an outcome that nobody knows', async () => {
    await using site = await bed.site()
    const a = await site.node({ name: 'a' })
    const id = await start(a, 'gated-once', { at: 'a', gate: 'g' })
    await a.atGate('g')
    await a.kill9()
    const b = await site.node({ name: 'b' })
    await until('it waits', async () => (await view(b, id)).waitingFor.length > 0)
    await b.kill9()
    const { incidents } = postgresEngineStore(site.db)
    const [incident] = (await incidents.list('default', { code: 'OUTCOME_UNKNOWN' }, undefined, 10)).incidents
    const message = { kind: 'resolve', payload: JSON.stringify({ outcome: 'completed', output: 'it had' }) }
    const resolution = { tenant: 'default', incidentId: incident!.id, resolution: 'completed', note: 'asked', message }
    expect(await incidents.resolve(resolution)).toMatchObject({ kind: 'resolved' })
    expect(await incidents.resolve(resolution)).toEqual({ kind: 'already-resolved' })
    const heir = await applied(site, crash)
    expect(await endOf(heir, id)).toMatchObject({ status: 'completed', output: 'it had' })
    expect(site.effects().filter((effect) => effect.step === 'charge')).toHaveLength(1)
    await healthy(site, heir)
  })
})

describe.each(moments('revise'))('the node that migrates it is killed $when its commit', (crash) => {
  it('P1 P4: is the other version once, and a resume that was on its way finds it', async () => {
    await using site = await bed.site()
    const id = await waiting(site, line('wait', [ask, note('old')]))
    {
      await using node = await site.node({ name: 'publisher' })
      await node.call('publishDocument', { document: line('wait', [{ ...ask, id: 'question' }, note('new')]) })
    }
    await postgresEngineStore(site.db).stimuli.resume({
      ...{ tenant: 'default', instanceId: id, bookmark: 'go', payload: '1' },
    })
    await send(site, id, 'migrate', { to: 2, mapping: { ask: 'question' } })
    const heir = await applied(site, crash)
    expect(await endOf(heir, id)).toMatchObject({ status: 'completed' })
    expect(await view(heir, id)).toMatchObject({ version: 2 })
    expect((await kinds(heir, id)).filter((kind) => kind === 'migrated')).toHaveLength(1)
    expect(site.effects().map((effect) => effect.step)).toEqual(['new'])
    await healthy(site, heir)
  })
})

it('P4 P7: an owner that stands still is buried, and what was asked is done elsewhere; it writes nothing when it wakes', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a' })
  const ids = await Promise.all([1, 2].map((n) => start(a, 'gated', { at: 'a', gate: `g${n}` })))
  for (const n of [1, 2]) await a.atGate(`g${n}`)
  const b = await site.node({ name: 'b' })
  a.signal('SIGSTOP')
  expect(await verb(b, 'terminate', ids[0]!)).toEqual({ outcome: 'accepted' })
  expect(await verb(b, 'pause', ids[1]!)).toEqual({ outcome: 'accepted' })
  expect(await endOf(b, ids[0]!)).toMatchObject({ status: 'terminated' })
  await until('the other one is paused', async () => (await view(b, ids[1]!)).status === 'paused')
  for (const n of [1, 2]) void a.call('openGate', { name: `g${n}` })
  a.signal('SIGCONT')
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0)
  await a.kill9() // its step would stand at the gate once more
  expect(await verb(b, 'continue', ids[1]!)).toEqual({ outcome: 'accepted' })
  expect(await endOf(b, ids[1]!)).toMatchObject({ status: 'completed' })
  await healthy(site, b)
})

it('P4: of a hundred verbs from two nodes to an instance whose code runs on one of them, one terminate wins', async () => {
  await using site = await bed.site()
  const [a, b] = await Promise.all([site.node({ name: 'a' }), site.node({ name: 'b' })])
  const id = await start(a, 'gated', { at: 'a', gate: 'g' })
  await a.atGate('g')
  const verbs = ['terminate', 'pause', 'continue', 'retry'] as const
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => verb(n % 2 === 0 ? a : b, verbs[n % verbs.length]!, id)),
  )
  expect(answers.some(({ outcome }) => outcome === 'accepted')).toBe(true)
  expect(await endOf(b, id)).toMatchObject({ status: 'terminated' })
  expect((await kinds(b, id)).filter((kind) => kind === 'ended')).toHaveLength(1)
  await healthy(site, b)
})

/** Sooner than any node looks by itself: it is looked for. */
const TAKEN_ON_MS = 25_000

const bulkVerbs = [
  { verb: 'pause', status: 'paused', fact: 'paused', heir: 'starts then' },
  { verb: 'cancel', status: 'cancelled', fact: 'ended', heir: 'starts then' },
  { verb: 'cancel', status: 'cancelled', fact: 'ended', heir: 'lives beside it' },
]
it.each(bulkVerbs)(
  'P1: a bulk $verb goes on at once when its node is killed and another $heir, and does nothing twice',
  {
    timeout: 300_000,
  },
  async ({ verb: verbName, status, fact, heir }) => {
    await using site = await bed.site()
    const a = await site.node({ name: 'a' })
    await a.call('publishDocument', { document: line('wait', [ask]) })
    const requests = Array.from({ length: 400 }, () => ({ definitionId: 'wait', input: {} }))
    await a.call('startMany', { requests })
    const count = async (where: string): Promise<number> =>
      (await site.rows<{ n: number }>(`select count(*)::integer as n from ${where}`))[0]!.n
    await until('all wait', async () => (await count(`instance where status = 'suspended'`)) === 400)
    const beside = heir === 'lives beside it' ? await site.node({ name: 'b' }) : undefined
    const { id } = await a.call<{ id: string }>('bulk', {
      ...{ method: 'start', args: [{ verb: verbName, filter: { definitionId: 'wait' } }] },
    })
    await until('it is under way', async () => (await count('bulk_item where outcome is not null')) > 0)
    await a.kill9()
    const b = beside ?? (await site.node({ name: 'b' }))
    await until(
      'it is done',
      async () => (await b.call<{ state: string }>('bulk', { method: 'get', args: [id] })).state === 'done',
      TAKEN_ON_MS,
    )
    expect(await b.call('bulk', { method: 'get', args: [id] })).toMatchObject({
      total: 400,
      outcomes: { accepted: 400 },
    })
    await until('all have heard', async () => (await count(`instance where status = '${status}'`)) === 400)
    expect(await count(`journal where kind = '${fact}'`)).toBe(400)
    await healthy(site, b)
  },
)

/** The connection dies around a write, so that the node cannot know what became of it. Sending it again decides. */
import { setTimeout as delay } from 'node:timers/promises'
import { cutCommit, cutStatement, delayReply, type FaultProxy, refuse, startFaultProxy } from '@lockstep/testing/faults'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endOf, type Started, start, waitsFor } from './instance-view.ts'
import { countOf, TestBed, type TestSite } from './test-bed.ts'
import type { TestNode } from './test-node.ts'
import { until } from './until.ts'

/** For several beats. */
const OUTAGE_MS = 1_500

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

const moments = ['before-forward', 'after-forward'] as const

/** A node that reaches the database through a proxy of its own. */
async function behindProxy(site: TestSite, more: object = {}): Promise<{ node: TestNode; proxy: FaultProxy }> {
  const proxy = await startFaultProxy({ target: site.url })
  const node = await site.node({ name: 'proxied', url: proxy.url(site.url), ...more })
  return { node, proxy }
}

describe('P1 P4 P5: a commit whose answer never came', () => {
  it.each(moments)('P1 P4: is sent again until it is decided, nothing lost and nothing doubled (%s)', async (when) => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site)
    await using _ = proxy
    const cuts = countOf('LOCKSTEP_FAULTS_CUTS', 12)
    const fault = cutStatement({ when, matching: /lockstep_commit/, skip: 3, chance: 0.4, times: cuts })
    proxy.use(fault)
    const ids: string[] = []
    for (let n = 0; fault.hits < cuts; n += 1) {
      const requests = [1, 2, 3].map(() => ({ definitionId: 'innocent', input: { turns: 2, pauseMs: n % 20 } }))
      const started = await node.call<Started[]>('startMany', { requests })
      ids.push(...started.map((each) => each.instanceId))
      for (const { instanceId } of started) expect((await endOf(node, instanceId))?.status).toBe('completed')
    }
    expect(node.logged('commit not answered').length).toBeGreaterThan(0)
    expect(node.incarnations).toHaveLength(1)
    expect(await site.rows('select id from instance')).toHaveLength(ids.length)
    expect(await site.violations()).toEqual([])
  })

  it.each(moments)('P5: a transaction is settled by its number, and takes effect once (%s)', async (when) => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site)
    await using _ = proxy
    const fault = cutCommit(when, { matching: /ledger/, times: 1 })
    proxy.use(fault)
    const id = await start(node, 'quick', { n: 1 })
    expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
    expect(fault.hits).toBe(1)
    expect(await site.rows('select 1 from public.ledger')).toHaveLength(1)
    expect(await site.violations()).toEqual([])
  })

  it('P5: a transaction is not taken for committed because the question about it was answered twice', async () => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site)
    await using _ = proxy
    const id = await start(node, 'gated-transaction', { at: 'proxied', gate: 'inside' })
    await node.atGate('inside')
    // Lost: the transaction itself, and then the answer to the empty batch that takes its number away.
    const lost = cutCommit('before-forward', { matching: /ledger/, times: 1 })
    const asked = cutStatement({ when: 'after-forward', matching: /lockstep_commit/, skip: 1, times: 1 })
    proxy.use(lost)
    proxy.use(asked)
    await node.call('openGate', { name: 'inside' })
    await Promise.all([lost.landed(), asked.landed()])
    // The second try of the user's code stands at its gate again.
    const again = setInterval(() => void node.call('openGate', { name: 'inside' }), 50)
    const end = await endOf(node, id)
    clearInterval(again)
    expect(end).toMatchObject({ status: 'completed' })
    expect(await site.rows('select 1 from public.ledger')).toHaveLength(1)
    expect(await site.violations()).toEqual([])
  })

  it('P5: a transaction whose connection is lost before its COMMIT is made again, and its instance does not fault', async () => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site)
    await using _ = proxy
    const fault = cutStatement({ when: 'before-forward', matching: /cut me here/, times: 1 })
    proxy.use(fault)
    const id = await start(node, 'slow-transaction', {})
    expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
    expect(fault.hits).toBe(1)
    expect(await site.violations()).toEqual([])
  })

  it('P5: a transaction of unknown outcome is settled also when the database is away for longer than a node waits for it', async () => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site, { database: { acquireTimeoutMs: 300 } })
    await using _ = proxy
    const id = await start(node, 'gated-transaction', { at: 'proxied', gate: 'inside' })
    await node.atGate('inside')
    const fault = cutCommit('after-forward', { matching: /ledger/, times: 1 })
    proxy.use(fault)
    // The first one ends the transaction; the one that asks for its outcome finds nobody.
    proxy.use(cutStatement({ when: 'before-forward', matching: /lockstep_commit/, skip: 1, times: 1 }))
    const away = proxy.use(refuse())
    await node.call('openGate', { name: 'inside' })
    await fault.landed()
    proxy.dropConnections()
    await until('the node has noticed', () => node.logged('heartbeat not answered').length > 0)
    await delay(OUTAGE_MS) // the same is not said again
    await away.remove()
    expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
    expect(await site.rows('select 1 from public.ledger')).toHaveLength(1)
    expect(await site.violations()).toEqual([])
  })
})

describe('P3: a resume whose answer never came', () => {
  it.each(moments)('P3: may be sent again, and is applied once (%s)', async (when) => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site)
    await using _ = proxy
    const id = await start(node, 'waiter', { turns: 1 })
    await waitsFor(node, id, 'go')
    const fault = cutStatement({ when, matching: /lockstep_resume/, times: 1 })
    proxy.use(fault)
    const request = { instanceId: id, bookmark: 'go', payload: 'once' }
    await expect(node.call('resume', request)).rejects.toMatchObject({ code: 'COMMIT_UNKNOWN' })
    expect(await node.call('resume', request)).toBe(when === 'before-forward' ? 'resumed' : 'already-resumed')
    expect(await endOf(node, id)).toMatchObject({ status: 'completed', output: { got: ['once'] } })
    expect(fault.hits).toBe(1)
    expect(await site.violations()).toEqual([])
  })
})

describe('P1: a claim whose answer never came', () => {
  const claiming = /lockstep_claim\(/

  it.each(moments)('P1: is found again in the database (%s)', async (when) => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site, { engine: { pollMs: 500 } })
    await using _ = proxy
    const id = await start(node, 'waiter', { turns: 1 })
    await waitsFor(node, id, 'go')
    const fault = cutStatement({ when, matching: claiming })
    const handle = proxy.use(fault)
    await resumedElsewhere(site, id)
    if (when === 'before-forward') await fault.landed()
    else await until('it was claimed', () => isClaimed(site, id))
    await handle.remove()
    expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
    expect(await site.violations()).toEqual([])
  })

  it('P1: is found again also when the database cannot be asked at once', async () => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site, { engine: { pollMs: 500 } })
    await using _ = proxy
    const id = await start(node, 'waiter', { turns: 1 })
    await waitsFor(node, id, 'go')
    const faults = [
      cutStatement({ when: 'after-forward', matching: claiming }),
      cutStatement({ when: 'before-forward', matching: /from node where id = \$1 for update/ }),
    ].map((fault) => proxy.use(fault))
    await resumedElsewhere(site, id)
    await until('it was claimed, and nobody knows', async () => {
      return (await isClaimed(site, id)) && node.logged('could not claim').length > 0
    })
    for (const fault of faults) await fault.remove()
    expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
    expect(await site.violations()).toEqual([])
  })

  it('P4: finding claims again does not run a start twice whose answer is on its way', async () => {
    await using site = await bed.site()
    const { node, proxy } = await behindProxy(site)
    await using _ = proxy
    const waiting = [await start(node, 'waiter', { turns: 1 }), await start(node, 'waiter', { turns: 1 })] as const
    for (const id of waiting) await waitsFor(node, id, 'go')
    const slow = proxy.use(delayReply({ matching: /lockstep_commit/, ms: 2_500 }))
    const starting = Array.from({ length: 10 }, () => start(node, 'innocent', { turns: 3, pauseMs: 5 }))
    await until('they are committed', async () => {
      return (await site.rows(`select 1 from instance where definition_id = 'innocent'`)).length === 10
    })
    // The first wakes a claim whose answer is lost, the second makes the node look for what it may have got.
    const fault = cutStatement({ when: 'after-forward', matching: claiming, times: 1 })
    const looking = delayReply({ matching: /from node where id = \$1 for update/, ms: 0 })
    proxy.use(fault)
    proxy.use(looking)
    await node.call('resume', { instanceId: waiting[0], bookmark: 'go', payload: 1 })
    await fault.landed()
    await node.call('resume', { instanceId: waiting[1], bookmark: 'go', payload: 1 })
    await looking.landed()
    const ids = [...(await Promise.all(starting)), ...waiting]
    await slow.remove()
    const ends = await Promise.all(ids.map((id) => endOf(node, id)))
    expect(ends.map((end) => end?.status ?? 'never')).toEqual(ids.map(() => 'completed'))
    expect(await site.violations()).toEqual([])
    // Nobody died: each of 3 steps of 10 instances ran once.
    expect(node.logged('instance lost to another node')).toEqual([])
    expect(site.effects()).toHaveLength(30)
  })
})

const isClaimed = async (site: TestSite, id: string): Promise<boolean> =>
  (await site.rows('select 1 from agenda where instance_id = $1 and claimed_by is not null', id)).length > 0

/** By another program: who resumes through a node that has room claims with the same call. */
const resumedElsewhere = (site: TestSite, id: string): Promise<unknown> =>
  site.rows(`select verdict from lockstep_resume('default', $1, 'go', '1')`, id)

import { randomUUID } from 'node:crypto'
import { systemClock as clock, systemRandom as random } from '@lockstep/base'
import { openPostgres } from '@lockstep/postgres'
import { type FaultProxy, refuse, startFaultProxy } from '@lockstep/testing/faults'
import { cloneDatabase, type ServerHandle, startRedis } from '@lockstep/testing/harness'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest'
import { ServerCluster } from '../cluster/front.ts'
import { SlowService } from '../cluster/membership-site.ts'
import { readRows } from '../faults/read-rows.ts'
import { openBrowser, openContext } from './open-browser.ts'
import { type Api, apiOf } from './open-studio.ts'

/** Three nodes behind a front that sends every request to the next one, with their locks in Redis, which a test can take away. */
const BASE = '/x/y'
const life = {
  LOCKSTEP_BASE_PATH: BASE,
  LOCKSTEP_HEARTBEAT_MS: '500',
  LOCKSTEP_NODE_TTL_MS: '6000',
  LOCKSTEP_OUTBOUND_ALLOW: '127.0.0.1',
}
/** The third takes part in firing without being elected: it is told as gone sooner than those who stand for election. */
const schedulers = ['leader', 'leader', 'cluster']
const OFTEN_MS = 10_000

const section = (id: string, lock: unknown, ttl: string, inside: object) => ({
  id,
  activities: [
    { id: 'section', type: 'critical-section', inputs: { lock, ttl }, body: { activities: [{ id: 'in', ...inside }] } },
  ],
})
const waits = { type: 'wait-for-event', inputs: { event: 'done' } }

let database: Awaited<ReturnType<typeof cloneDatabase>>
let db: Awaited<ReturnType<typeof openPostgres>>
let redis: ServerHandle
let link: FaultProxy
let outside: SlowService
let cluster: ServerCluster
let browser: Browser
let context: BrowserContext
let page: Page
let front: Api
/** Of one node each, by its place. */
let at: readonly Api[]
beforeAll(async () => {
  ;[browser, database, redis, outside] = await Promise.all([
    openBrowser(),
    cloneDatabase(inject('postgres')),
    startRedis({ quiet: true }),
    SlowService.open(),
  ])
  db = await openPostgres({ url: database.url, clock, random })
  link = await startFaultProxy({ target: redis.url })
  const locks = { LOCKSTEP_LOCKS: 'redis', LOCKSTEP_REDIS_URL: link.url(redis.url) }
  cluster = await ServerCluster.open({
    databaseUrl: database.url,
    environments: schedulers.map((LOCKSTEP_SCHEDULER) => ({ ...life, ...locks, LOCKSTEP_SCHEDULER })),
  })
  front = apiOf(cluster.front.url + BASE)
  at = cluster.urls.map((url) => apiOf(url))
  for (const document of [
    { id: 'tick', activities: [{ id: 'log', type: 'log', inputs: { message: 'tick' } }] },
    section('guarded', 'ledger', '10s', waits),
    section('drawer', { $expr: '"till/" + input.number' }, '2m', waits),
    { id: 'call', activities: [{ id: 'ask', type: 'http-request', inputs: { method: 'GET', url: outside.url } }] },
    section('transfer', 'vault', '2m', { type: 'http-request', inputs: { method: 'GET', url: outside.url } }),
  ])
    await front('PUT', `/workflow-definitions/${document.id}`, document)
  // Fires while other tests wait. However late a busy machine is: each of them.
  const often = { id: 'often', trigger: { interval: `${OFTEN_MS}ms` }, graceMs: 1_000, misfire: { catchUp: 1_000 } }
  await front('POST', '/schedules', { ...often, overlap: 'allow', definitionId: 'tick' })
  context = await openContext(browser, { viewport: { width: 1440, height: 900 } })
  page = await context.newPage()
})
afterAll(async () => {
  await browser?.close()
  await cluster?.[Symbol.asyncDispose]()
  await outside?.[Symbol.asyncDispose]()
  await link?.close()
  await redis?.stop()
  await db?.close()
  await database?.drop()
})

const card = (name: string) => page.locator(`[data-testid="node"][data-name="${name}"]`)
const start = async (api: Api, definitionId: string, input: object = {}): Promise<string> =>
  (await api('POST', '/workflow-instances', { definitionId, input })).id
/** What became of one, whenever it has ended. */
async function endOf(api: Api, id: string): Promise<string> {
  let found: { status: string; finishedAt: string | null }
  do found = await api('GET', `/workflow-instances/${id}?wait=10s`)
  while (found.finishedAt === null)
  return found.status
}
const lockRow = (key: string) => page.getByTestId('locks-ready').locator('tr', { hasText: key })
const mode = () => page.getByTestId('live-switch').getAttribute('data-mode')

describe('a cluster in Studio', { timeout: 240_000 }, () => {
  it('E42 shows who holds a lock, its lease renewed, and who waits for it', async () => {
    const started = [await start(at[0]!, 'guarded'), await start(at[0]!, 'guarded')]
    await page.goto(`${cluster.urls[1]}/locks`)
    const row = lockRow('ledger')
    await row.getByText('Contended').waitFor()
    const lock = async () => await at[1]!('GET', '/locks/ledger')
    const { expiresAt, fence, holder } = await lock()
    expect(await row.innerText()).toContain(holder.name)
    expect(await row.locator('[data-fence]').getAttribute('data-fence')).toBe(fence)
    const link = await row.getByRole('link').getAttribute('href')
    expect(started.some((id) => link?.endsWith(`/instances/${id}`))).toBe(true)
    await expect.poll(async () => Date.parse((await lock()).expiresAt)).toBeGreaterThan(Date.parse(expiresAt))
    expect((await lock()).fence).toBe(fence)
    await page.getByTestId('waited-for').getByText('ledger').waitFor()
    // Whoever waits long asks now and then: it is counted all the same while it has no place in the queue.
    const waiting = async () => {
      const { waiters, waitingInstances } = await lock()
      return [waiters, waitingInstances]
    }
    await expect.poll(waiting).toEqual([0, 1])
    await row.getByText('1 instance waiting').waitFor()
    await page.getByTestId('waited-for').locator('li', { hasText: 'ledger' }).getByText('1 waiting').waitFor()
    for (const id of started) await front('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
  })

  it('E49 starts on one node what was published on another, and shows that its cache took it in', async () => {
    const numbered = (value: number) => ({
      id: 'numbered',
      activities: [{ id: 'say', type: 'set-output', inputs: { name: 'number', value } }],
    })
    const invalidated = async () =>
      Number(await page.locator('[data-cache="published-versions"]').getAttribute('data-invalidated'))
    const kept = async () => Number(await page.locator('[data-cache="definitions"]').getAttribute('data-kept'))
    const started = async () =>
      (await at[1]!('POST', '/workflow-instances', { definitionId: 'numbered', wait: '30s' })).output
    await at[0]!('PUT', '/workflow-definitions/numbered', numbered(1))
    expect(await started()).toEqual({ number: 1 })
    await page.goto(`${cluster.urls[1]}/cluster`)
    await page.locator('[data-cache="definitions"]').waitFor()
    const before = [await invalidated(), await kept()] as const
    // Nothing was started there since: that the other node publishes is all that can make it forget.
    await at[0]!('PUT', '/workflow-definitions/numbered', numbered(2))
    await expect.poll(invalidated).toBeGreaterThan(before[0])
    expect(await started()).toEqual({ number: 2 })
    // Versions are kept by content: an old one is never wrong, a new one comes beside it.
    await expect.poll(kept).toBeGreaterThan(before[1])
  })

  it('E43 lets go of locks whose holder is frozen, one by one or all at once; what that one writes later is refused', async () => {
    const third = cluster.nodes[2]!
    const { items } = await at[0]!('GET', '/cluster/nodes')
    const frozen = items.find(({ name }: { name: string }) => name === third.name).id
    const old = await start(at[2]!, 'transfer')
    const drawers = [await start(at[2]!, 'drawer', { number: 1 }), await start(at[2]!, 'drawer', { number: 2 })]
    const lock = async (key: string) => await at[0]!('GET', `/locks/${encodeURIComponent(key)}`)
    const fenceOf = async (key: string): Promise<bigint> => BigInt((await lock(key).catch(() => ({}))).fence ?? 0)
    await expect.poll(() => outside.count).toBe(1)
    for (const key of ['till/1', 'till/2']) await expect.poll(() => fenceOf(key)).toBeGreaterThan(0n)
    third.pause()
    const next = await start(at[0]!, 'transfer')
    const { fence, holder } = await lock('vault')
    expect(holder.name).toBe(third.name)
    await page.goto(`${cluster.urls[0]}/locks`)
    await lockRow('vault').getByText('Stale').waitFor()

    await lockRow('vault').getByRole('button', { name: 'vault' }).click()
    await page.getByRole('button', { name: 'Release the stale lock' }).click()
    const one = page.getByRole('dialog', { name: 'Release vault' })
    await one.getByLabel('Reason').fill('Its node stands still')
    await one.getByRole('button', { name: 'Release' }).click()
    await expect.poll(() => fenceOf('vault')).toBeGreaterThan(BigInt(fence))
    await page.getByText(/^broken, fence \d+: Its node stands still$/).waitFor()
    await expect.poll(() => outside.count).toBe(2)
    // Whoever asked next has it, on a living node and with a greater fence. It may be the same instance, which another node has taken over.
    const taken = await lock('vault')
    expect([old, next]).toContain(taken.holder.instanceId)
    expect(taken.holder.name).not.toBe(third.name)
    expect(BigInt(taken.fence)).toBeGreaterThan(BigInt(fence))
    await page.locator(`[data-fence="${taken.fence}"]`).first().waitFor()
    // The frozen one is answered as well, and reads it when it goes on.
    const answering = setInterval(() => outside.letGo(), 50)

    await page.goto(`${cluster.urls[0]}/locks?prefix=till/`)
    await page.getByRole('button', { name: 'Release stale locks…' }).click()
    const all = page.getByRole('dialog', { name: 'Release stale locks under till/' })
    await all.getByTestId('stale-count').getByText('2', { exact: true }).waitFor()
    // None is that old.
    await all.getByRole('combobox', { name: 'Held for' }).click()
    await page.getByRole('option', { name: 'An hour or longer' }).click()
    await all.getByTestId('stale-count').getByText('0', { exact: true }).waitFor()
    expect(await all.getByRole('button', { name: 'Release 0 locks' }).isDisabled()).toBe(true)
    await all.getByRole('combobox', { name: 'Held for' }).click()
    await page.getByRole('option', { name: 'However long' }).click()
    const release = all.getByRole('button', { name: 'Release 2 locks' })
    expect(await release.isDisabled()).toBe(true)
    await all.getByLabel('Reason').fill('The same node')
    await release.click()
    await page.getByText('2 locks released').waitFor()
    const reasons = async (key: string) =>
      (await lock(key)).history.flatMap((each: { reason: string | null }) => each.reason ?? [])
    for (const key of ['till/1', 'till/2']) await expect.poll(() => reasons(key)).toEqual(['The same node'])

    third.pause()
    for (const id of [old, next]) expect(await endOf(at[0]!, id)).toBe('completed')
    clearInterval(answering)
    const journal = (await at[0]!('GET', `/workflow-instances/${old}/journal?limit=200`)).items
    const ends = journal.filter(
      ({ kind, data }: { kind: string; data: { step?: string } }) => kind === 'completed' && data.step?.endsWith('in'),
    )
    expect(ends.map(({ nodeId }: { nodeId: string }) => nodeId === frozen)).toEqual([false])
    // Its history: another node took the lock again, with a greater fence, and only that one ended the step.
    const again = journal.findLast(({ kind }: { kind: string }) => kind === 'locked')
    expect(BigInt(again.data.fence)).toBeGreaterThan(BigInt(fence))
    await page.goto(`${cluster.urls[0]}/instances/${old}?tab=journal`)
    const row = page.locator(`[data-fact="${again.seq}"]`)
    expect((await row.innerText()).replace(/\s+/g, ' ')).toContain('locked section')
    expect(await page.locator('[data-fact]', { hasText: 'completed' }).filter({ hasText: '.in' }).count()).toBe(1)
    // It finds that it was given up, and comes back as another.
    await page.goto(`${cluster.urls[0]}/cluster`)
    await page.locator('[data-event="buried"]', { hasText: third.name }).first().waitFor()
    await card(third.name).getByText('Alive').waitFor()
    for (const id of drawers) await front('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
    for (const id of drawers) expect(await endOf(front, id)).toBe('terminated')
  })

  it('E45 says that the store of locks is away; nothing begins without its lock, and all goes on by itself', async () => {
    await page.goto(`${cluster.urls[0]}/locks`)
    await page.getByTestId('locks-ready').or(page.getByTestId('locks-empty')).waitFor()
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }))
    const away = refuse()
    link.use(away)
    let id = ''
    const kinds = async (): Promise<string[]> =>
      (await at[0]!('GET', `/workflow-instances/${id}/journal?limit=50`)).items.map(
        ({ kind }: { kind: string }) => kind,
      )
    try {
      await away.landed()
      link.dropConnections()
      await page.getByTestId('lock-store-down').waitFor()
      id = await start(at[0]!, 'guarded')
      await expect.poll(kinds).toContain('waiting')
      expect(await kinds()).not.toContain('opened')
      expect(await page.getByTestId('lock-store-down').count()).toBe(1)
    } finally {
      await link.clear()
    }
    await page.getByTestId('lock-store-down').waitFor({ state: 'detached' })
    await lockRow('ledger').waitFor()
    await expect.poll(kinds).toContain('opened')
    expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true)
    await front('POST', `/workflow-instances/${id}/terminate`, { reason: 'seen' })
  })

  it('E03 goes on at another node when the one with the stream is killed: no event lost, none twice', async () => {
    const open = await context.newPage()
    await open.addInitScript((base) => {
      const heard: { kind: string; mode?: string; event?: { id: string; event: string } }[] = []
      Object.assign(globalThis, { heard })
      const name = `lockstep-stream ${location.origin}${base}/api/v1`
      new BroadcastChannel(name).onmessage = ({ data }) => heard.push(data)
    }, BASE)
    const heard = () =>
      open.evaluate(
        () =>
          (globalThis as never as { heard: { kind: string; mode?: string; event?: { id: string; event: string } }[] })
            .heard,
      )
    const asked: (string | undefined)[] = []
    open.on('request', (request) => {
      if (request.url().includes('/streams/')) asked.push(request.headers()['last-event-id'])
    })
    await page.goto('about:blank')
    await open.goto(`${cluster.front.url}${BASE}/instances`)
    await expect.poll(() => open.getByTestId('live-switch').getAttribute('data-mode')).toBe('stream')
    const streams = async (url: string): Promise<boolean> =>
      /^lockstep_live_streams(\{[^}]*\})? 1$/m.test(await (await fetch(`${url}/metrics`)).text())
    const serving = (await Promise.all(cluster.urls.map(streams))).indexOf(true)
    const { pos } = (await readRows<{ pos: string }>(db, 'select coalesce(max(pos), 0) as pos from journal'))[0]!
    const others = at.filter((_, index) => index !== serving)
    for (const api of others) await start(api, 'tick')
    const told = async () =>
      (await heard()).flatMap(({ event }) =>
        event?.event === 'instances' && BigInt(event.id) > BigInt(pos) ? event.id : [],
      )
    await expect.poll(async () => (await told()).length).toBeGreaterThan(0)
    cluster.nodes[serving]!.kill()
    const ids: string[] = []
    for (let round = 0; round < 10; round += 1) for (const api of others) ids.push(await start(api, 'tick'))
    for (const id of ids) expect(await endOf(others[0]!, id)).toBe('completed')
    await expect.poll(() => open.getByTestId('live-switch').getAttribute('data-mode')).toBe('stream')
    const journal = async () =>
      (await readRows<{ pos: string }>(db, 'select pos from journal where pos > $1 order by pos', [pos])).map((row) =>
        String(row.pos),
      )
    // More may be written between two looks.
    await vi.waitFor(async () => expect(await told()).toEqual(await journal()), { timeout: 20_000, interval: 100 })
    expect((await heard()).flatMap(({ mode }) => mode ?? [])).toContain('stale')
    expect(asked.filter((id) => id !== undefined)).not.toEqual([])
    await open.close()
    await cluster.nodes[serving]!.start()
  })

  it('E51 restarts all nodes in turn under load: no run fails, and the page needs no reload', async () => {
    await page.goto(`${cluster.front.url}${BASE}/instances?definition=tick`)
    await page.getByTestId('instances-ready').waitFor()
    await page.mouse.move(0, 0)
    await page.evaluate(() => Object.assign(globalThis, { stayed: true }))
    const ids: string[] = []
    let done = false
    /** As a client does that wants one run, whatever happens to the node that it asked. */
    const startOne = async (): Promise<void> => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
      const body = JSON.stringify({ definitionId: 'tick' })
      for (;;) {
        const response = await fetch(`${cluster.front.url}${BASE}/api/v1/workflow-instances`, {
          method: 'POST',
          headers,
          body,
        })
        const told = (await response.json()) as { id: string; code?: string }
        if (response.ok) return void ids.push(told.id)
        // The node that went has not let go of the key yet.
        if (told.code !== 'IDEMPOTENCY_IN_PROGRESS') throw new Error(JSON.stringify(told))
      }
    }
    const load = async (): Promise<void> => {
      while (!done) await startOne()
    }
    const pids = cluster.nodes.map(({ pid }) => pid)
    const restart = async (): Promise<void> => {
      for (const node of cluster.nodes) {
        await node.stop()
        await node.start()
      }
      done = true
    }
    await Promise.all([load(), restart()])
    for (const [index, node] of cluster.nodes.entries()) expect(node.pid).not.toBe(pids[index])
    expect(ids.length).toBeGreaterThan(10)
    const last = ids.at(-1)!
    expect(await endOf(front, last)).toBe('completed')
    for (const status of ['faulted', 'cancelled', 'quarantined'])
      expect((await front('GET', `/workflow-instances?definition=tick&status=${status}`)).items).toEqual([])
    await expect
      .poll(
        async () => (await front('GET', '/workflow-instances?definition=tick&status=queued,running,suspended')).items,
      )
      .toEqual([])
    await page
      .locator('tr', { hasText: last.slice(-6) })
      .locator('[data-status="completed"]')
      .waitFor()
    await expect.poll(mode).toBe('stream')
    expect(await page.evaluate(() => 'stayed' in globalThis)).toBe(true)
  })

  it('E41 drains a node: what it has in hand goes to the others, and it takes part again', async () => {
    const { name } = cluster.nodes[0]!
    await page.goto(`${cluster.urls[1]}/cluster`)
    const inHand = async (): Promise<number> => Number.parseInt(await card(name).locator('dd').first().innerText(), 10)
    const asked = outside.count
    const calls = await Promise.all(Array.from({ length: 4 }, () => start(at[0]!, 'call')))
    await expect.poll(() => outside.count - asked).toBe(4)
    await expect.poll(inHand).toBeGreaterThan(0)
    await card(name).getByRole('button', { name: 'Drain…' }).click()
    // No dev cluster: nobody is killed from here.
    expect(await page.getByRole('button', { name: /^(Kill…|Pause|Revive)$/ }).count()).toBe(0)
    await page.getByRole('dialog').getByRole('button', { name: 'Drain' }).click()
    const answering = setInterval(() => outside.letGo(), 100)
    await card(name).getByText('Drained').waitFor()
    await expect.poll(inHand).toBe(0)
    for (const id of calls) expect(await endOf(at[1]!, id)).toBe('completed')
    clearInterval(answering)
    await page.locator('[data-event="drained"]').first().waitFor()
    await card(name).getByRole('button', { name: 'Take part again' }).click()
    await card(name).getByText('Alive').waitFor()
    const { items } = await at[1]!('GET', '/workflow-instances?status=faulted')
    expect(items).toEqual([])
  })

  it('E46 fires every ten seconds over three nodes, each time once; pause, run now, and what an outage made late', async () => {
    await page.goto(`${cluster.front.url}${BASE}/schedules/often`)
    interface Run {
      readonly origin: string
      readonly late: boolean
      readonly nominalAt: string
      readonly nodeId: string
    }
    const runs = async (): Promise<readonly Run[]> => (await front('GET', '/schedules/often/runs?limit=200')).items
    const fired = async () => (await runs()).filter(({ origin }) => origin === 'schedule')
    const slots = async () => (await fired()).map(({ nominalAt }) => Date.parse(nominalAt)).sort((a, b) => a - b)
    const storeNow = async (): Promise<number> =>
      Number((await readRows<{ now: string }>(db, `select extract(epoch from now()) * 1000 as now`))[0]!.now)
    // It was made first and is looked at now: most of the minute went by while other tests ran.
    await expect.poll(async () => (await slots()).length, { timeout: 120_000 }).toBeGreaterThanOrEqual(6)
    const [first] = await slots()
    const ofTheMinute = (await fired()).filter(({ nominalAt }) => Date.parse(nominalAt) < first! + 60_000)
    expect(ofTheMinute).toHaveLength(6)
    const table = page.getByTestId('runs-ready')
    await expect.poll(() => table.locator('tbody tr').count()).toBeGreaterThanOrEqual(6)
    // Whoever fired is told with each: by its name, or by its id when it has gone since.
    const names = cluster.nodes.map(({ name }) => name)
    for (const by of await table.locator('tbody tr td:nth-child(4)').allInnerTexts())
      expect(names.some((name) => by === `${name} schedule`) || /^nod_\S+ schedule$/.test(by), by).toBe(true)

    // An outage: nobody is there when it is next due. It begins shortly before, to be shorter than a node may be silent.
    const since = async (): Promise<number> => ((await storeNow()) - first!) % OFTEN_MS
    await expect.poll(since).toBeGreaterThan(OFTEN_MS - 3_000)
    for (const node of cluster.nodes) node.pause()
    const missed = first! + Math.ceil(((await storeNow()) - first!) / OFTEN_MS) * OFTEN_MS
    await expect.poll(storeNow).toBeGreaterThan(missed + 1_500)
    for (const node of cluster.nodes) node.pause()
    const fires = async () => (await fired()).find(({ nominalAt }) => Date.parse(nominalAt) === missed)?.late
    await expect.poll(fires, { timeout: 60_000 }).toBe(true)
    await table.getByText('late', { exact: true }).first().waitFor()

    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await page.getByText('Paused', { exact: true }).first().waitFor()
    const stopped = await slots()
    expect(stopped).toEqual(stopped.map((_, index) => stopped[0]! + OFTEN_MS * index))
    const before = (await runs()).length
    await page.getByRole('button', { name: 'Run now' }).click()
    await expect.poll(async () => (await runs()).length).toBe(before + 1)
    // The next time comes and goes.
    await expect.poll(storeNow).toBeGreaterThan(stopped.at(-1)! + OFTEN_MS + 2_000)
    expect(await slots()).toEqual(stopped)
    expect(await runs()).toHaveLength(before + 1)
  })

  it('E40 moves the crown when the leader is killed, with a greater term, and buries the dead node', async () => {
    await page.goto(`${cluster.urls[2]}/cluster`)
    const crown = page.getByTestId('crown')
    await crown.waitFor()
    const name = await page.locator('[data-testid="node"]', { has: crown }).getAttribute('data-name')
    const leader = cluster.nodes.find((node) => node.name === name)!
    const other = cluster.nodes.slice(0, 2).find((node) => node !== leader)!
    const term = BigInt((await crown.getAttribute('data-term'))!)
    const asked = outside.count
    const calls = await Promise.all(at.map((api) => start(api, 'call')))
    await expect.poll(() => outside.count - asked).toBe(3)
    const events = async () => (await at[2]!('GET', '/cluster/events?limit=200')).items
    const last = BigInt((await events()).at(-1).position)
    // Those from before may go from the page while it is looked at: it shows the newest.
    const buried = async (): Promise<number> =>
      (
        await page
          .locator('[data-event="buried"]', { hasText: leader.name })
          .evaluateAll((rows) => rows.map((row) => (row as HTMLElement).dataset.position!))
      ).filter((position) => BigInt(position) > last).length
    const killedAt = Date.now()
    leader.kill()
    await card(leader.name).getByText('Late').waitFor()
    expect(await buried()).toBe(0)
    await card(other.name).getByTestId('crown').waitFor()
    expect(BigInt((await crown.getAttribute('data-term'))!) > term).toBe(true)
    await expect.poll(buried).toBe(1)
    await expect.poll(() => page.getByTestId('node').count()).toBe(2)
    // Missed first, and given up not before it had been silent for as long as it may be: since its last beat, which was before its end.
    const told: readonly { kind: string; name: string; at: string }[] = await events()
    const since = (kind: string): number =>
      Date.parse(told.findLast((event) => event.kind === kind && event.name === leader.name)!.at) - killedAt
    expect(since('suspected')).toBeGreaterThan(0)
    expect(since('buried')).toBeGreaterThan(since('suspected'))
    expect(since('buried')).toBeGreaterThan(Number(life.LOCKSTEP_NODE_TTL_MS) - 2 * Number(life.LOCKSTEP_HEARTBEAT_MS))
    const answering = setInterval(() => outside.letGo(), 100)
    for (const id of calls) expect(await endOf(at[2]!, id)).toBe('completed')
    clearInterval(answering)
    const done = await at[2]!('POST', '/workflow-instances', { definitionId: 'tick', wait: '30s' })
    expect(done.status).toBe('completed')
  })
})

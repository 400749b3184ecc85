import { setMaxListeners } from 'node:events'
import { systemClock as clock, systemRandom as random, silentLogger } from '@lockstep/base'
import { type Db, openPostgres } from '@lockstep/postgres'
import { cloneDatabase, startRedis } from '@lockstep/testing/harness'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiClient } from '../../packages/lockstep/src/cli/remote/api-client.ts'
import { type ChecklistOptions, type Report, runChecklist } from '../../packages/lockstep/src/verify/checklist.ts'
import { type WrongClock, wrongClock } from '../../packages/testing/src/harness/wrong-clock.ts'
import { readRows } from '../faults/read-rows.ts'
import { ServerCluster } from './front.ts'

/**
 * The six parts of the checklist on three real processes in three time zones, whose clocks differ by hours. The full counts:
 * LOCKSTEP_CHECKLIST=full (1,000 rounds, 10,000 timers, 1,000 pairs, 200 rounds of locks).
 */
const isFull = process.env.LOCKSTEP_CHECKLIST === 'full'
const counts = isFull
  ? { rounds: 1_000, timers: 10_000, pairRounds: 100, lockRounds: 200 }
  : { rounds: 100, timers: 300, pairRounds: 10, lockRounds: 2 }
const LONGEST_MS = isFull ? 3_600_000 : 300_000

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata']
/** By how much the clock of each node is wrong. */
const OFF_HOURS = [0, 2, -2]
const HOUR_MS = 3_600_000
/** As by default in full; in small nobody is to be buried because the machine is busy. */
const LIFE: Readonly<Record<string, string>> = isFull ? {} : { LOCKSTEP_NODE_TTL_MS: '10000' }

let clocks: WrongClock
let db: Db
let database: Awaited<ReturnType<typeof cloneDatabase>>
let cluster: ServerCluster
beforeAll(async () => {
  clocks = await wrongClock({ quiet: true })
  database = await cloneDatabase(inject('postgres'))
  db = await openPostgres({ url: database.url, clock, random, logger: silentLogger })
  const environments = ZONES.map((TZ, index) => {
    const offMs = OFF_HOURS[index]! * HOUR_MS
    return { TZ, ...LIFE, ...(offMs === 0 ? {} : clocks.environment(offMs)) }
  })
  cluster = await ServerCluster.open({ databaseUrl: database.url, environments })
})
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]()
  clocks?.sweep()
  await db?.close()
  await database?.drop()
})
afterEach(() => {
  expect(cluster.failures).toEqual([])
})

/** Of someone who never interrupts: every request that is under way listens to it. */
function never(): AbortSignal {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  return signal
}

const check = (options: Partial<ChecklistOptions>, urls: readonly string[] = cluster.urls): Promise<Report> =>
  runChecklist({
    nodes: urls.map((url) => apiClient({ url, apiKey: undefined, signal: never() })),
    rounds: 1,
    timers: 1,
    // In small, how fast is for the bench to say: this machine may be busy.
    lockLimitMs: isFull ? 500 : 600_000,
    environment: { PATH: process.env.PATH },
    clock,
    progress: () => undefined,
    ...options,
  })

/** What was found, with its figures in the output of the run: whoever reads a failure wants them. */
const onlyPart = (report: Report) => {
  const [found] = report.parts
  process.stdout.write(`checklist ${found?.number} ${found?.title}: ${JSON.stringify(found?.figures)}\n`)
  expect(report.left).toEqual([])
  return { verdict: found?.verdict, reasons: found?.reasons, figures: found?.figures }
}
const passed = { verdict: 'pass', reasons: [] }

describe('the checklist on three nodes', () => {
  it('1: of simultaneous resumes one wins, and the state is intact', { timeout: LONGEST_MS }, async () => {
    const found = onlyPart(await check({ parts: [1], rounds: counts.rounds }))
    const { rounds } = counts
    const figures = { instances: rounds, resumes: rounds * 30, won: rounds, lost: rounds * 29 }
    expect(found).toEqual({ ...passed, figures })
  })

  it('2: timers fire once each, over all nodes', { timeout: LONGEST_MS }, async () => {
    const found = onlyPart(await check({ parts: [2], timers: counts.timers }))
    expect(found).toMatchObject({ ...passed, figures: { timers: counts.timers } })
    const spread = String(found.figures?.spread).split(' + ').map(Number)
    expect(spread).toHaveLength(3)
    expect(spread.reduce((sum, each) => sum + each)).toBe(counts.timers)
  })

  it('3: what one node publishes another starts', { timeout: LONGEST_MS }, async () => {
    const found = onlyPart(await check({ parts: [3], rounds: counts.pairRounds }))
    expect(found).toEqual({ ...passed, figures: { pairs: counts.pairRounds * 10, stale: 0 } })
  })

  it('6: fifty locks in parallel are granted, none twice, none stuck', { timeout: LONGEST_MS }, async () => {
    const found = onlyPart(await check({ parts: [6], rounds: counts.lockRounds }))
    expect(found).toMatchObject({ ...passed, figures: { grants: counts.lockRounds * 100 + 50 } })
  })

  it('3: also while no wake-up arrives', { timeout: LONGEST_MS }, async () => {
    await using cut = await cutWakeUps(database.url)
    const found = onlyPart(await check({ parts: [3], rounds: counts.pairRounds }))
    expect(found).toEqual({ ...passed, figures: { pairs: counts.pairRounds * 10, stale: 0 } })
    expect(cut.count()).toBeGreaterThan(0)
  })

  it('4: the timers of a killed node fire once, elsewhere', { timeout: LONGEST_MS }, async () => {
    const found = onlyPart(await check({ parts: [4], killCommand: cluster.killCommand }))
    expect(found).toMatchObject({ ...passed, figures: { timers: 10 } })
    expect(Number(found.figures?.elsewhere)).toBeGreaterThan(0)
    const killed = cluster.nodes.filter((node) => node.state === 'dead')
    expect(killed.map((node) => node.name)).toEqual([found.figures?.killed])
    await killed[0]!.start()
  })

  it('5: a rolling restart under load fails no request and no run', { timeout: LONGEST_MS }, async () => {
    const before = cluster.nodes.map((node) => node.pid)
    const report = await check({ parts: [5], restartCommand: cluster.restartCommand }, [cluster.front.url])
    expect(onlyPart(report)).toMatchObject({ ...passed, figures: { 'failed requests': 0, 'failed runs': 0 } })
    for (const [index, node] of cluster.nodes.entries()) expect(node.pid).not.toBe(before[index])
  })

  it('parts 4 and 5 are not run without their commands, which is no failure', async () => {
    const report = await check({ parts: [4, 5] })
    expect(report).toMatchObject({ passed: true, parts: [{ verdict: 'not run' }, { verdict: 'not run' }] })
    expect(report.parts.map((part) => part.reasons[0])).toEqual([
      expect.stringContaining('--kill-command'),
      expect.stringContaining('--restart-command'),
    ])
  })
})

describe('the checklist with locks on Redis', () => {
  it('6: fifty locks in parallel are granted, none twice, none stuck', { timeout: LONGEST_MS }, async () => {
    const own = await cloneDatabase(inject('postgres'))
    const redis = await startRedis({ quiet: true })
    const on = { ...LIFE, LOCKSTEP_LOCKS: 'redis', LOCKSTEP_REDIS_URL: redis.url }
    try {
      await using nodes = await ServerCluster.open({ databaseUrl: own.url, environments: [on, on, on] })
      const found = onlyPart(
        await check({ parts: [6], rounds: counts.lockRounds, ...(isFull && { lockLimitMs: 100 }) }, nodes.urls),
      )
      expect(found).toMatchObject({ ...passed, figures: { grants: counts.lockRounds * 100 + 50 } })
      expect(nodes.failures).toEqual([])
    } finally {
      await redis.stop()
      await own.drop()
    }
  })
})

describe('clocks that are two hours ahead and two hours behind', () => {
  const ask = async (url: string, method: string, path: string, body?: unknown) => {
    const said =
      body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/api/v1${path}`, { method, ...said })
    expect([method, path, answer.ok, answer.status]).toEqual([method, path, true, answer.status])
    return answer.status === 204 ? undefined : answer.json()
  }
  const storeTime = async () =>
    (await readRows<{ at: number }>(db, `select (extract(epoch from clock_timestamp()) * 1000)::float8 as at`))[0]!.at
  const publish = (id: string, activity: object) =>
    ask(cluster.urls[0]!, 'PUT', `/workflow-definitions/${id}`, { id, activities: [activity], connections: [] })
  /** Rows that are too early, or so late that a wrong clock must have set them. */
  const offTime = `(came < due or came > due + interval '30 minutes')`

  it('are told of each node by every node', async () => {
    for (const url of cluster.urls)
      await expect
        .poll(async () => {
          const { items } = await ask(url, 'GET', '/cluster/nodes')
          const hours = (node: { skewMs: number | null }) => Math.round(Number(node.skewMs) / HOUR_MS) + 0
          expect(items.filter((node: { silentMs: number }) => node.silentMs > HOUR_MS / 2)).toEqual([])
          return items.map((node: { name: string; skewMs: number }) => [node.name, hours(node)]).sort()
        })
        .toEqual(OFF_HOURS.map((hours, index) => [`node-${index + 1}`, hours]))
  })

  it('neither hasten nor delay timers, nor moments that were named', async () => {
    await publish('nap', { id: 'nap', type: 'delay', inputs: { duration: '1s' } })
    await publish('moment', { id: 'moment', type: 'wait-until', inputs: { at: { $expr: 'input.at' } } })
    const at = new Date((await storeTime()) + 3_000).toISOString()
    const started = await Promise.all(
      cluster.urls.flatMap((url) =>
        ['nap', 'moment', 'nap', 'moment'].map((definitionId) =>
          ask(url, 'POST', '/workflow-instances', { definitionId, input: { at }, wait: '60s' }),
        ),
      ),
    )
    expect(started.map((instance) => instance.status)).toEqual(Array(12).fill('completed'))
    const found = await readRows<{ wrong: number; fired: number }>(
      db,
      `select (count(*) filter (where ${offTime}))::integer as wrong, sum(fired)::integer as fired
         from (select i.finished_at as came, case i.definition_id when 'nap' then i.created_at + interval '1 second' else $1::timestamptz end as due,
                      (select count(*) from journal j where j.instance_id = i.id and j.kind = 'completed' and j.data ->> 'by' = 'timer') as fired
                 from instance i where i.definition_id in ('nap', 'moment')) x`,
      [at],
    )
    expect(found).toEqual([{ wrong: 0, fired: 12 }])
  })

  it('fire schedules once, when they are due', async () => {
    await publish('tick', { id: 'out', type: 'set-output', inputs: { name: 'ticked', value: true } })
    const at = new Date((await storeTime()) + 5_000).toISOString()
    const ids = cluster.urls.flatMap((_url, index) => [`each-${index}`, `once-${index}`])
    for (const [index, url] of cluster.urls.entries()) {
      const others = { definitionId: 'tick', overlap: 'allow' }
      await ask(url, 'POST', '/schedules', { id: `each-${index}`, trigger: { interval: '1s' }, ...others })
      await ask(url, 'POST', '/schedules', { id: `once-${index}`, trigger: { at }, ...others })
    }
    const started = () =>
      readRows<{ id: string; count: number }>(
        db,
        `select schedule_id as id, count(*)::integer as count from schedule_run where state = 'started' group by 1`,
      )
    const least = (id: string) => (id.startsWith('each') ? 2 : 1)
    await expect
      .poll(
        async () => {
          const rows = await started()
          return ids.filter((id) => (rows.find((row) => row.id === id)?.count ?? 0) < least(id))
        },
        { timeout: 60_000 },
      )
      .toEqual([])
    for (const id of ids) await ask(cluster.urls[2]!, 'DELETE', `/schedules/${id}`)
    const rows = await started()
    expect(rows.filter(({ id, count }) => id.startsWith('once') && count !== 1)).toEqual([])
    const found = await readRows<{ wrong: number; doubled: number; stray: number }>(
      db,
      `select (count(*) filter (where ${offTime}))::integer as wrong, (count(*) - count(distinct (schedule_id, due)))::integer as doubled,
              ((select count(*) from instance where definition_id = 'tick') - count(*))::integer as stray
         from (select schedule_id, nominal_at as due, fired_at as came from schedule_run where state = 'started') x`,
    )
    expect(found).toEqual([{ wrong: 0, doubled: 0, stray: 0 }])
  })

  it('show the same life of a lease on every node', async () => {
    await publish('held', {
      ...{ id: 'alone', type: 'critical-section', inputs: { lock: 'clock-till' } },
      body: { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }], connections: [] },
    })
    const { id } = await ask(cluster.urls[1]!, 'POST', '/workflow-instances', { definitionId: 'held' })
    for (const url of cluster.urls)
      await expect
        .poll(async () => {
          const { items } = await ask(url, 'GET', '/locks?prefix=clock-till')
          return items.map((lock: { state: string; ttlMs: number }) => [
            lock.state,
            lock.ttlMs > 0 && lock.ttlMs < HOUR_MS / 2,
          ])
        })
        .toEqual([['held', true]])
    await ask(cluster.urls[2]!, 'POST', `/workflow-instances/${id}/resume`, { bookmark: 'go' })
    const ended = await ask(cluster.urls[0]!, 'GET', `/workflow-instances/${id}?wait=60s`)
    expect(ended.status).toBe('completed')
  })
})

/** Ends every session that listens, again and again: whatever is announced is heard by nobody for long. */
async function cutWakeUps(url: string): Promise<AsyncDisposable & { count(): number }> {
  const client = new pg.Client(url)
  await client.connect()
  let [isOver, count] = [false, 0]
  const cutting = (async () => {
    while (!isOver) {
      const { rowCount } = await client.query(`
        select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid()
           and (query ilike 'listen %' or query = 'select 1 as listening')`)
      count += rowCount ?? 0
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  })()
  return {
    count: () => count,
    [Symbol.asyncDispose]: async () => {
      isOver = true
      await cutting
      await client.end()
    },
  }
}

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type LogFields, type Logger, systemClock, systemRandom } from '@lockstep/base'
import { RoundTrips } from '@lockstep/server'
import { aptInstaller, cloneDatabase, locatorFor, startRabbitmq, startRedis } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { until } from '../faults/until.ts'
import { type Family, parseMetrics } from './parse-metrics.ts'

const lines: { message: string; fields: LogFields | undefined }[] = []
const write = (message: string, fields?: LogFields): void => void lines.push({ message, fields })
const logger: Logger = { debug: write, info: write, warn: write, error: write, area: () => logger }
/** Two runs that have each taken one of two locks of the database, and then want the other. */
let havingOne = 0
let goOn: () => void
const bothHaveOne = new Promise<void>((resolve) => {
  goOn = resolve
})
const workflows = [
  workflow('crossed', async (ctx, [first, second]: [number, number]) =>
    ctx.transaction('cross', async (tx) => {
      await tx.query('select pg_advisory_xact_lock($1)', [first])
      havingOne += 1
      if (havingOne === 2) goOn()
      await bothHaveOne
      await tx.query('select pg_advisory_xact_lock($1)', [second])
    }),
  ),
  workflow('locked', async (ctx) => ctx.lock('stock/7', () => ctx.step('count', async () => 7))),
  workflow('timed', async (ctx) => ctx.sleep('20ms')),
  workflow('faulty', async (ctx) => ctx.step('boom', async () => Promise.reject(new Error('no')))),
]

let folder: string
let node: RunningNode
const closing: (() => Promise<unknown>)[] = []
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'lockstep-metrics-'))
  const [database, redis, rabbitmq] = await Promise.all([
    cloneDatabase(inject('postgres')),
    startRedis(),
    startRabbitmq(),
  ])
  closing.push(
    () => database.drop(),
    () => redis.stop(),
    () => rabbitmq.stop(),
    () => rm(folder, { recursive: true, force: true }),
  )
  const options = resolveNodeOptions({
    port: 0,
    dataDir: folder,
    databaseUrl: database.url,
    redisUrl: redis.url,
    locks: 'redis',
    rabbitmqUrl: rabbitmq.url,
  })
  const edge = { clock: systemClock, random: systemRandom, logger }
  node = await startNode(options, edge, { workflows, activities: [], jobs: [] })
})
afterAll(async () => {
  await node?.stop()
  for (const close of closing) await close()
})

const scrape = async (): Promise<string> => {
  const response = await fetch(`${node.url}/metrics`)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
  ])
  return response.text()
}
const run = async (definitionId: string, input?: unknown): Promise<void> => {
  const response = await fetch(`${node.url}/api/v1/workflow-instances`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ definitionId, input, wait: '60s' }),
  })
  expect(response.status).toBeLessThan(300)
}
const sampleOf = (families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number => {
  const family = families.get(name.replace(/_(count|sum)$/, '')) ?? families.get(name)
  const found = family?.samples.find(
    (each) => each.name === name && Object.entries(labels).every(([label, value]) => each.labels[label] === value),
  )
  return found?.value ?? Number.NaN
}

describe('/metrics', () => {
  it('counts what the node does', async () => {
    for (const id of ['locked', 'timed', 'faulty']) await run(id)
    let families = parseMetrics(await scrape())
    const ended = (status: string): number => sampleOf(families, 'lockstep_instances_ended_total', { status })
    await until(
      'all ends were counted',
      async () => {
        families = parseMetrics(await scrape())
        return ended('completed') + ended('faulted') === 3
      },
      60_000,
    )
    expect([ended('completed'), ended('faulted')]).toEqual([2, 1])
    expect(sampleOf(families, 'lockstep_instances_started_total')).toBe(3)
    expect(sampleOf(families, 'lockstep_instance_duration_seconds_count', { status: 'faulted' })).toBe(1)
    expect(sampleOf(families, 'lockstep_step_duration_seconds_count')).toBeGreaterThanOrEqual(2)
    expect(sampleOf(families, 'lockstep_steps_failed_total')).toBeGreaterThanOrEqual(1)
    expect(sampleOf(families, 'lockstep_timer_lateness_seconds_count')).toBeGreaterThanOrEqual(1)
    expect(sampleOf(families, 'lockstep_commit_batch_size_count')).toBeGreaterThanOrEqual(3)
    expect(sampleOf(families, 'lockstep_database_statement_duration_seconds_count')).toBeGreaterThan(10)
    // Of that lock: chores of the node have locks of their own, when their time comes.
    const lock = 'stock/*'
    expect(sampleOf(families, 'lockstep_lock_requests_total', { lock, result: 'granted' })).toBe(1)
    expect(sampleOf(families, 'lockstep_lock_wait_seconds_count', { lock })).toBe(1)
    for (const pool of ['api', 'redis'])
      expect(sampleOf(families, 'lockstep_pool_connections', { pool })).toBeGreaterThanOrEqual(1)
    expect(sampleOf(families, 'lockstep_scheduler_heartbeat_age_seconds')).toBeGreaterThanOrEqual(0)
    expect(families.get('lockstep_cache_hits_total')?.samples.length).toBeGreaterThanOrEqual(1)
    expect(sampleOf(families, 'process_resident_memory_bytes')).toBeGreaterThan(1_000_000)
    expect(sampleOf(families, 'nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
  })

  it('counts deadlocks, which end by themselves', async () => {
    const deadlocks = async (): Promise<number> =>
      sampleOf(parseMetrics(await scrape()), 'lockstep_database_deadlocks_total')
    expect(await deadlocks()).toBe(0)
    await Promise.all([run('crossed', [1, 2]), run('crossed', [2, 1])])
    expect(await deadlocks()).toBeGreaterThanOrEqual(1)
  })

  it('has as many series after a hundred instances as before: nothing carries an id', async () => {
    const names = async (): Promise<string[]> =>
      [...parseMetrics(await scrape())]
        .filter(([name]) => name.startsWith('lockstep_') && name !== 'lockstep_round_trip_seconds')
        .flatMap(([, { samples }]) => samples)
        .filter(({ labels }) => !labels.lock?.startsWith('maintenance:'))
        .map((each) => each.name + JSON.stringify(each.labels))
    const before = await names()
    await Promise.all(Array.from({ length: 100 }, () => run('locked')))
    expect(await names()).toEqual(before)
  })

  it('is what promtool reads without a complaint', async (context) => {
    const locate = locatorFor(process.env.PATH)
    const installer = aptInstaller()
    if (locate('promtool') === undefined && installer.unable() === undefined)
      await installer
        .install(
          ['prometheus'],
          () => locate('promtool') !== undefined,
          () => undefined,
        )
        .catch(() => undefined)
    const promtool = locate('promtool')
    if (promtool === undefined) return context.skip('there is no promtool, and it cannot be installed here')
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: await scrape() })
    expect([status, `${stdout}${stderr}`]).toEqual([0, ''])
  })

  it('is described, every one of our names', async () => {
    const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8')
    const described = new Set([...page.matchAll(/^\| `(lockstep_[a-z_]+)` \|/gm)].map(([, name]) => name))
    const there = [...parseMetrics(await scrape()).keys()].filter((name) => name.startsWith('lockstep_'))
    expect(described).toEqual(new Set(there))
  })
})

describe('round trips', () => {
  it('to the database, Redis and the broker are measured', async () => {
    const targets = ['broker', 'database', 'redis']
    await until(
      'all were measured',
      async () => {
        const { samples = [] } = parseMetrics(await scrape()).get('lockstep_round_trip_seconds') ?? {}
        return (
          samples
            .map(({ labels }) => labels.target)
            .sort()
            .join() === targets.join()
        )
      },
      100_000,
    )
  })

  it.each([
    ['database', 10],
    ['redis', 5],
    ['broker', 10],
  ] as const)('to the %s that take longer than %i ms are told once, after a row of them', async (name, limitMs) => {
    let [now, tookMs] = [0, limitMs]
    const clock = { ...systemClock, monotonic: () => now }
    const ping = async (): Promise<void> => {
      now += tookMs
    }
    const trips = new RoundTrips([{ name, ping }], clock, logger)
    lines.length = 0
    const told = (): unknown[] =>
      lines.filter(({ message }) => message === 'round trip is long').map(({ fields }) => fields)
    for (let round = 0; round < 5; round += 1) await trips.measure()
    expect(told()).toEqual([])
    tookMs = limitMs + 1
    for (let round = 0; round < 2; round += 1) await trips.measure()
    expect(told()).toEqual([])
    for (let round = 0; round < 5; round += 1) await trips.measure()
    expect(told()).toEqual([{ target: name, tookMs, limitMs }])
    expect(trips.latest.get(name)).toBeCloseTo(tookMs / 1_000)
  })
})

describe('the page of a problem', () => {
  it('says what the reference says', async () => {
    const response = await fetch(`${node.url}/problems/bookmark-ambiguous`)
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('Name one of those listed.'),
    ])
    expect((await fetch(`${node.url}/problems/no-such-thing`)).status).toBe(404)
  })
})

import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { systemClock } from '@lockstep/base'
import { cloneDatabase } from '@lockstep/testing/harness'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { apiClient } from '../../packages/lockstep/src/cli/remote/api-client.ts'
import { type ChecklistOptions, type Report, runChecklist } from '../../packages/lockstep/src/verify/checklist.ts'
import { ServerCluster, serverNode } from './front.ts'

/**
 * The six parts of the checklist on three real processes in three time zones. The full counts:
 * LOCKSTEP_CHECKLIST=full (1,000 rounds, 10,000 timers, 1,000 pairs, 200 rounds of locks).
 */
const isFull = process.env.LOCKSTEP_CHECKLIST === 'full'
const counts = isFull
  ? { rounds: 1_000, timers: 10_000, pairRounds: 100, lockRounds: 200 }
  : { rounds: 50, timers: 1_000, pairRounds: 10, lockRounds: 2 }
const LONGEST_MS = isFull ? 3_600_000 : 300_000

const ZONES = ['UTC', 'America/New_York', 'Asia/Kolkata']

let database: Awaited<ReturnType<typeof cloneDatabase>>
let cluster: ServerCluster
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
  cluster = await ServerCluster.open({ databaseUrl: database.url, environments: ZONES.map((TZ) => ({ TZ })) })
})
afterAll(async () => {
  await cluster?.[Symbol.asyncDispose]()
  await database?.drop()
})
afterEach(() => {
  expect(cluster.failures).toEqual([])
})

const check = (options: Partial<ChecklistOptions>, urls: readonly string[] = cluster.urls): Promise<Report> =>
  runChecklist({
    nodes: urls.map((url) => apiClient({ url, apiKey: undefined, signal: new AbortController().signal })),
    rounds: 1,
    timers: 1,
    // How fast is for the bench to say: this machine may be busy.
    lockLimitMs: 600_000,
    environment: { PATH: process.env.PATH },
    clock: systemClock,
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
    const instances = counts.rounds * 10
    const figures = { instances, resumes: instances * 3, won: instances, lost: instances * 2 }
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

  it('3: also while no wake-up arrives', { timeout: LONGEST_MS }, async () => {
    await using cut = await cutWakeUps(database.url)
    const found = onlyPart(await check({ parts: [3], rounds: counts.pairRounds }))
    expect(found).toEqual({ ...passed, figures: { pairs: counts.pairRounds * 10, stale: 0 } })
    expect(cut.count()).toBeGreaterThan(0)
  })

  it('6: fifty locks in parallel are granted, none twice, none stuck', { timeout: LONGEST_MS }, async () => {
    const found = onlyPart(await check({ parts: [6], rounds: counts.lockRounds }))
    expect(found).toMatchObject({ ...passed, figures: { grants: counts.lockRounds * 100 + 50 } })
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

const faketime = findFaketime()
describe.skipIf(faketime === undefined)(
  'a node whose clock is wrong (skipped where libfaketime is not installed)',
  () => {
    it.each(['+2h', '-2h'])('by %s fires every timer once', { timeout: LONGEST_MS }, async (offset) => {
      const wrong = serverNode('wrong', database.url, { LD_PRELOAD: faketime!, FAKETIME: offset }, [])
      try {
        await wrong.start()
        const found = onlyPart(await check({ parts: [2], timers: 90 }, [...cluster.urls.slice(1), wrong.url!]))
        expect(found).toMatchObject({ ...passed, figures: { timers: 90 } })
      } finally {
        wrong.kill()
        await wrong.ended()
      }
    })
  },
)

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

function findFaketime(): string | undefined {
  const folders = ['/usr/lib/faketime', ...safeList('/usr/lib').map((each) => `/usr/lib/${each}/faketime`)]
  return folders.map((folder) => path.join(folder, 'libfaketime.so.1')).find((file) => existsSync(file))
}

function safeList(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

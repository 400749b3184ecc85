/** Facts and the user's own rows in one commit, whatever else the instance does at that moment. */
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { eachCrash, type Survivor } from './each-crash.ts'
import { type End, endOf, start } from './instance-view.ts'
import { countOf, shortLife, TestBed, type TestSite } from './test-bed.ts'
import { type Crash, NodeCallFailed, type TestNode } from './test-node.ts'
import { until } from './until.ts'

/** For several beats. */
const OUTAGE_MS = 1_500

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open({ graphs: true })
})
afterAll(() => bed?.stop())

it('P4 P5: two transactions of one instance side by side both commit, once each', async () => {
  await using site = await bed.site()
  const node = await site.node()
  const ids = await Promise.all(Array.from({ length: 10 }, () => start(node, 'side-by-side', {})))
  for (const id of ids) expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
  expect(await site.violations()).toEqual([])
})

it('P2 P5: a time-out that falls due while a transaction is open waits for it', async () => {
  await using site = await bed.site()
  const node = await site.node()
  const ids = await Promise.all(Array.from({ length: 10 }, () => start(node, 'timeout-beside-transaction', {})))
  for (const id of ids)
    expect(await endOf(node, id)).toMatchObject({ status: 'completed', output: ['timeout', [{ step: 'book' }]] })
  expect(await site.violations()).toEqual([])
})

it('P4: a failed transaction that the program caught is not forgotten by the next owner', async () => {
  await using site = await bed.site()
  const first = await site.node({ name: 'a' })
  const id = await start(first, 'caught-transaction', { at: 'a', gate: 'after' })
  await first.atGate('after')
  await first.kill9()
  const second = await site.node({ name: 'b' })
  expect(await endOf(second, id)).toMatchObject({ status: 'completed', output: 'division' })
  expect(await site.violations()).toEqual([])
})

it('P1: a commit that waits too long for a lock is sent again, and its instance does not fault', async () => {
  await using site = await bed.site()
  const node = await site.node({ database: { lockTimeoutMs: 300 } })
  const id = await start(node, 'timer', { ms: 400 })
  const held = await site.holdTransaction('lock table lockstep.journal in share mode')
  await until(
    'the commit was refused',
    () => node.logged('not answered').length + node.logged('refused').length > 0,
    3_000,
  ).catch(() => undefined)
  await held.end()
  expect(await endOf(node, id)).toMatchObject({ status: 'completed', output: 'fired' })
  expect(await site.violations()).toEqual([])
})

it('P1: a database that refuses every write for a while faults nobody', async () => {
  await using site = await bed.site()
  const node = await site.node()
  const ids = await Promise.all(Array.from({ length: 5 }, () => start(node, 'innocent', { turns: 6, pauseMs: 300 })))
  // As after a switch to a server that still takes itself for a standby.
  const name = new URL(site.url).pathname.slice(1)
  const others = `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}' and pid <> pg_backend_pid()`
  await site.db.script(`alter database "${name}" set default_transaction_read_only = on; ${others}`)
  await until('a heartbeat was refused', () => node.logged('heartbeat not answered').length > 0)
  await delay(OUTAGE_MS) // the same is not said again
  await site.rows('select 1').catch(() => undefined)
  await site.db.script(
    `set default_transaction_read_only = off; alter database "${name}" reset default_transaction_read_only; ${others}`,
  )
  for (const id of ids) expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
  expect(await site.violations()).toEqual([])
})

const ledgerSteps = ['book', 'both[0].left', 'both[1].right', 'flaky', 'settle']

/** Starts the graph with transactions, sends it its event and waits for its end. Repeats what another node may have done. */
async function driveLedger(node: TestNode): Promise<End> {
  const instanceId = await start(node, 'ledger-graph', null, { dedupeKey: 'the one' })
  await until('it was resumed', async () =>
    ['resumed', 'already-resumed'].includes(await node.call<string>('resume', { instanceId, bookmark: 'go' })),
  )
  let end: End | null = null
  await until('it has ended', async () => {
    end = await endOf(node, instanceId, 200)
    return end !== null
  })
  return end as unknown as End
}

async function expectLedger(site: TestSite, where: string): Promise<void> {
  const steps = async (text: string): Promise<string[]> =>
    (await site.rows<{ step: string }>(text)).map(({ step }) => step).sort()
  const rows = await steps('select step from public.ledger')
  const completed = await steps(
    `select data ->> 'step' as step from journal where kind = 'completed' and data ->> 'step' in (${ledgerSteps.map((step) => `'${step}'`).join()})`,
  )
  expect({ where, rows, completed }).toEqual({ where, rows: ledgerSteps, completed: ledgerSteps })
  expect(await site.violations(), where).toEqual([])
}

async function crashLedger(crash: Crash, victim: TestNode, survivor: Survivor): Promise<boolean> {
  await using site = await bed.site()
  site.nodes.push(victim)
  const engine = { ...shortLife, resumeWaitMs: 300 }
  await victim.call('open', site.openOptions({ name: 'a', engine, crash }))
  try {
    await driveLedger(victim)
    return false
  } catch (error) {
    if (!(error instanceof NodeCallFailed && error.code === 'GONE')) throw error
  }
  const where = `${crash.when} ${crash.op} ${crash.n}`
  const end = await survivor.at(site, { name: 'b', engine }, driveLedger)
  expect({ where, ...end }).toMatchObject({ status: 'completed', output: { last: 'settle' } })
  await expectLedger(site, where)
  return true
}

it('P1 P4 P5: a graph killed at each of its writes has one row for each completed transaction, never more', async () => {
  await using site = await bed.site()
  const clean = await site.node()
  expect(await driveLedger(clean)).toMatchObject({ status: 'completed', output: { last: 'settle' } })
  await expectLedger(site, 'without a crash')
  const counts = await clean.call<Readonly<Record<Crash['op'], number>>>('counts')
  expect(counts.transact).toBe(ledgerSteps.length + 1) // one of them failed first
  await clean.close()
  const crashes = (['transact', 'commit'] as const).flatMap((op) =>
    Array.from({ length: counts[op] }, (_, n) => [
      { op, n: n + 1, when: 'before' } as const,
      { op, n: n + 1, when: 'after' } as const,
    ])
      .flat()
      // One side of each write, or both.
      .filter(
        (_, index) => countOf('LOCKSTEP_FAULTS_BOUNDARY_STRIDE', 2) === 1 || index % 2 === Math.floor(index / 2) % 2,
      ),
  )
  expect(await eachCrash(crashes, crashLedger)).toBeGreaterThan(0.8)
}, 240_000)

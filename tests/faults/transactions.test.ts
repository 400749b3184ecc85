/** Facts and the user's own rows in one commit, whatever else the instance does at that moment. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start } from './instance-view.ts'
import { TestBed } from './test-bed.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

it('P4 P5: two transactions of one instance side by side both commit, once each', async () => {
  await using site = await bed.site()
  const node = await site.node()
  const ids = await Promise.all(Array.from({ length: 10 }, () => start(node, 'side-by-side', {})))
  for (const id of ids) expect(await endOf(node, id, 8_000)).toMatchObject({ status: 'completed' })
  expect(await site.violations()).toEqual([])
})

it('P2 P5: a time-out that falls due while a transaction is open waits for it', async () => {
  await using site = await bed.site()
  const node = await site.node()
  const ids = await Promise.all(Array.from({ length: 10 }, () => start(node, 'timeout-beside-transaction', {})))
  for (const id of ids)
    expect(await endOf(node, id, 8_000)).toMatchObject({ status: 'completed', output: ['timeout', [{ step: 'book' }]] })
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
  await until('a heartbeat was refused', () => node.logged('heartbeat not answered').length > 5)
  await site.rows('select 1').catch(() => undefined)
  await site.db.script(
    `set default_transaction_read_only = off; alter database "${name}" reset default_transaction_read_only; ${others}`,
  )
  for (const id of ids) expect(await endOf(node, id)).toMatchObject({ status: 'completed' })
  expect(await site.violations()).toEqual([])
})

/** A node that sleeps past its own death, and wakes. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start } from './instance-view.ts'
import { TestBed } from './test-bed.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

it('P4 P5: a node that wakes after its burial writes nothing more, and joins again under a new id', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a' })
  const ids = await Promise.all([1, 2, 3].map((n) => start(a, 'gated', { at: 'a', gate: `g${n}` })))
  for (const n of [1, 2, 3]) await a.atGate(`g${n}`)
  const b = await site.node({ name: 'b' })
  a.signal('SIGSTOP')
  for (const id of ids) expect(await endOf(b, id)).toMatchObject({ status: 'completed' })
  const buried = b.logged('buried a silent node').map(({ fields }) => fields?.nodeId)
  expect(buried.filter((id) => id === a.incarnations[0])).toHaveLength(1)
  // It wakes and at once goes on with what it was doing.
  for (const n of [1, 2, 3]) void a.call('openGate', { name: `g${n}` })
  a.signal('SIGCONT')
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0)
  expect(a.incarnations.length).toBeGreaterThan(1)
  const after = await start(a, 'quick', { n: 1 })
  expect(await endOf(a, after)).toMatchObject({ status: 'completed' })
  expect(
    await site.rows(
      'select 1 from journal where node_id = $1 and seq > 2 and kind <> $2',
      a.incarnations[0],
      'started',
    ),
  ).toEqual([])
  expect(await site.violations()).toEqual([])
})

it('P4: the commit of a buried node is refused with FENCED', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a', engine: { heartbeatMs: 120_000, ttlMs: 600_000 } })
  const id = await start(a, 'gated', { at: 'a', gate: 'g' })
  await a.atGate('g')
  // Buried by hand, in its sleep: it learns of it from its own commit, long before its next heartbeat, and takes nothing back meanwhile.
  a.signal('SIGSTOP')
  await site.db.script(`delete from node where id = '${a.incarnations[0]}'`)
  const b = await site.node({ name: 'b' })
  expect(await endOf(b, id)).toMatchObject({ status: 'completed' })
  void a.call('openGate', { name: 'g' })
  const refused = a.call('start', { definitionId: 'quick', input: { n: 1 } })
  a.signal('SIGCONT')
  await expect(refused).rejects.toMatchObject({ code: 'FENCED' })
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0)
  expect(a.logged('this node was buried').length).toBe(1)
  expect(await site.violations()).toEqual([])
})

it('P5 P7: a process stopped inside a transaction of the user does not hold up its own burial', async () => {
  await using site = await bed.site()
  // Nobody but who buries it ends its transaction.
  const a = await site.node({ name: 'a', database: { idleInTransactionMs: 600_000 } })
  const id = await start(a, 'gated-transaction', { at: 'a', gate: 'inside' })
  await a.atGate('inside')
  const b = await site.node({ name: 'b' })
  a.signal('SIGSTOP')
  await until('it was buried', () => b.logged('buried a silent node').length > 0)
  expect(await endOf(b, id)).toMatchObject({ status: 'completed' })
  void a.call('openGate', { name: 'inside' })
  a.signal('SIGCONT')
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0)
  expect(await site.rows('select 1 from public.ledger')).toHaveLength(1)
  expect(await site.violations()).toEqual([])
})

/** A node whose main loop is busy for a while lives; one that is stuck, or was suspended, is buried, and writes nothing more. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { endOf, start } from '../faults/instance-view.ts'
import { TestBed, type TestSite } from '../faults/test-bed.ts'
import type { TestNode } from '../faults/test-node.ts'
import { until } from '../faults/until.ts'

const PATIENCE_MS = 60_000
/** A machine that is busy for a moment is not to bury anybody. */
const life = { heartbeatMs: 300, ttlMs: 6_000 }

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

const beatOf = async (site: TestSite, id: string | undefined): Promise<number> =>
  Number((await site.rows<{ beat: string }>('select beat from node where id = $1', id))[0]?.beat ?? Number.NaN)

/** Main loops that are blocked cannot beat: where it rises all the same, the thread has taken over. */
const beatsBeside = (site: TestSite, node: TestNode): Promise<void> =>
  until(
    'the thread beats',
    async () => {
      const before = await beatOf(site, node.incarnations.at(-1))
      await node.call('block', { ms: 1_500 })
      return (await beatOf(site, node.incarnations.at(-1))) - before >= 3
    },
    PATIENCE_MS,
  )

it('a main loop that is blocked for less than its life is not buried', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a', heart: true, engine: life })
  const b = await site.node({ name: 'b', engine: life })
  await beatsBeside(site, a)
  await a.call('block', { ms: 3_500 })
  const id = await start(a, 'quick', { n: 1 })
  expect(await endOf(a, id)).toMatchObject({ status: 'completed' })
  expect([a.incarnations.length, b.logged('buried a silent node')]).toEqual([1, []])
})

it('a main loop that is blocked for longer is buried, and its late commits are refused', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a', heart: true, engine: life })
  await beatsBeside(site, a)
  const id = await start(a, 'gated', { at: 'a', gate: 'g' })
  await a.atGate('g')
  const b = await site.node({ name: 'b', engine: life })
  const file = path.join(path.dirname(site.sinkFile), 'go-on')
  void a.call('block', { file })
  await until('it was buried', () => b.logged('buried a silent node').length > 0, PATIENCE_MS)
  expect(await endOf(b, id)).toMatchObject({ status: 'completed' })
  void a.call('openGate', { name: 'g' })
  writeFileSync(file, '')
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0, PATIENCE_MS)
  expect(a.incarnations).toHaveLength(2)
  const late = `select 1 from journal where node_id = $1 and instance_id = $2 and seq > 2`
  expect(await site.rows(late, a.incarnations[0], id)).toEqual([])
  const after = await start(a, 'quick', { n: 1 })
  expect(await endOf(a, after)).toMatchObject({ status: 'completed' })
  expect(await site.violations()).toEqual([])
  const events = await site.rows<{ kind: string; name: string }>('select kind, name from cluster_event order by pos')
  expect(events.map(({ kind, name }) => `${name} ${kind}`)).toEqual(
    expect.arrayContaining(['a joined', 'b joined', 'a suspected', 'a buried']),
  )
})

it('a process that was suspended past its life is buried although its thread goes on first', async () => {
  await using site = await bed.site()
  const a = await site.node({ name: 'a', heart: true, engine: life })
  await beatsBeside(site, a)
  const b = await site.node({ name: 'b', engine: life })
  a.signal('SIGSTOP')
  await until('it was buried', () => b.logged('buried a silent node').length > 0, PATIENCE_MS)
  a.signal('SIGCONT')
  await until('it has joined again', () => a.logged('rejoined as a new node').length > 0, PATIENCE_MS)
  await beatsBeside(site, a)
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endOf, type Started, start, view, waitsFor } from './instance-view.ts'
import { countOf, TestBed, type TestSite } from './test-bed.ts'
import type { TestNode } from './test-node.ts'
import { until } from './until.ts'

let bed: TestBed
beforeAll(async () => {
  bed = await TestBed.open()
})
afterAll(() => bed?.stop())

interface Tried {
  readonly value?: unknown
  readonly error?: string
}

const outcomes = (answers: readonly Tried[]): string[] => answers.map((each) => String(each.value ?? each.error))

async function twoNodes(site: TestSite): Promise<[TestNode, TestNode]> {
  return Promise.all([site.node({ name: 'a' }), site.node({ name: 'b' })])
}

describe('P1: what was acknowledged is not lost', () => {
  it('P1: each of several resumes reaches an instance that stays in the memory of its node', async () => {
    await using site = await bed.site()
    const node = await site.node()
    const id = await start(node, 'waiter', { turns: 3 })
    for (const turn of [1, 2, 3]) {
      await waitsFor(node, id, 'go')
      expect(await node.call('resume', { instanceId: id, bookmark: 'go', payload: turn })).toBe('resumed')
    }
    expect(await endOf(node, id)).toMatchObject({ status: 'completed', output: { got: [1, 2, 3] } })
    expect(await site.violations()).toEqual([])
  })

  it('P1: one event ends one wait of an instance, not the next one too', async () => {
    await using site = await bed.site()
    const node = await site.node()
    const id = await start(node, 'two-ticks', { timeoutMs: 4_000 })
    await waitsFor(node, id, 'tick')
    // A transaction that began before the event keeps it from being settled until the instance waits again.
    const held = await site.holdTransaction()
    await node.call('publish', { name: 'tick', payload: 'once' })
    await until('it waits for the second time', async () => {
      const rows = await site.rows<{ count: number }>(
        `select count(*)::int4 as count from journal where instance_id = $1 and kind = 'waiting'`,
        id,
      )
      return rows[0]!.count === 2
    })
    await held.end()
    expect((await endOf(node, id))?.output).toEqual({ first: 'once', second: 'timeout' })
    expect(await site.violations()).toEqual([])
  })

  it('P1: 100 starts with one dedupe key over two nodes are one instance', async () => {
    await using site = await bed.site()
    const nodes = await twoNodes(site)
    const requests = Array.from({ length: 50 }, () => ({ definitionId: 'quick', input: { n: 1 }, dedupeKey: 'one' }))
    const answers = (await Promise.all(nodes.map((node) => node.call<Started[]>('startMany', { requests })))).flat()
    expect(new Set(answers.map((each) => each.instanceId)).size).toBe(1)
    expect(answers.filter((each) => each.created)).toHaveLength(1)
    expect(await endOf(nodes[0], answers[0]!.instanceId)).toMatchObject({ status: 'completed' })
    expect(await site.rows('select id from instance')).toHaveLength(1)
    expect(await site.violations()).toEqual([])
  })
})

describe('P3: a bookmark is consumed at most once', () => {
  it('P3: of 30 racing resumes over two nodes one wins, in every round', async () => {
    await using site = await bed.site()
    const [a, b] = await twoNodes(site)
    const rounds = countOf('LOCKSTEP_FAULTS_RESUME_ROUNDS', 100)
    const ids = await Promise.all(
      Array.from({ length: rounds }, (_, n) => start([a, b][n % 2]!, 'waiter', { turns: 1 })),
    )
    for (const id of ids) {
      await waitsFor(a, id, 'go')
      const race = (node: TestNode, name: string): Promise<Tried[]> =>
        node.call('tryMany', {
          calls: Array.from({ length: 15 }, (_, n) => ({
            op: 'resume',
            args: { instanceId: id, bookmark: 'go', payload: `${name}${n}` },
          })),
        })
      const said = outcomes((await Promise.all([race(a, 'a'), race(b, 'b')])).flat())
      expect(said.filter((each) => each === 'resumed')).toHaveLength(1)
      expect(said.filter((each) => each !== 'resumed').every((each) => each === 'already-resumed')).toBe(true)
    }
    for (const id of ids) expect((await endOf(a, id))?.status).toBe('completed')
    expect(await site.violations()).toEqual([])
  })

  it('P3: a time-out and a resume at the same moment never both win, and an acknowledged resume is not lost', async () => {
    await using site = await bed.site()
    const [a, b] = await twoNodes(site)
    const count = countOf('LOCKSTEP_FAULTS_TIMEOUT_RACES', 200)
    const TIMEOUT_MS = 4_000
    const ids = await Promise.all(
      Array.from({ length: count }, (_, n) => start([a, b][n % 2]!, 'waiter', { turns: 1, timeoutMs: TIMEOUT_MS })),
    )
    await until(
      'all of them wait',
      async () => (await site.rows(`select 1 from journal where kind = 'waiting'`)).length === count,
    )
    // Each is resumed around its own time-out, by the database's clock: some before, some after, most at nearly the same moment.
    const due = await site.rows<{ id: string; left: number }>(
      `select instance_id as id, ${TIMEOUT_MS} - extract(epoch from clock_timestamp() - at)::float8 * 1000 as left
         from journal where kind = 'waiting'`,
    )
    const readAt = performance.now()
    const said = new Map<string, string>()
    await Promise.all(
      due.map(async ({ id, left }, n) => {
        // Most close to the moment, a few long after it: on a slow machine time-outs fire late, and some of them must win.
        const inMs = left - 100 + 2_000 * Math.random() ** 4 - (performance.now() - readAt)
        await new Promise((resolve) => setTimeout(resolve, Math.max(0, inMs)))
        said.set(id, await [b, a][n % 2]!.call('resume', { instanceId: id, bookmark: 'go', payload: 'resumed' }))
      }),
    )
    const wrong: string[] = []
    for (const id of ids) {
      const end = await endOf(a, id)
      const got = (end?.output as { got?: string[] } | undefined)?.got?.[0]
      if ((said.get(id) === 'resumed') !== (got === 'resumed'))
        wrong.push(`${id}: answered ${said.get(id)}, took ${got}`)
    }
    const resumed = [...said.values()].filter((each) => each === 'resumed').length
    expect(wrong).toEqual([])
    // Else nothing raced.
    expect(resumed).toBeGreaterThan(0)
    expect(resumed).toBeLessThan(count)
    expect(await site.violations()).toEqual([])
  })
})

describe('P4: an instance that has ended stays as it ended', () => {
  it('P4: a cancel that comes while an instance ends changes nothing of its end', async () => {
    await using site = await bed.site()
    const node = await site.node()
    // Widens the moment between leaving the agenda and the commit; nothing else.
    await site.db.script(`
      create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(2); return new; end $$;
      create trigger linger after update on instance for each row when (new.finished_at is not null) execute function linger();`)
    const id = await start(node, 'waiter', { turns: 1 })
    await waitsFor(node, id, 'go')
    await node.call('resume', { instanceId: id, bookmark: 'go', payload: 1 })
    await until('its end is being written', async () => {
      const rows = await site.rows(`select 1 from pg_stat_activity where wait_event = 'PgSleep'`)
      return rows.length > 0
    })
    await node.call('cancel', { instanceId: id })
    expect((await endOf(node, id))?.status).toBe('completed')
    // Whatever the late message left on the agenda has been worked off by then.
    const marker = await start(node, 'timer', { ms: 3_000 })
    await endOf(node, marker)
    expect((await view(node, id)).status).toBe('completed')
    expect(await site.violations()).toEqual([])
  })
})

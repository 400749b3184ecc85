/**
 * Buses that hand over what they carry twice or three times, late, and in another order: between real servers and real processes. They
 * cost latency and nothing else: every kind of work comes out as if each message had come once, at once and in its turn.
 */
import { randomBytes } from 'node:crypto'
import { cloneDatabase, type ServerHandle, startRabbitmq, startRedis } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { endOf, type Started, start, view, waitsFor } from '../faults/instance-view.ts'
import { TestSite } from '../faults/test-bed.ts'
import type { TestNode } from '../faults/test-node.ts'
import { until } from '../faults/until.ts'

const module = new URL('unruly-bus.mjs', import.meta.url).href
/** Nobody dies here, however busy the machine is. */
const life = { heartbeatMs: 500, ttlMs: 30_000 }

const TIMERS = 30
const RESUMED = 9
const PAIRS = 8
const PARTS = 40

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
/** Says its number, and takes only input of that number: an older version would refuse it. */
const numbered = (number: number) => ({
  id: 'numbered',
  input: { type: 'object', required: [`only-${number}`] },
  activities: [{ id: 'say', type: 'set-output', inputs: { name: 'number', value: number } }],
})

let redis: ServerHandle
let rabbitmq: ServerHandle
beforeAll(async () => {
  ;[redis, rabbitmq] = await Promise.all([startRedis({ quiet: true }), startRabbitmq({ quiet: true })])
})
afterAll(() => Promise.all([redis?.stop(), rabbitmq?.stop()]))

type Nodes = readonly [TestNode, TestNode, TestNode]

/** Short and long ones, begun on every node. */
async function timers(nodes: Nodes): Promise<void> {
  const ids = await Promise.all(
    numbers(TIMERS).map((n) => start(nodes[n % 3]!, 'timer', { ms: 50 + ((n * 617) % 2_500) })),
  )
  for (const [n, id] of ids.entries()) expect(await endOf(nodes[n % 3]!, id)).toMatchObject({ output: 'fired' })
}

/** Every node resumes every wait at once: one wins, and its word is the one that is taken. */
async function resumes(nodes: Nodes): Promise<void> {
  const race = async (n: number): Promise<void> => {
    const id = await start(nodes[n % 3]!, 'waiter', { turns: 1 })
    await waitsFor(nodes[(n + 1) % 3]!, id, 'go')
    const said = await Promise.all(
      nodes.map((node, at) => node.call('resume', { instanceId: id, bookmark: 'go', payload: `by ${at}` })),
    )
    expect(said.filter((each) => each === 'resumed')).toHaveLength(1)
    const got = [`by ${said.indexOf('resumed')}`]
    expect(await endOf(nodes[(n + 2) % 3]!, id)).toMatchObject({ status: 'completed', output: { got } })
  }
  await Promise.all(numbers(RESUMED).map(race))
}

/** Two events for two waits, published on other nodes before it is known that anybody waits: each ends one of them. */
async function events([a, b, c]: Nodes): Promise<void> {
  const once = async (n: number): Promise<void> => {
    const correlationId = `order ${n}`
    const id = await start(a, 'waiter', { turns: 2 }, { correlationId })
    await Promise.all(
      [b, c].map((node, at) => node.call('publish', { name: 'go', correlationId, payload: `event ${at}` })),
    )
    const { output } = (await endOf(b, id)) as { output: { got: string[] } }
    expect(output.got.toSorted()).toEqual(['event 0', 'event 1'])
  }
  await Promise.all(numbers(RESUMED).map(once))
}

/** What one node publishes the next one starts, in the version that was published last. */
async function publishing(nodes: Nodes): Promise<void> {
  const ends: Promise<void>[] = []
  for (const number of numbers(PAIRS)) {
    const [publisher, starter, reader] = [0, 1, 2].map((by) => nodes[(number + by) % 3]!) as [
      TestNode,
      TestNode,
      TestNode,
    ]
    const { version } = await publisher.call<{ version: number }>('publishDocument', { document: numbered(number) })
    const requests = [1, 2].map(() => ({ definitionId: 'numbered', input: { [`only-${number}`]: 1 } }))
    const started = await starter.call<Started[]>('startMany', { requests })
    for (const { instanceId } of started) {
      expect(await view(reader, instanceId)).toMatchObject({ version })
      ends.push(endOf(reader, instanceId).then((end) => expect(end).toMatchObject({ output: { number } })))
    }
  }
  await Promise.all(ends)
}

/** Whoever follows on another node gets every part once and in order. */
async function parts([a, b, c]: Nodes): Promise<void> {
  const id = await start(a, 'parts', { count: PARTS })
  const heard = await Promise.all(
    [b, c].map((node) => node.call<{ value: { n: number } }[]>('follow', { instanceId: id })),
  )
  for (const each of heard) expect(each.map(({ value }) => value.n)).toEqual(numbers(PARTS))
}

/** A late word about an order is about the order that is there by then. */
async function orders(site: TestSite, [a, b, c]: Nodes): Promise<void> {
  const nodeId = c.incarnations[0]!
  for (const wanted of ['cordoned', 'active', 'cordoned', 'active', 'drained', 'active'])
    expect(await (wanted === 'active' ? a : b).call('order', { nodeId, wanted })).toBe(true)
  // By its own work: it takes what it is asked to start again, and does not give it away any more.
  await until('it takes part again', async () => {
    const id = await start(c, 'quick', { n: 1 })
    expect(await endOf(b, id)).toMatchObject({ status: 'completed', output: { sum: 3 } })
    const writers = await site.rows<{ id: string }>(
      'select distinct node_id as id from journal where instance_id = $1',
      id,
    )
    return writers.length === 1 && writers[0]!.id === nodeId
  })
}

async function cancels([a, b, c]: Nodes): Promise<void> {
  const id = await start(a, 'endless', {})
  await a.atGate(`${id} runs`)
  expect(await b.call('cancel', { instanceId: id })).toBe(true)
  await a.atGate(`${id} was told`)
  expect(await endOf(c, id)).toMatchObject({ status: 'cancelled' })
}

describe.each(['postgres', 'redis', 'rabbitmq'])('a bus over %s that repeats, delays and reorders', (kind) => {
  it('costs latency only', async () => {
    await using site = await TestSite.open(await cloneDatabase(inject('postgres')))
    await site.db.script('create table public.ledger (instance_id uuid, step text)')
    const url = { postgres: undefined, redis: redis.url, rabbitmq: rabbitmq.url }[kind]
    const bus = { module, kind, url, prefix: `t${randomBytes(6).toString('hex')}` }
    const nodes = (await Promise.all(
      ['a', 'b', 'c'].map((name) => site.node({ name, bus, engine: life })),
    )) as unknown as Nodes
    await Promise.all([timers(nodes), resumes(nodes), events(nodes), publishing(nodes), parts(nodes), cancels(nodes)])
    await orders(site, nodes)

    await until('nothing is left to do', async () => (await site.rows('select 1 from agenda')).length === 0)
    expect(await site.rows(`select id from instance where finished_at is null`)).toEqual([])
    expect(await site.violations()).toEqual([])
    // Else nothing was tried.
    for (const node of nodes) {
      const { heard, repeated, overtaken } = await node.call<Record<string, number>>('mischief')
      expect([heard! > 20, repeated! > 20, overtaken! > 20]).toEqual([true, true, true])
      expect([node.incarnations.length, node.log.filter(({ level }) => level === 'error')]).toEqual([1, []])
    }
  })
})

import { get, type IncomingMessage } from 'node:http'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { workflow } from '@lockstep/engine'
import { migrate, openPostgres } from '@lockstep/postgres'
import { cloneDatabase, type ServerHandle, startPostgres, templateDatabase } from '@lockstep/testing/harness'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { until } from '../faults/until.ts'
import { journalOf, type LiveNode, openLiveNode } from './live-nodes.ts'
import { type Heard, StreamReader } from './read-stream.ts'

/** A server of its own: what is open elsewhere on a shared one would hold streams back, as it should. */
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const workflows = [
  workflow('three', async (ctx) => {
    for (const name of ['a', 'b', 'c']) await ctx.step(name, async () => name)
    return 'done'
  }),
  workflow('faulty', async (ctx) => ctx.step('boom', async () => Promise.reject(new Error('no')))),
]

let server: ServerHandle
let url: string
let nodes: readonly [LiveNode, LiveNode]
beforeAll(async () => {
  server = await startPostgres({ maxConnections: 100 })
  const template = await templateDatabase(server, {
    name: 'live_template',
    migrate: async (at) => {
      const db = await openPostgres({ url: at, ...edge })
      await migrate(db, { mode: 'auto', ...edge })
      await db.close()
    },
  })
  url = (await cloneDatabase(template)).url
  nodes = [await openLiveNode(url, workflows), await openLiveNode(url, workflows)]
})
afterAll(async () => {
  for (const node of nodes ?? []) await node.close()
  await server?.stop()
})

const at = (node: 0 | 1): string => nodes[node].http.url
const run = async (node: 0 | 1, definitionId: string): Promise<string> => {
  const { instanceId, here } = await nodes[node].engine.start({ definitionId, input: {} })
  await nodes[node].engine.waitForEnd(instanceId, { here, limitMs: 60_000 })
  return instanceId
}
const factsOf = (events: readonly Heard[]): string[] =>
  events
    .filter(({ event }) => event === 'instances')
    .map(({ id, data }) => `${id} ${data.instanceId} ${data.seq} ${data.type}`)
const isEnd = (id: string) => (reader: StreamReader) =>
  reader.events.some(({ data }) => data.instanceId === `wfi_${id}` && data.type === 'ended')

describe('the live stream', () => {
  it('tells what either node commits, in the order of the journal, and goes on anywhere behind any event', async () => {
    await using reader = await StreamReader.open(at(0), '?after=1')
    await reader.until('the stream is there', ({ heard }) => heard.length > 0)
    expect(reader.heard[0]).toMatchObject({ event: 'ready' })
    for (let round = 0; round < 5; round += 1) await Promise.all([run(0, 'three'), run(1, 'three')])
    const last = await run(1, 'three')
    await reader.until('the last end was told', isEnd(last))
    expect(factsOf(reader.events)).toEqual(await journalOf(nodes[0].db))
    expect(reader.events.find(({ data }) => data.type === 'completed')?.data).toMatchObject({
      topic: 'instances',
      step: 'a',
      nodeId: expect.stringMatching(/^nod_/),
      at: expect.stringMatching(/Z$/),
    })
    const told = reader.events.map(({ id }) => id)
    for (const cut of [0, 7, told.length - 2]) {
      await using again = await StreamReader.open(at(1), '?follow=false', told[cut])
      await again.over()
      // More may have come since, so the rest of what was heard is where the new one begins.
      expect(again.events.map(({ id }) => id).slice(0, told.length - cut - 1)).toEqual(told.slice(cut + 1))
      expect(again.comments).toContain('that is all so far')
    }
  })

  it('never overtakes a transaction that is open: what commits later is told later, nothing is skipped', async () => {
    await using reader = await StreamReader.open(at(0))
    await reader.until('the stream is there', ({ heard }) => heard.length > 0)
    const tell = `select lockstep_tell('default', 'definitions', 'saved', 'held-back', null)`
    let ended = ''
    await nodes[1].db.transaction(
      async (tx) => {
        await tx.script(tell)
        ended = await run(0, 'three')
        await using once = await StreamReader.open(at(1), '?follow=false', reader.lastId)
        await once.over()
        expect(once.events).toEqual([])
      },
      { attempts: 1, statementTimeoutMs: 60_000 },
    )
    await reader.until('the end was told', isEnd(ended))
    const order = reader.events.map(({ data }) => data.definitionId ?? data.type)
    expect(order.indexOf('held-back')).toBeGreaterThanOrEqual(0)
    expect(order.indexOf('held-back')).toBeLessThan(order.indexOf('ended'))
  })

  it('carries what was asked for: topics, one instance', async () => {
    await using all = await StreamReader.open(at(0))
    await using some = await StreamReader.open(at(0), '?topic=definitions,incidents')
    for (const reader of [all, some]) await reader.until('the stream is there', ({ heard }) => heard.length > 0)
    await nodes[1].engine.definitions.create('default', {
      id: 'drawn',
      activities: [{ id: 'a', type: 'log', inputs: { message: 'x' } }],
    })
    await nodes[1].engine.definitions.publish('default', 'drawn')
    const faulted = await run(1, 'faulty')
    await all.until('the end was told', isEnd(faulted))
    await some.until('the incident was told', ({ events }) => events.some(({ event }) => event === 'incidents'))
    expect(some.events.map(({ data }) => [data.topic, data.type])).toEqual([
      ['definitions', 'created'],
      ['definitions', 'published'],
      ['incidents', 'opened'],
    ])
    expect(some.events[1]!.data).toMatchObject({ definitionId: 'drawn', version: 1 })
    expect(some.events[2]!.data).toMatchObject({
      instanceId: `wfi_${faulted}`,
      incidentId: expect.stringMatching(/^inc_/),
    })
    await using one = await StreamReader.open(at(1), `?instance=wfi_${faulted}&follow=false`, all.events[0]!.id)
    await one.over()
    expect(new Set(one.events.map(({ data }) => data.instanceId))).toEqual(new Set([`wfi_${faulted}`]))
    expect(one.events.map(({ data }) => data.type)).toContain('ended')
  })

  it('says that a place is not there any more, and goes on from now', async () => {
    await using reader = await StreamReader.open(at(0), '?follow=false', '999999999999999999')
    await reader.over()
    expect(reader.heard).toMatchObject([{ event: 'reset', data: { reason: expect.any(String) } }])
  })

  it('refuses what is no place, no topic and no instance, naming the field', async () => {
    const bad: [string, Record<string, string>, string][] = [
      ['', { 'last-event-id': 'yesterday' }, 'Last-Event-ID'],
      ['?after=x', {}, 'after'],
      ['?topic=weather', {}, 'topic'],
    ]
    for (const [query, headers, field] of bad) {
      const response = await fetch(`${at(0)}/api/v1/streams/events${query}`, { headers })
      expect([response.status, JSON.stringify(await response.json())]).toEqual([400, expect.stringContaining(field)])
    }
    expect((await fetch(`${at(0)}/api/v1/streams/events?instance=nod_1`)).status).toBe(400)
    expect((await fetch(`${at(0)}/api/v1/streams/events`, { method: 'HEAD' })).status).toBe(405)
  })

  const note = 'x'.repeat(4_000)
  const flood = (subject: string, count: number) =>
    nodes[1].db.transaction((tx) =>
      tx.script(
        `select lockstep_tell('default', 'definitions', 'saved', '${subject}', json_build_object('note', '${note}')) from generate_series(1, ${count})`,
      ),
    )
  const paused = (query: string): Promise<IncomingMessage> =>
    new Promise((resolve, reject) =>
      get(`${at(0)}/api/v1/streams/events${query}`, (response) => {
        response.once('readable', () => resolve(response)).on('error', () => undefined)
      }).on('error', reject),
    )
  const idsIn = (text: string, subject: string): string[] =>
    [...text.matchAll(/^id: (\S+)\nevent: definitions\ndata: .*?"definitionId":"([a-z-]+)"/gm)]
      .filter(([, , found]) => found === subject)
      .map(([, id]) => id!)

  it('lets a reader go who does not keep up, and tells him to come again', async () => {
    const slow = await paused('')
    // Those before it have gone, but the server hears of that when it does.
    await until('only this one follows', () => nodes[0].feed.followerCount === 1)
    // Far more than what sockets hold.
    for (let round = 0; round < 4; round += 1) await flood('too-much', 2_000)
    await until('it was given up', () => nodes[0].feed.followerCount === 0, 90_000)
    let text = ''
    for await (const chunk of slow) text += String(chunk)
    expect(text).toMatch(/\n: too slow: come again with Last-Event-ID\n\n$/)
    const first = idsIn(text, 'too-much')
    expect(first.length).toBeLessThan(8_000)
    await using again = await StreamReader.open(at(1), '?follow=false', first.at(-1))
    await again.over()
    const ids = [...first, ...again.events.filter(({ data }) => data.definitionId === 'too-much').map(({ id }) => id)]
    expect([ids.length, new Set(ids).size]).toEqual([8_000, 8_000])
  })

  it('gives one who comes late as much as he takes, and all of it', async () => {
    await using mark = await StreamReader.open(at(0), '?follow=false')
    await mark.over()
    await flood('backlog', 3_000)
    const late = await paused(`?follow=false&after=${mark.lastId}`)
    await until('he has as much as he takes', () => late.readableLength >= late.readableHighWaterMark, 60_000)
    let text = ''
    for await (const chunk of late) text += String(chunk)
    expect([...new Set(idsIn(text, 'backlog'))]).toHaveLength(3_000)
    expect(text).toMatch(/\n: that is all so far\n\n$/)
  })

  it('serves two hundred at once with one reader of the store', async () => {
    const readers = await Promise.all(Array.from({ length: 200 }, (_, i) => StreamReader.open(at((i % 2) as 0 | 1))))
    await Promise.all(readers.map((reader) => reader.until('the stream is there', ({ heard }) => heard.length > 0)))
    const ids = await Promise.all(Array.from({ length: 20 }, (_, i) => run((i % 2) as 0 | 1, 'three')))
    await Promise.all(readers.flatMap((reader) => ids.map((id) => reader.until(`${id} ended`, isEnd(id)))))
    const facts = (reader: StreamReader): string =>
      factsOf(reader.events.filter(({ data }) => ids.includes(String(data.instanceId).slice(4)))).join('\n')
    expect(new Set(readers.map(facts)).size).toBe(1)
    await Promise.all(readers.map((reader) => reader.close()))
    await until('nobody follows', () => nodes.every(({ feed }) => feed.followerCount === 0), 60_000)
  })

  it('lets everybody go when the node stops', async () => {
    const node = await openLiveNode(url, workflows)
    await using reader = await StreamReader.open(node.http.url)
    await reader.until('the stream is there', ({ heard }) => heard.length > 0)
    await node.close()
    await reader.over()
    expect(reader.comments).toContain('this node is stopping')
  })
})

import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase } from '@lockstep/testing/harness'
import { type RunningNode, resolveNodeOptions, startNode } from 'lockstep'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'

const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }

const open = (nodeName: string): Promise<RunningNode> =>
  startNode(resolveNodeOptions({ port: 0, databaseUrl: database.url, nodeName }), edge)

let database: Awaited<ReturnType<typeof cloneDatabase>>
let node: RunningNode
beforeAll(async () => {
  database = await cloneDatabase(inject('postgres'))
  node = await open('one')
})
afterAll(async () => {
  await node?.stop()
  await database?.drop()
})

// biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
async function call(method: string, path: string, body?: unknown): Promise<any> {
  const answer = await fetch(`${node.url}/api/v1${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await answer.text()
  return answer.headers.get('content-type')?.startsWith('text/event-stream') ? text : text && JSON.parse(text)
}

interface Told {
  readonly id: string
  readonly event: string
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  readonly data: any
}
async function told(query: string): Promise<readonly Told[]> {
  const text: string = await call('GET', `/streams/events?follow=false&${query}`)
  return [...text.matchAll(/^id: (\S+)\nevent: (\S+)\ndata: (.*)$/gm)]
    .map(([, id, event, data]) => ({ id: id!, event: event!, data: JSON.parse(data!) }))
    .filter(({ event }) => event !== 'ready')
}

const guarded = {
  id: 'guarded',
  activities: [
    {
      id: 'till',
      type: 'critical-section',
      inputs: { lock: 'till' },
      body: { activities: [{ id: 'ask', type: 'wait-for-event', inputs: { event: 'go' } }] },
    },
  ],
}
const start = async (): Promise<string> =>
  (await call('POST', '/workflow-instances', { definitionId: 'guarded', input: {} })).id

describe('the topic of locks', () => {
  it('tells who waits, who enters and what was broken, in the order of commits, once behind any event', async () => {
    await call('PUT', '/workflow-definitions/guarded', guarded)
    const first = await start()
    await expect
      .poll(async () => (await told('topics=locks&after=1')).map(({ data }) => data.type), { timeout: 30_000 })
      .toEqual(['entered'])
    const second = await start()
    await expect
      .poll(async () => (await told('topics=locks&after=1')).map(({ data }) => data.type), { timeout: 30_000 })
      .toEqual(['entered', 'waiting'])
    const [entered, waiting] = await told('topics=locks&after=1')
    expect(entered!.data).toMatchObject({
      ...{ topic: 'locks', lock: 'till', instanceId: first, step: 'till', fence: expect.any(String) },
    })
    expect(waiting!.data).toMatchObject({ lock: 'till', instanceId: second, step: 'till' })
    // What is told of a lock is in the journal, under the same number.
    const { items } = await call('GET', `/workflow-instances/${first}/journal`)
    const fact = items.find(({ seq }: { seq: number }) => seq === entered!.data.seq)
    expect([fact.kind, fact.data.lock, fact.data.fence]).toEqual(['opened', 'till', entered!.data.fence])
    // Behind each event stands exactly what came after it, whichever topics are heard.
    const both = await told('topics=locks,instances&after=1')
    for (const [index, { id }] of both.entries())
      expect(await told(`topics=locks,instances&after=${id}`)).toEqual(both.slice(index + 1))
    expect((await told(`topics=locks&instance=${second}&after=1`)).map(({ data }) => data.type)).toEqual(['waiting'])

    expect((await call('POST', '/locks/till/release', { reason: 'stuck' })).released).toBe(1)
    await expect
      .poll(async () => (await told('topics=locks&after=1')).find(({ data }) => data.type === 'broken')?.data, {
        timeout: 30_000,
      })
      .toMatchObject({ lock: 'till', reason: 'stuck', released: 1 })
    expect((await told('topics=cluster&after=1')).map(({ data }) => data.type)).not.toContain('lock-broken')
    const { items: events } = await call('GET', '/cluster/events')
    expect(events.map(({ kind }: { kind: string }) => kind)).toContain('lock-broken')
  })

  it('tells who enters again on another node, by the name of the lock, which that fact does not hold', async () => {
    const door = structuredClone(guarded)
    Object.assign(door, { id: 'door' })
    Object.assign(door.activities[0]!.inputs, { lock: 'door' })
    await call('PUT', '/workflow-definitions/door', door)
    const { id } = await call('POST', '/workflow-instances', { definitionId: 'door', input: {} })
    const ofDoor = async (): Promise<readonly Told[]> => told(`topics=locks&instance=${id}&after=1`)
    await expect.poll(async () => (await ofDoor()).map(({ data }) => data.type)).toEqual(['entered'])
    await node.stop()
    node = await open('two')
    await call('POST', '/events', { name: 'go' })
    await expect.poll(async () => (await call('GET', `/workflow-instances/${id}`)).status).toBe('completed')
    // A stream tells what nothing older can come before any more: that may be a moment after a read has it.
    await expect.poll(async () => (await ofDoor()).length).toBe(2)
    const [entered, again] = await ofDoor()
    expect(again!.data).toMatchObject({ type: 'entered-again', lock: 'door', instanceId: id, step: 'till' })
    expect(BigInt(again!.data.fence)).toBeGreaterThan(BigInt(entered!.data.fence))
    expect(again!.data.nodeId).not.toBe(entered!.data.nodeId)
  })

  it('is refused by name where it is misspelt', async () => {
    const { code, errors } = await call('GET', '/streams/events?topics=lock')
    expect([code, errors[0].field]).toEqual(['INVALID_REQUEST', 'topics'])
  })
})

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { silentLogger, systemClock, systemRandom } from '@lockstep/base'
import { cloneDatabase } from '@lockstep/testing/harness'
import { defineActivity, type RunningNode, resolveNodeOptions, startNode, workflow } from 'lockstep'
import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { environmentNames } from '../../packages/lockstep/src/options/raw-options.ts'
import { until } from '../faults/until.ts'
import { type CollectedSpan, openCollector, type SpanCollector } from './span-collector.ts'

const SECRET = 'sixteen bytes or more'
const edge = { clock: systemClock, random: systemRandom, logger: silentLogger }
const workflows = [
  workflow('shaky', async (ctx) =>
    ctx.step(
      'call',
      async ({ attempt }) => {
        if (attempt < 2) throw new Error('not yet')
        return ctx.lock('till', async () => 'done')
      },
      { retry: { attempts: 2, initial: '1ms' } },
    ),
  ),
  workflow('spills', async (ctx) =>
    ctx.step('call', async ({ secret, progress }) => {
      progress({ done: 1, note: 'taken from the step by their names' })
      throw new Error(`refused ${await secret('partner')}`)
    }),
  ),
]
const activities = [
  defineActivity({
    type: 'spill',
    title: 'Spill',
    description: 'Fails with its secret in the message.',
    inputs: Type.Object({ given: Type.String() }),
    run: async ({ given }) => {
      throw new Error(`refused ${Buffer.from(given).toString('base64')}`)
    },
  }),
]

let collector: SpanCollector
let database: Awaited<ReturnType<typeof cloneDatabase>>
const nodes: RunningNode[] = []
const calls: NodeJS.Dict<string | string[]>[] = []
const sink = createServer((request, response) => {
  calls.push(request.headers)
  response.end('{}')
})
const open = async (nodeName: string, otlpEndpoint: string | undefined): Promise<RunningNode> => {
  const node = await startNode(
    resolveNodeOptions({
      ...{ port: 0, databaseUrl: database.url, nodeName, outbound: { allow: ['127.0.0.1'] } },
      secrets: async () => SECRET,
      ...(otlpEndpoint === undefined ? {} : { otlpEndpoint }),
    }),
    edge,
    { workflows, activities, jobs: [] },
  )
  nodes.push(node)
  return node
}
const post = async (node: RunningNode, path: string, body: unknown, headers: Record<string, string> = {}) => {
  const sent = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  const answer = await fetch(`${node.url}/api/v1${path}`, sent)
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what the wire carries
  return { status: answer.status, body: (await answer.json()) as any }
}
const statusOf = async (node: RunningNode, id: string): Promise<string> =>
  ((await (await fetch(`${node.url}/api/v1/workflow-instances/${id}`)).json()) as { status: string }).status
const spansOf = (traceId: string): CollectedSpan[] => collector.spans.filter((span) => span.traceId === traceId)
const named = (spans: readonly CollectedSpan[], name: string): CollectedSpan[] =>
  spans.filter((span) => span.name === name)

beforeAll(async () => {
  await new Promise<void>((resolve) => sink.listen(0, '127.0.0.1', resolve))
  ;[collector, database] = await Promise.all([openCollector(), cloneDatabase(inject('postgres'))])
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await collector?.[Symbol.asyncDispose]()
  await database?.drop()
  sink.closeAllConnections()
  sink.close()
})

describe('a workflow that two nodes work on', () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const caller = 'b7ad6b7169203331'
  let spans: CollectedSpan[]

  beforeAll(async () => {
    const first = await open('node-a', collector.url)
    const { port } = sink.address() as AddressInfo
    const document = {
      id: 'order',
      activities: [
        { id: 'call', type: 'http-request', inputs: { method: 'GET', url: `http://127.0.0.1:${port}/` } },
        {
          id: 'hook',
          type: 'webhook',
          inputs: { url: `http://127.0.0.1:${port}/`, event: 'placed', secret: 'partner' },
        },
        { id: 'approval', type: 'wait-for-event', inputs: { event: 'approved' } },
        { id: 'note', type: 'log', inputs: { message: 'approved' } },
        { id: 'again', type: 'http-request', inputs: { method: 'GET', url: `http://127.0.0.1:${port}/` } },
      ],
      connections: [
        { from: 'call', to: 'hook' },
        { from: 'hook', to: 'approval' },
        { from: 'approval', to: 'note' },
        { from: 'note', to: 'again' },
      ],
    }
    expect((await post(first, '/workflow-definitions', document)).status).toBe(201)
    expect((await post(first, '/workflow-definitions/order/publish', {})).status).toBe(200)
    const traceparent = `00-${traceId}-${caller}-01`
    const { body } = await post(first, '/workflow-instances', { definitionId: 'order' }, { traceparent })
    await until('it waits', async () => (await statusOf(first, body.id)) === 'suspended', 60_000)
    const second = await open('node-b', collector.url)
    await first.stop()
    expect(await post(second, `/workflow-instances/${body.id}/resume`, { bookmark: 'approved' })).toMatchObject({
      status: 200,
    })
    await until('it has ended', async () => (await statusOf(second, body.id)) === 'completed', 60_000)
    await second.stop()
    spans = spansOf(traceId)
  })

  it('is one trace, in which every span is below another or below the caller', () => {
    const ids = new Set([caller, ...spans.map(({ spanId }) => spanId)])
    expect(spans.filter(({ parentSpanId }) => !ids.has(parentSpanId ?? '')).map(({ name }) => name)).toEqual([])
    expect(named(spans, 'POST /api/v1/workflow-instances')).toMatchObject([{ parentSpanId: caller, service: 'node-a' }])
  })

  it('has a span for the start, each burst, step, wait, resume and commit', () => {
    const [request] = named(spans, 'POST /api/v1/workflow-instances')
    const [start] = named(spans, 'start order')
    expect(start).toMatchObject({ parentSpanId: request?.spanId, service: 'node-a' })
    const bursts = named(spans, 'burst order')
    expect(
      bursts.map(({ service, parentSpanId, attributes }) => [service, parentSpanId, attributes['lockstep.outcome']]),
    ).toEqual([
      ['node-a', start?.spanId, 'suspended'],
      ['node-b', start?.spanId, 'completed'],
    ])
    const [a, b] = bursts
    expect(named(spans, 'step call')).toMatchObject([
      { parentSpanId: a?.spanId, attributes: { 'lockstep.attempt': 1, 'lockstep.effect': 'atLeastOnce' } },
    ])
    expect(named(spans, 'wait approval')).toMatchObject([
      { parentSpanId: a?.spanId, attributes: { 'lockstep.wait': 'event' } },
    ])
    expect(named(spans, 'resume approval')).toMatchObject([{ parentSpanId: b?.spanId, service: 'node-b' }])
    expect(named(spans, 'step again')).toMatchObject([{ parentSpanId: b?.spanId, service: 'node-b' }])
    expect(named(spans, 'commit').map(({ service }) => service)).toEqual(expect.arrayContaining(['node-a', 'node-b']))
  })

  it('links the request that resumed it', () => {
    const resumes = collector.spans.filter(({ name }) => name === 'resume')
    expect(resumes).toMatchObject([{ attributes: { 'lockstep.outcome': 'resumed' }, links: [{ traceId }] }])
  })

  it('tells those whom it calls which step called', () => {
    const steps = ['step call', 'step hook', 'step again'].map((name) => named(spans, name)[0]?.spanId)
    expect(calls.map(({ traceparent }) => traceparent)).toEqual(steps.map((id) => `00-${traceId}-${id}-01`))
  })
})

describe('spans', () => {
  it('say which attempts failed, and which locks were held', async () => {
    const node = await open('node-c', collector.url)
    const { body } = await post(node, '/workflow-instances', { definitionId: 'shaky', wait: '60s' })
    expect(body.status).toBe('completed')
    await node.stop()
    const attempts = collector.spans.filter(({ name }) => name === 'step call')
    const ours = attempts.filter(({ service }) => service === 'node-c')
    expect(ours.map(({ attributes, failed }) => [attributes['lockstep.attempt'], failed])).toEqual([
      [1, true],
      [2, false],
    ])
    const held = named(spansOf(ours[0]!.traceId), 'lock.acquire till')
    expect(held).toMatchObject([{ attributes: { 'lock.outcome': 'granted' } }])
  })

  it('say why a step failed without the secrets that it used', async () => {
    const node = await open('node-s', collector.url)
    const activity = { id: 'call', type: 'spill', inputs: { given: { $secret: 'partner' } } }
    const document = { id: 'spilled', activities: [activity] }
    expect((await post(node, '/workflow-definitions', document)).status).toBe(201)
    expect((await post(node, '/workflow-definitions/spilled/publish', {})).status).toBe(200)
    for (const definitionId of ['spills', 'spilled'])
      expect((await post(node, '/workflow-instances', { definitionId, wait: '60s' })).body.status).toBe('faulted')
    await node.stop()
    const messages = named(collector.spans, 'step call').flatMap(({ service, message }) =>
      service === 'node-s' ? [message] : [],
    )
    expect(messages).toEqual(['refused [secret]', 'refused [secret]'])
  })

  it('are not made, and nothing is sent along, where nobody collects', async () => {
    const before = [collector.spans.length, calls.length]
    const node = await open('node-d', undefined)
    const { body } = await post(
      node,
      '/workflow-instances',
      { definitionId: 'order' },
      { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01` },
    )
    await until('it waits', async () => (await statusOf(node, body.id)) === 'suspended', 60_000)
    const journal = (await (await fetch(`${node.url}/api/v1/workflow-instances/${body.id}/journal`)).json()) as object
    await node.stop()
    expect(collector.spans.length).toBe(before[0])
    expect(calls.slice(before[1]).map(({ traceparent }) => traceparent)).toEqual([undefined, undefined])
    expect(JSON.stringify(journal)).not.toContain('"trace"')
  })

  it('do not keep a node from working or ending when the collector is away', async () => {
    const node = await open('node-e', 'http://127.0.0.1:9')
    expect((await post(node, '/workflow-instances', { definitionId: 'shaky', wait: '60s' })).body.status).toBe(
      'completed',
    )
    await node.stop()
  })
})

describe('a request that is refused', () => {
  it('has the trace in its problem where nodes trace, and nothing of it where they do not', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const ask = async (node: RunningNode) => (await post(node, '/workflow-instances', {}, { traceparent })).body
    const traced = await open('node-traced', collector.url)
    expect(await ask(traced)).toMatchObject({ code: 'INVALID_REQUEST', traceId: '4bf92f3577b34da6a3ce929d0e0e4736' })
    const plain = await open('node-plain', undefined)
    expect(await ask(plain)).not.toHaveProperty('traceId')
  })
})

describe('the page', () => {
  it('names every kind of span that there is, and no other, and the variable that is read', () => {
    const page = readFileSync(new URL('../../docs/how-to/trace-workflows.md', import.meta.url), 'utf8')
    const kindOf = (name: string): string => (/^(GET|POST|PUT|DELETE) /.test(name) ? 'request' : name.split(' ')[0]!)
    const rows = [...page.matchAll(/^\| (`.+?) \|/gm)].flatMap(([, cell]) => [...cell!.matchAll(/`([^`]+)`/g)])
    const told = new Set(rows.map(([, name]) => kindOf(name!)))
    expect(told).toEqual(new Set(collector.spans.map(({ name }) => kindOf(name))))
    expect(page).toContain(`${environmentNames.otlpEndpoint}=http`)
  })
})

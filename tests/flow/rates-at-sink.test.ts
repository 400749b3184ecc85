/** Rates hold over two processes, as a server outside of them sees it. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock as clock } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { type FlowNode, type FlowSite, openFlowSite, until } from './flow-site.ts'

const LIMIT = 2
const PER_MS = 2_000
/** What the way to the sink may take longer at one time than at another. Without a rate all come within far less than what is left. */
const UNEVEN_MS = 1_200
const COUNT = 8

/** The outside world: it sees when somebody arrives, by its own clock. */
interface Sink extends AsyncDisposable {
  readonly url: string
  readonly count: number
  /** Processes that somebody came from. */
  readonly processCount: number
  /** The most that arrived within any span of this length. */
  most(spanMs: number): number
}

async function openSink(): Promise<Sink> {
  const arrivals: { readonly at: number; readonly from: string }[] = []
  const server = createServer(({ url = '' }, response) => {
    arrivals.push({ at: clock.monotonic(), from: url })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get count() {
      return arrivals.length
    },
    get processCount() {
      return new Set(arrivals.map(({ from }) => from)).size
    },
    most: (spanMs) =>
      Math.max(...arrivals.map(({ at: from }) => arrivals.filter(({ at }) => at >= from && at < from + spanMs).length)),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const twoNodes = async (site: FlowSite, sink: Sink, options: object): Promise<readonly FlowNode[]> => [
  await site.node({ sinkUrl: sink.url, ...options }),
  await site.node({ sinkUrl: sink.url, ...options }),
]

const start = (node: FlowNode): Promise<unknown> => node.call('start', { definitionId: 'call' })

const allEnded = (site: FlowSite): Promise<void> =>
  until('all have ended', async () => (await site.instances('call')).every(({ status }) => status === 'completed'))

describe('with two processes the outside sees no more in any span of time than', () => {
  it('the rate of a step lets in', async () => {
    await using sink = await openSink()
    await using site = await openFlowSite()
    const limit = { key: 'api', rate: { limit: LIMIT, per: PER_MS } }
    const nodes = await twoNodes(site, sink, { limit })
    await Promise.all(Array.from({ length: COUNT }, (_, n) => start(nodes[n % 2]!)))
    await allEnded(site)
    expect([sink.count, sink.processCount]).toEqual([COUNT, 2])
    expect(sink.most(PER_MS - UNEVEN_MS)).toBeLessThanOrEqual(LIMIT)
  })

  it('the rate of a workflow lets begin', async () => {
    await using sink = await openSink()
    await using site = await openFlowSite()
    const nodes = await twoNodes(site, sink, { flow: { call: { rate: { limit: LIMIT, per: PER_MS } } } })
    await Promise.all(Array.from({ length: COUNT }, (_, n) => start(nodes[n % 2]!)))
    await allEnded(site)
    expect(sink.count).toBe(COUNT)
    expect(sink.most(PER_MS - UNEVEN_MS)).toBeLessThanOrEqual(LIMIT)
  })

  it('a throttle accepts, however many are refused', async () => {
    await using sink = await openSink()
    await using site = await openFlowSite()
    const nodes = await twoNodes(site, sink, { flow: { call: { throttle: { limit: LIMIT, per: PER_MS } } } })
    const counts = { accepted: 0, refused: 0 }
    while (counts.accepted < COUNT) {
      const answers = nodes.map((node) =>
        start(node).then(
          () => 'accepted' as const,
          ({ code }: { code: string }) => {
            expect(code).toBe('START_THROTTLED')
            return 'refused' as const
          },
        ),
      )
      for (const answer of await Promise.all(answers)) counts[answer] += 1
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await allEnded(site)
    expect(counts.refused).toBeGreaterThan(0)
    expect(sink.count).toBe(counts.accepted)
    expect(sink.most(PER_MS - UNEVEN_MS)).toBeLessThanOrEqual(LIMIT)
  })
})

import { describe, expect, it } from 'vitest'
import { ProviderUnavailable } from '../errors.ts'
import { traceLeases } from './trace-leases.ts'
import type { SpanAttributes, Tracer } from './tracer.ts'

function recordingTracer() {
  const spans: { name: string; attributes: SpanAttributes; status?: string; events: string[]; ended: number }[] = []
  const tracer: Tracer = {
    startSpan: (name, options) => {
      const span = { name, attributes: { ...options?.attributes }, events: [] as string[], ended: 0 }
      spans.push(span)
      return {
        setAttributes: (attributes) => Object.assign(span.attributes, attributes),
        setStatus: (status) => Object.assign(span, { status: status.message }),
        addEvent: (event) => span.events.push(event),
        end: () => (span.ended += 1),
      }
    },
  }
  return { spans, tracer }
}

const subject = (attempt: number) => ({ attempt, name: `order:${attempt}`, kind: 'mutex' }) as const

describe('tracing of leases', () => {
  it('makes one span of asking and one of holding, each ended once', () => {
    const { spans, tracer } = recordingTracer()
    const trace = traceLeases(tracer)
    trace({ ...subject(1), type: 'asked' })
    trace({ ...subject(2), type: 'asked' })
    trace({ ...subject(1), type: 'granted', fence: 7n, waitedMs: 3, contended: true })
    trace({ ...subject(1), type: 'renewed-late', fence: 7n, leftMs: 4 })
    trace({ ...subject(1), type: 'released', fence: 7n, heldMs: 20 })
    trace({ ...subject(2), type: 'refused' })
    expect(spans).toMatchObject([
      {
        name: 'lock.acquire order:*',
        ended: 1,
        attributes: { 'lock.name': 'order:1', 'lock.fence': '7', 'lock.contended': true },
      },
      { name: 'lock.acquire order:*', ended: 1, attributes: { 'lock.outcome': 'refused' } },
      { name: 'lock.hold order:*', ended: 1, attributes: { 'lock.outcome': 'released' }, events: ['renewed late'] },
    ])
  })

  it('marks what failed: a loss, a timeout, a store out of reach', () => {
    const { spans, tracer } = recordingTracer()
    const trace = traceLeases(tracer)
    for (const attempt of [1, 2, 3]) trace({ ...subject(attempt), type: 'asked' })
    trace({ ...subject(1), type: 'granted', fence: 1n, waitedMs: 0, contended: false })
    trace({ ...subject(1), type: 'lost', fence: 1n, heldMs: 1, reason: 'stalled' })
    trace({
      ...subject(2),
      type: 'timed-out',
      waitedMs: 100,
      holder: { nodeId: 'n', node: 'node-2', pid: 1, host: 'h' },
    })
    trace({
      ...subject(3),
      type: 'failed',
      waitedMs: 1,
      error: new ProviderUnavailable({ provider: 'redis', doing: 'acquire' }),
    })
    expect(spans.map((span) => span.status !== undefined)).toEqual([false, true, true, true])
    expect(spans[1]!.attributes['lock.holder']).toBe('node-2')
    expect(spans[2]!.attributes['error.type']).toBe('PROVIDER_UNAVAILABLE')
    expect(spans.every((span) => span.ended === 1)).toBe(true)
  })

  it('ends the oldest when leases that were handed on never tell of their end', () => {
    const { spans, tracer } = recordingTracer()
    const trace = traceLeases(tracer)
    for (let attempt = 0; attempt < 10_001; attempt += 1) trace({ ...subject(attempt), type: 'asked' })
    expect(spans.filter((span) => span.ended > 0)).toHaveLength(1)
  })
})

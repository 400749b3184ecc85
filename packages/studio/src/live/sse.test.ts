import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type StreamEvent, sseParser } from './sse.ts'

function parsed(chunks: readonly string[]): { events: StreamEvent[]; retries: number[] } {
  const events: StreamEvent[] = []
  const retries: number[] = []
  const push = sseParser(
    (event) => events.push(event),
    (ms) => retries.push(ms),
  )
  for (const chunk of chunks) push(chunk)
  return { events, retries }
}

const TEXT = ': ping\nretry: 2000\n\nid: 7\nevent: fact\ndata: {"a":\ndata: 1}\n\r\nid: 8\r\ndata:x\r\n\r\n'

describe('a server-sent stream', () => {
  it('is cut into events, comments left out', () => {
    expect(parsed([TEXT])).toEqual({
      retries: [2000],
      events: [
        { id: '7', event: 'fact', data: '{"a":\n1}' },
        { id: '8', event: 'message', data: 'x' },
      ],
    })
  })

  it('means the same however it arrives', () => {
    const whole = parsed([TEXT])
    fc.assert(
      fc.property(fc.array(fc.nat(TEXT.length)), (cuts) => {
        const places = [0, ...[...new Set(cuts)].sort((a, b) => a - b), TEXT.length]
        const chunks = places.slice(1).map((to, index) => TEXT.slice(places[index], to))
        expect(parsed(chunks)).toEqual(whole)
      }),
    )
  })
})

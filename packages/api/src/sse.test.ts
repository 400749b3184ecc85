import { describe, expect, it } from 'vitest'
import { type StreamEvent, sseParser } from './sse.ts'

const heardOf = (chunks: readonly string[]) => {
  const events: StreamEvent[] = []
  const ids: string[] = []
  const waits: number[] = []
  const push = sseParser({
    event: (event) => events.push(event),
    id: (id) => ids.push(id),
    retry: (ms) => waits.push(ms),
  })
  for (const chunk of chunks) push(chunk)
  return { events, ids, waits }
}

const text =
  'retry: 2000\n\nid: 7\nevent: instances\ndata: {"a":1}\n\n: ping\nid: 9\n\nid: 10\r\ndata: one\r\ndata: two\r\n\r\n'
const events = [
  { id: '7', event: 'instances', data: '{"a":1}' },
  { id: '10', event: 'message', data: 'one\ntwo' },
]

describe('a server-sent stream', () => {
  it('is read the same however it is cut', () => {
    expect(heardOf([text]).events).toEqual(events)
    expect(heardOf([...text]).events).toEqual(events)
    expect(heardOf([text.slice(0, 30), text.slice(30)]).events).toEqual(events)
  })

  it('tells places of heartbeats too, and how long to wait', () => {
    expect(heardOf([text])).toMatchObject({ ids: ['7', '9', '10'], waits: [2_000] })
  })

  it('keeps what has not ended to itself', () => {
    expect(heardOf(['data: half\n']).events).toEqual([])
  })
})

import { systemClock, type Timer } from '@lockstep/base'
import type { LiveFeed, LiveFollower } from '@lockstep/engine'
import { describe, expect, it } from 'vitest'
import { LiveStreams } from './live-streams.ts'

/** Timers run when they are told to. */
function handClock() {
  const due: { run: () => void }[] = []
  const schedule = (_ms: number, run: () => void): Timer => {
    const entry = { run }
    due.push(entry)
    return { cancel: () => void due.splice(due.indexOf(entry), due.includes(entry) ? 1 : 0) }
  }
  return { clock: { ...systemClock, schedule }, due, fire: () => due.shift()?.run() }
}

function open(guard?: () => boolean) {
  const hand = handClock()
  const followers: LiveFollower[] = []
  let closed = 0
  const feed = {
    follow: (_after: unknown, follower: LiveFollower) => {
      followers.push(follower)
      return { at: { pos: 7n, n: 2 }, close: () => (closed += 1) }
    },
  } as unknown as LiveFeed
  const streams = new LiveStreams({ feed, clock: hand.clock, guard, mostWaiting: 2_000 })
  const stream = streams.open({
    filter: { tenant: 'default', topics: undefined, instanceId: undefined },
    after: undefined,
    once: false,
    headers: {},
    address: '127.0.0.1',
  })
  return { ...hand, streams, stream, follower: followers[0]!, closedCount: () => closed }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))
const event = { topic: 'cluster', type: 'joined', pos: 9n, n: 1, at: 0, tenant: undefined, subject: undefined } as const

describe('open streams', () => {
  it('beat, with the place where they stand', async () => {
    const { stream, fire } = open()
    expect(String(stream.read())).toBe('retry: 2000\n\n')
    fire()
    await settle()
    expect(String(stream.read())).toBe(': ping\nid: 7.2\n\n')
  })

  it('end when the guard says so, at the next beat', async () => {
    let allowed = true
    const { stream, fire, closedCount } = open(() => allowed)
    fire()
    await settle()
    expect(closedCount()).toBe(0)
    allowed = false
    fire()
    await settle()
    expect([String(stream.read()).endsWith(': no longer allowed\n\n'), closedCount()]).toEqual([true, 1])
  })

  it('hold no more than they may, and then let go', () => {
    const { stream, follower, closedCount } = open()
    follower.caughtUp()
    for (let n = 0; n < 200; n += 1) follower.hear([{ ...event, n }], event)
    expect(closedCount()).toBe(1)
    expect(stream.readableLength).toBeLessThan(2_500)
    expect(String(stream.read())).toMatch(/: too slow: come again with Last-Event-ID\n\n$/)
  })

  it('leave no timer behind', async () => {
    const { streams, stream, due } = open()
    expect([streams.count, due.length]).toEqual([1, 1])
    stream.destroy()
    await settle()
    expect([streams.count, due.length]).toEqual([0, 0])
  })
})

import type { Clock, Timer } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { DueTimers } from './due-timers.ts'

/** Time that moves by hand. */
function handClock(): Clock & { advance(ms: number): void } {
  let now = 0
  let waiting: { at: number; run: () => void }[] = []
  return {
    now: () => now,
    monotonic: () => now,
    soon: (run) => run(),
    schedule(delayMs, run): Timer {
      const entry = { at: now + delayMs, run }
      waiting.push(entry)
      return { cancel: () => (waiting = waiting.filter((each) => each !== entry)) }
    },
    advance(ms) {
      const until = now + ms
      for (;;) {
        const [next] = waiting.filter((each) => each.at <= until).sort((a, b) => a.at - b.at)
        if (next === undefined) break
        waiting = waiting.filter((each) => each !== next)
        now = next.at
        next.run()
      }
      now = until
    },
  }
}

function bed() {
  const clock = handClock()
  const fired: string[] = []
  const timers = new DueTimers<string>(clock, (owner) => fired.push(`${owner}@${clock.monotonic()}`))
  return { clock, fired, timers }
}

describe('timers of instances in hand', () => {
  it('fire on time when they are few', () => {
    const { clock, fired, timers } = bed()
    timers.set('a', 10, 10)
    timers.set('b', 20, 20)
    clock.advance(30)
    expect(fired).toEqual(['a@10', 'b@20'])
  })

  it('fire together when they follow each other closely', () => {
    const { clock, fired, timers } = bed()
    for (const [name, at] of [
      ['a', 10],
      ['b', 11],
      ['c', 12],
      ['d', 13],
      ['e', 15],
    ] as const)
      timers.set(name, at, at)
    clock.advance(30)
    expect(fired).toEqual(['a@10', 'b@14', 'c@14', 'd@14', 'e@18'])
  })

  it('keep the earlier of two times, and leave the owner alone once it is cancelled', () => {
    const { clock, fired, timers } = bed()
    timers.set('a', 10, 10)
    timers.set('a', 20, 20)
    timers.set('b', 20, 20)
    timers.set('b', 5, 5)
    timers.set('c', 10, 10)
    timers.cancel('c')
    clock.advance(30)
    expect(fired).toEqual(['b@5', 'a@10'])
    expect(timers.size).toBe(0)
  })

  it('leave alone whoever is cancelled while its firing is being gathered', () => {
    const { clock, fired, timers } = bed()
    timers.set('a', 10, 10)
    timers.set('b', 11, 11)
    clock.advance(12)
    timers.cancel('b')
    clock.advance(10)
    expect(fired).toEqual(['a@10'])
  })
})

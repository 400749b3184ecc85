import { sleep } from '@lockstep/base'
import { describe, expect, it } from 'vitest'
import { virtualClock } from './virtual-clock.ts'

describe('virtual clock', () => {
  it('runs timers in the order of their moments, and those of one moment in the order in which they were set', async () => {
    const clock = virtualClock()
    const seen: string[] = []
    clock.schedule(20, () => seen.push('c'))
    clock.schedule(10, () => seen.push('a'))
    clock.schedule(10, () => seen.push('b'))
    clock.schedule(21, () => seen.push('too late'))
    await clock.runUntil(20)
    expect(seen).toEqual(['a', 'b', 'c'])
    expect(clock.monotonic()).toBe(20)
  })

  it('lets every promise finish before the next event, however long the chain', async () => {
    const clock = virtualClock()
    const seen: string[] = []
    clock.schedule(1, async () => {
      for (let turn = 0; turn < 1_000; turn += 1) await null
      seen.push('chain')
    })
    clock.schedule(1, () => seen.push('next'))
    await clock.advance(1)
    expect(seen).toEqual(['chain', 'next'])
  })

  it('runs what comes soon before any timer, without moving time', async () => {
    const clock = virtualClock()
    const seen: string[] = []
    clock.schedule(0, () => seen.push('timer'))
    clock.soon(() => seen.push('soon'))
    await clock.advance(0)
    expect(seen).toEqual(['soon', 'timer'])
    expect(clock.monotonic()).toBe(0)
  })

  it('forgets a cancelled timer, and takes a second cancel for nothing', async () => {
    const clock = virtualClock()
    let fired = 0
    const timers = Array.from({ length: 200 }, () => clock.schedule(5, () => (fired += 1)))
    for (const timer of timers.slice(1)) timer.cancel()
    timers[1]!.cancel()
    await clock.advance(5)
    timers[0]!.cancel()
    expect(fired).toBe(1)
  })

  it('holds everything of a paused node back and delivers it at once when it goes on', async () => {
    const clock = virtualClock()
    const node = clock.view()
    const other = clock.view()
    const seen: [string, number][] = []
    node.schedule(20, () => seen.push(['second', node.monotonic()]))
    node.schedule(10, () => seen.push(['first', node.monotonic()]))
    other.schedule(10, () => seen.push(['other', other.monotonic()]))
    node.pause()
    await clock.runUntil(100)
    expect(seen).toEqual([['other', 10]])
    node.resume()
    await clock.runUntil(101)
    expect(seen.slice(1)).toEqual([
      ['first', 100],
      ['second', 100],
    ])
  })

  it('never runs anything of a stopped node again', async () => {
    const clock = virtualClock()
    const node = clock.view()
    let ran = false
    node.schedule(10, () => (ran = true), { keepAlive: true })
    node.stop()
    node.schedule(1, () => (ran = true))
    node.soon(() => (ran = true))
    expect(await clock.runUntilIdle()).toBe(true)
    await clock.advance(100)
    expect(ran).toBe(false)
  })

  it('skews wall clocks apart while durations agree', async () => {
    const clock = virtualClock({ startAt: 1_000 })
    const fast = clock.view({ skewMs: 500 })
    const slow = clock.view({ skewMs: -500 })
    await clock.advance(10)
    expect([fast.now(), slow.now(), clock.now()]).toEqual([1_510, 510, 1_010])
    expect(fast.monotonic()).toBe(slow.monotonic())
  })

  it('is idle when only background timers are left, like a process that may exit', async () => {
    const clock = virtualClock()
    const beat = (): void => void clock.schedule(100, beat)
    beat()
    let slept = false
    void sleep(clock, 1_000).then(() => (slept = true))
    expect(await clock.runUntilIdle()).toBe(true)
    expect(slept).toBe(true)
    expect(clock.monotonic()).toBe(1_000)
  })

  it('refuses a second driver', async () => {
    const clock = virtualClock()
    const first = clock.advance(1)
    await expect(clock.advance(1)).rejects.toThrow('driven already')
    await first
  })
})

import { describe, expect, it } from 'vitest'
import type { LeaseEvent } from '../lease/lease-events.ts'
import { EventLog } from './event-log.ts'
import { Histogram } from './histogram.ts'
import { LockStatistics, OTHER } from './lock-statistics.ts'
import { namePattern } from './name-pattern.ts'

const subject = (name: string) => ({ attempt: 1, name, kind: 'mutex' }) as const
const at = (ms: number) => ({ monotonic: () => ms })
const granted = (name: string, waitedMs: number): LeaseEvent => ({
  ...subject(name),
  type: 'granted',
  fence: 1n,
  waitedMs,
  contended: waitedMs > 10,
})

describe('histogram', () => {
  it('answers quantiles a fifth too high at most, over nine orders of magnitude', () => {
    for (const scale of [0.1, 1, 100, 10_000, 1_000_000]) {
      const histogram = new Histogram()
      for (let i = 1; i <= 1_000; i += 1) histogram.record((i * scale) / 1_000)
      const { p50, p95, p99, max, mean, count } = histogram.quantiles()
      expect(count).toBe(1_000)
      expect(max).toBe(scale)
      expect(mean / scale).toBeCloseTo(0.5005, 6)
      for (const [found, exact] of [
        [p50, 0.5],
        [p95, 0.95],
        [p99, 0.99],
      ] as const) {
        const error = found / (exact * scale)
        if (exact * scale > 0.06) expect(error).toBeGreaterThanOrEqual(0.99)
        expect(error).toBeLessThan(1.2)
      }
    }
  })

  it('takes anything: nothing, negative, endless', () => {
    const histogram = new Histogram()
    expect(histogram.quantiles()).toEqual({ count: 0, mean: 0, p50: 0, p95: 0, p99: 0, max: 0 })
    for (const odd of [-5, 0, Number.NaN, 1e15]) histogram.record(odd)
    expect(histogram.quantiles()).toMatchObject({ count: 4, p50: 0.05, max: 1e15 })
  })
})

describe('pattern of a name', () => {
  it.each([
    ['order:17', 'order:*'],
    ['order:17:item:4', 'order:*:item:*'],
    ['workflow:wfi_0190e5a2-7c1b-7d3e-8f00-1234567890ab', 'workflow:wfi_*'],
    ['file/9f86d081884c7d65', 'file/*'],
    ['user-01ARZ3NDEKTSV4RRFFQ69G5FAV', 'user-*'],
    ['api/v2/users', 'api/v2/users'],
    ['tv5', 'tv*'],
    ['report', 'report'],
    ['deadbeefcafe', 'deadbeefcafe'],
    ['nightly-2026-11-15', 'nightly-*-*-*'],
    ['Bestellung ä 12', 'Bestellung ä *'],
  ])('%s is %s', (name, pattern) => expect(namePattern(name)).toBe(pattern))

  it('does not choke on the longest name', () => {
    expect(namePattern('a1'.repeat(256)).length).toBeGreaterThan(0)
    expect(namePattern('f'.repeat(512)).length).toBeGreaterThan(0)
  })
})

describe('statistics', () => {
  it('counts by pattern what became of those who asked', () => {
    const statistics = new LockStatistics()
    const record = (event: LeaseEvent) => statistics.record(event, at(0))
    for (let i = 0; i < 4; i += 1) record({ ...subject(`order:${i}`), type: 'asked' })
    record(granted('order:0', 1))
    record(granted('order:1', 200))
    record({ ...subject('order:2'), type: 'refused' })
    record({ ...subject('order:3'), type: 'timed-out', waitedMs: 1_000 })
    record({ ...subject('order:0'), type: 'renewed-late', fence: 1n, leftMs: 5 })
    record({ ...subject('order:0'), type: 'released', fence: 1n, heldMs: 50 })
    record({ ...subject('order:1'), type: 'lost', fence: 1n, heldMs: 70, reason: 'expired' })
    record({ ...subject('report'), type: 'asked' })
    record({ ...subject('report'), type: 'failed', waitedMs: 1, error: new Error('down') })

    expect(statistics.stats().map((each) => each.pattern)).toEqual(['order:*', 'report'])
    expect(statistics.stats('order:*')).toMatchObject([
      { asked: 4, granted: 2, refused: 1, timedOut: 1, released: 1, lost: 1, lateRenewals: 1, contention: 0.75 },
    ])
    expect(statistics.stats('report')).toMatchObject([{ asked: 1, failed: 1, contention: 0 }])
    expect(statistics.stats('order:*')[0]).toMatchObject({
      waitMs: { count: 2, max: 200 },
      holdMs: { count: 2, max: 70 },
    })
  })

  it('keeps a bounded number of patterns, whatever names come', () => {
    const statistics = new LockStatistics({ maxPatterns: 3, patternOf: (name) => name })
    for (let i = 0; i < 10_000; i += 1) statistics.record({ ...subject(`lock-${i}`), type: 'asked' }, at(0))
    const stats = statistics.stats()
    expect(stats.map((each) => [each.pattern, each.asked])).toEqual([
      [OTHER, 9_997],
      ['lock-0', 1],
      ['lock-1', 1],
      ['lock-2', 1],
    ])
  })

  it('tells once that the mean wait passed the threshold, and again only after it had fallen', () => {
    const statistics = new LockStatistics({ slowWaitMs: 100 })
    expect(statistics.record(granted('order:1', 50), at(0))).toBeUndefined()
    expect(statistics.record(granted('order:2', 190), at(1))).toMatchObject({
      type: 'slow',
      pattern: 'order:*',
      meanWaitMs: 120,
    })
    expect(statistics.record(granted('order:3', 500), at(2))).toBeUndefined()
    for (let i = 0; i < 20; i += 1) statistics.record(granted('order:4', 1), at(3))
    expect(statistics.record({ ...subject('order:5'), type: 'timed-out', waitedMs: 60_000 }, at(4))).toBeDefined()
  })

  it('takes no long wait of a stand-by for trouble', () => {
    const statistics = new LockStatistics({ slowWaitMs: 100 })
    expect(statistics.record(granted('election:boss', 600_000), at(0))).toBeUndefined()
    expect(statistics.record(granted('singleton:job', 600_000), at(0))).toBeUndefined()
    expect(statistics.stats().map((each) => each.waitMs.max)).toEqual([600_000, 600_000])
  })

  it('forgets waits of long ago', () => {
    const statistics = new LockStatistics({ slowWaitMs: 100 })
    for (let i = 0; i < 1_000; i += 1) statistics.record(granted('order:1', 1), at(0))
    expect(statistics.record(granted('order:1', 200), at(61_000))).toMatchObject({ meanWaitMs: 200 })
  })
})

describe('event log', () => {
  it('keeps the last so many, in order, by name', () => {
    const log = new EventLog(3)
    expect(log.read()).toEqual([])
    for (let i = 0; i < 5; i += 1) log.add(i, { ...subject(i % 2 === 0 ? 'even' : 'odd'), type: 'asked' })
    expect(log.read().map((each) => each.at)).toEqual([2, 3, 4])
    expect(log.read({ name: 'even' }).map((each) => each.at)).toEqual([2, 4])
    expect(log.read({ limit: 1 }).map((each) => each.at)).toEqual([4])
    expect(log.read({ limit: 0 })).toEqual([])
  })
})

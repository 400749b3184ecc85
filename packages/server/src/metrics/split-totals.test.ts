import { describe, expect, it } from 'vitest'
import { DefinitionCounts } from './definition-counts.ts'
import { deriveSeries } from './derive-series.ts'
import { splitTotals } from './split-totals.ts'

const MINUTE = 60_000
const ended = (completed: number) => ({ 'ended:completed': completed, 'duration:0.5': completed })
const time = { since: 2 * MINUTE, slotMs: MINUTE, now: 2 * MINUTE + 30_000 }
const curveOf = (totals: ReturnType<typeof splitTotals>[number], name: string) =>
  deriveSeries(totals.table, totals.samples, 100).curves[name]

describe('parts of the work', () => {
  it('have curves over the same time, the busiest first and what has no name last', () => {
    const slots = [
      { at: 0, part: 'a', sums: ended(1) },
      { at: 0, part: 'b', sums: ended(5) },
      { at: MINUTE, part: 'c', sums: ended(2) },
      { at: MINUTE, part: '', sums: ended(9) },
    ]
    const parts = splitTotals(slots, { a: ended(3) }, 2, time)
    expect(parts.map(({ part }) => part)).toEqual(['b', 'a', undefined])
    expect(new Set(parts.map(({ samples }) => samples.map(({ at }) => at).join())).size).toBe(1)
    expect(curveOf(parts[0]!, 'completedPerMinute')).toEqual([5, 0, 0])
    expect(curveOf(parts[1]!, 'completedPerMinute')).toEqual([1, 0, 6])
    expect(curveOf(parts[2]!, 'completedPerMinute')).toEqual([0, 11, 0])
    expect(curveOf(parts[1]!, 'durationP95Ms')?.at(-1)).toBeGreaterThan(100)
  })

  it('are none where nothing ended', () => expect(splitTotals([], { a: {}, '': {} }, 5, time)).toEqual([]))

  it('are there before a row was written', () => {
    const [only] = splitTotals([], { a: ended(3) }, 5, time)
    expect(only).toMatchObject({ part: 'a' })
    expect(only!.table.sum(only!.samples.at(-1)!, 'lockstep_instances_ended_total')).toBe(3)
  })
})

describe('what a node counts by workflow', () => {
  it('is told by the names of the sums, and begins anew when it was taken', () => {
    const counts = new DefinitionCounts()
    counts.ended('completed', 400, { tenant: 't', definitionId: 'a' })
    counts.ended('completed', 4e12, { tenant: 't', definitionId: 'a' })
    counts.ended('faulted', 1, { tenant: 't', definitionId: 'a' })
    counts.ended('odd', 1, { tenant: 'u', definitionId: 'a' })
    const sums = { 'ended:completed': 2, 'ended:faulted': 1, 'duration:0.5': 1, 'duration:+Inf': 1 }
    expect(counts.peek()).toEqual({ 't/a': sums, 'u/a': {} })
    expect(counts.take()).toEqual({ 't/a': sums, 'u/a': {} })
    expect(counts.take()).toEqual({})
  })

  it('has a bound, and loses nothing beyond it', () => {
    const counts = new DefinitionCounts()
    for (let n = 0; n < 1_000; n += 1) counts.ended('completed', 1, { tenant: 't', definitionId: `d-${n}` })
    counts.ended('completed', 1, { tenant: 't', definitionId: 'd-7' })
    const parts = counts.take()
    expect(Object.keys(parts)).toHaveLength(21)
    expect(parts['t/d-7']).toMatchObject({ 'ended:completed': 2 })
    expect(parts['']).toMatchObject({ 'ended:completed': 1_001 - 21 })
  })
})

import { describe, expect, it } from 'vitest'
import { bucketQuantile } from './bucket-quantile.ts'
import { deriveSeries } from './derive-series.ts'
import { type Sampled, SeriesTable } from './series-table.ts'

const table = new SeriesTable(10)
const ENDED = 'lockstep_instances_ended_total'
const DURATION = 'lockstep_instance_duration_seconds_bucket'

function sample(at: number, completed: number, faulted: number, fast: number): Sampled {
  const values = new Float64Array(5)
  const put = (name: string, labels: Record<string, string>, value: number): void => {
    values[table.place(name, labels)!] = value
  }
  put(ENDED, { status: 'completed' }, completed)
  put(ENDED, { status: 'faulted' }, faulted)
  for (const [le, value] of Object.entries({ '0.1': fast, '1': completed, '+Inf': completed }))
    put(DURATION, { status: 'completed', le }, value)
  return { at, values }
}

describe('quantiles of buckets', () => {
  it('lie inside the bucket of their rank, spread evenly', () => {
    expect(bucketQuantile([0.1, 1], [10, 20], 20, 0.5)).toBeCloseTo(0.1)
    expect(bucketQuantile([0.1, 1], [10, 20], 20, 0.75)).toBeCloseTo(0.55)
    expect(bucketQuantile([0.1, 1], [0, 0], 4, 0.5)).toBe(1)
    expect(bucketQuantile([0.1, 1], [0, 0], 0, 0.5)).toBeUndefined()
  })
})

describe('curves', () => {
  const samples = [
    sample(0, 0, 0, 0),
    sample(60_000, 30, 10, 30),
    sample(120_000, 30, 10, 30),
    sample(180_000, 90, 10, 60),
  ]

  it('are what came between readings, and say nothing where nothing came', () => {
    const { at, curves, totals } = deriveSeries(table, samples, 100)
    expect(at).toEqual([60_000, 120_000, 180_000])
    expect(curves.completedPerMinute).toEqual([30, 0, 60])
    expect(curves.failureRate).toEqual([0.25, null, 0])
    expect(curves.durationP50Ms?.[1]).toBeNull()
    expect(totals).toMatchObject({ completed: 90, faulted: 10, failureRate: 0.1 })
  })

  it('lose nothing when there are fewer steps than readings', () => {
    const { at, curves, totals } = deriveSeries(table, samples, 2)
    expect(at).toEqual([60_000, 180_000])
    expect(curves.completedPerMinute).toEqual([30, 30])
    expect(totals.completed).toBe(90)
  })

  it('need two readings', () => expect(deriveSeries(table, samples.slice(0, 1), 10)).toMatchObject({ at: [] }))
})

describe('the table of series', () => {
  it('has a bound, and readings of before a series count as none of it', () => {
    const small = new SeriesTable(1)
    const early = { at: 0, values: new Float64Array(0) }
    expect(small.place('a', { x: '1' })).toBe(0)
    expect(small.place('b', {})).toBeUndefined()
    expect(small.sum(early, 'a')).toBe(0)
  })
})

import type { MetricSums } from '@lockstep/engine/ports'
import { describe, expect, it } from 'vitest'
import { Buckets, LONG, SHORT } from './buckets.ts'
import { deriveSeries } from './derive-series.ts'
import { histogram } from './exposition.ts'
import { runningTotals } from './running-totals.ts'
import { type Sampled, SeriesTable } from './series-table.ts'
import { sumsBetween } from './sums-between.ts'

const MINUTE = 60_000
const START = 'lockstep_instances_started_total'
const nobody = { sums: {}, since: Number.MAX_SAFE_INTEGER }

/** A node in numbers: what it counts, and readings of that. */
class Counted {
  readonly table = new SeriesTable(500)
  readonly steps = new Buckets(SHORT)
  readonly durations = new Buckets(LONG)
  readonly statements = new Buckets(SHORT)
  started = 0
  held = 0

  take(at: number): Sampled {
    const lines = [
      { metricName: START, labels: {}, value: this.started },
      { metricName: 'lockstep_instances_held', labels: {}, value: this.held },
      ...histogram('lockstep_step_duration_seconds', this.steps),
      ...histogram('lockstep_instance_duration_seconds', this.durations, { status: 'completed' }),
      ...histogram('lockstep_database_statement_duration_seconds', this.statements),
    ]
    const found = lines.map(({ metricName, labels = {}, value }) => [this.table.place(metricName!, labels)!, value])
    const values = new Float64Array(this.table.size)
    for (const [place, value] of found) values[place!] = value!
    return { at, values }
  }
}

describe('what a node writes', () => {
  it('is only what came, in buckets of their own', () => {
    const node = new Counted()
    const before = node.take(0)
    node.started += 3
    node.held = 2
    for (const seconds of [0.002, 0.002, 0.7, 120]) node.steps.record(seconds)
    expect(sumsBetween(node.table, before, node.take(MINUTE))).toMatchObject({
      ...{ started: 3, held: 2, readings: 1, memory: 0 },
      ...{ 'step:0.0025': 2, 'step:1': 1, 'step:+Inf': 1 },
    })
  })

  it('is nothing when it only lived: an idle node asks its store now and then', () => {
    const node = new Counted()
    const before = node.take(0)
    node.held = 5
    node.statements.record(0.001)
    expect(sumsBetween(node.table, before, node.take(MINUTE))).toBeUndefined()
  })

  it('makes the very curves that its own memory makes', () => {
    const node = new Counted()
    const readings = [node.take(0)]
    const slots: { at: number; sums: MetricSums }[] = []
    for (let minute = 1; minute <= 5; minute += 1) {
      node.started += minute
      for (let step = 0; step < 20; step += 1) node.steps.record((minute * step) / 100)
      node.durations.record(minute * 3)
      readings.push(node.take(minute * MINUTE))
      slots.push({ at: (minute - 1) * MINUTE, sums: sumsBetween(node.table, readings.at(-2)!, readings.at(-1)!)! })
    }
    const own = deriveSeries(node.table, readings, 100)
    const { table, samples } = runningTotals(slots, nobody, MINUTE, 5 * MINUTE)
    const kept = deriveSeries(table, samples, 100)
    expect(kept.at).toEqual(own.at)
    for (const name of ['startedPerMinute', 'stepP50Ms', 'stepP95Ms', 'durationP99Ms'])
      expect([name, kept.curves[name]]).toEqual([name, own.curves[name]])
    expect(kept.totals.stepP95Ms).toBe(own.totals.stepP95Ms)
    expect(kept.totals.started).toBe(15)
  })
})

describe('readings of a cluster', () => {
  it('have a step for every slot, also for those in which nothing came', () => {
    const slots = [0, 3].map((minute) => ({ at: minute * MINUTE, sums: { started: 6 } }))
    const { table, samples } = runningTotals(slots, nobody, MINUTE, 4 * MINUTE)
    expect(samples.map(({ at }) => at / MINUTE)).toEqual([0, 1, 2, 3, 4])
    expect(deriveSeries(table, samples, 100).curves.startedPerMinute).toEqual([6, 0, 0, 6])
  })

  it('end with a step that is long enough for a rate, whenever one asks', () => {
    const slots = [{ at: 0, sums: { started: 60 } }]
    for (const seconds of [61, 75, 89]) {
      const tail = { sums: { started: seconds - 60 }, since: MINUTE }
      const { table, samples } = runningTotals(slots, tail, MINUTE, seconds * 1_000)
      expect(deriveSeries(table, samples, 100).curves.startedPerMinute?.at(-1)).toBeCloseTo(60)
      expect(table.sum(samples.at(-1)!, START)).toBe(seconds)
    }
  })

  it('have the mean of the nodes where a value is no count', () => {
    const sums = { started: 1, held: 30, readings: 3, memory: 3_000 }
    const { table, samples } = runningTotals([{ at: 0, sums }], nobody, MINUTE, 2 * MINUTE)
    const { curves } = deriveSeries(table, samples, 100)
    expect([curves.held, curves.memoryBytes]).toEqual([
      [10, null],
      [1_000, null],
    ])
  })

  it('pass over names that this version does not know', () => {
    const { table, samples } = runningTotals([{ at: 0, sums: { later: 5, started: 1 } }], nobody, MINUTE, MINUTE)
    expect(table.sum(samples.at(-1)!, START)).toBe(1)
  })

  it('are two at least: a cluster that has just begun has a curve already', () => {
    const { samples } = runningTotals([], { sums: {}, since: 10 * MINUTE }, MINUTE, 10 * MINUTE + 1)
    expect(samples.map(({ at }) => at)).toEqual([9 * MINUTE, 10 * MINUTE + 1])
  })
})

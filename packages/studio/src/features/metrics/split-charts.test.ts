import { describe, expect, it } from 'vitest'
import { isSplitChart, splitPicture } from './split-charts.ts'
import type { Split } from './split-query.ts'

const part = (definitionId: string | null, completed: number) => ({
  definitionId,
  nodeId: null,
  curves: { completedPerMinute: [completed], failureRate: [null], durationP50Ms: [1], durationP95Ms: [2] },
  totals: {},
})
const split: Split = {
  ...{ by: 'definition', range: '1h', from: null, at: [60_000] },
  parts: [part('orders', 7), part('mail', 3), part(null, 1)],
}

describe('charts of parts', () => {
  const { metrics, charts } = splitPicture(split, ({ definitionId }) => definitionId ?? 'All others', 'p95', 5)

  it('have a curve for each part, with the name of the part', () => {
    const [throughput] = charts
    expect(throughput!.curves.map(({ label }) => label)).toEqual(['orders', 'mail', 'All others'])
    expect(throughput!.curves.map(({ name }) => metrics.curves[name])).toEqual([[7], [3], [1]])
  })

  it('draw the others alike, however few have a name', () =>
    expect(charts[0]!.curves.map(({ stroke }) => stroke)).toEqual([undefined, undefined, 5]))

  it('show the quantile that was chosen', () =>
    expect(charts[2]!.curves.map(({ name }) => metrics.curves[name])).toEqual([[2], [2], [2]]))

  it('stand for those of the whole', () => {
    expect(['throughput', 'duration', 'memory'].map((id) => isSplitChart({ id }))).toEqual([true, true, false])
  })
})

import { expect, it } from 'vitest'
import type { Metrics } from './metrics-query.ts'
import { countOf, previousCurves } from './previous.ts'

const MINUTE = 60_000
const T = 1_000 * MINUTE
const metrics = (from: number, at: readonly number[], values: readonly (number | null)[]): Metrics => ({
  ...{ scope: 'cluster', nodeId: 'n', range: '15m', from: new Date(from).toISOString(), totals: {} },
  at,
  curves: { startedPerMinute: values },
})

it('takes the step of the wider range that held the same moment before', () => {
  const wide = metrics(T - 4 * MINUTE, [T - 2 * MINUTE, T, T + 2 * MINUTE, T + 4 * MINUTE], [1, 2, 3, 4])
  const now = metrics(T, [T + MINUTE, T + 2 * MINUTE, T + 3 * MINUTE, T + 4 * MINUTE], [9, 9, 9, 9])
  expect(previousCurves(now, wide, 4 * MINUTE).startedPerMinute).toEqual([1, 1, 2, 2])
})

it('knows nothing from before there was anything', () => {
  const wide = metrics(T - MINUTE, [T, T + MINUTE], [1, 2])
  expect(previousCurves(metrics(T, [T + MINUTE], [9]), wide, 15 * MINUTE).startedPerMinute).toEqual([null])
})

it('sums rates up by the width of their steps', () => {
  const { at } = metrics(T, [T + 2 * MINUTE, T + 4 * MINUTE], [])
  expect(countOf({ at }, [3, null])).toBe(6)
  expect(countOf({ at }, [null, null])).toBeUndefined()
})

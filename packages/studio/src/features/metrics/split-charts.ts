import { durationText } from '../../ui/time-text.ts'
import { type Chart, count, percent } from './charts.ts'
import type { Metrics } from './metrics-query.ts'
import type { Split, SplitPart } from './split-query.ts'

export const quantiles = ['p50', 'p95', 'p99'] as const
export type Quantile = (typeof quantiles)[number]

/** Charts of the whole that say the same as those of the parts. */
const WHOLE = ['throughput', 'failures', 'duration']
export const isSplitChart = ({ id }: Pick<Chart, 'id'>): boolean => WHOLE.includes(id)

export const isOthers = ({ definitionId, nodeId }: SplitPart): boolean => definitionId === null && nodeId === null

export interface SplitPicture {
  /** The curves of all parts, by names of their own. */
  readonly metrics: Metrics
  readonly charts: readonly Chart[]
}

const nameOf = (part: number, curve: string): string => `${part}.${curve}`

/** A chart for each question, a curve for each part. `strokeOfOthers`: the one that no part has, however few there are. */
export function splitPicture(
  split: Split,
  labelOf: (part: SplitPart) => string,
  quantile: Quantile,
  strokeOfOthers: number,
): SplitPicture {
  const { parts, ...rest } = split
  const curves = Object.fromEntries(
    parts.flatMap((part, place) =>
      Object.entries(part.curves).map(([name, values]) => [nameOf(place, name), values] as const),
    ),
  )
  const of = (curve: string): Chart['curves'] =>
    parts.map((part, place) => ({
      name: nameOf(place, curve),
      label: labelOf(part),
      ...(isOthers(part) && { stroke: strokeOfOthers }),
    }))
  const duration = `durationP${quantile.slice(1)}Ms`
  return {
    metrics: { ...rest, scope: 'cluster', nodeId: '', curves, totals: {} },
    charts: [
      { id: 'split-throughput', title: 'Completed per minute', curves: of('completedPerMinute'), write: count },
      { id: 'split-failures', title: 'Failure rate', curves: of('failureRate'), write: percent, top: 1 },
      { id: 'split-duration', title: 'Duration of completed instances', curves: of(duration), write: durationText },
    ],
  }
}

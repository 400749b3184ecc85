import { durationText } from '../../ui/time-text.ts'
import type { Metrics } from './metrics-query.ts'

export interface CurveOf {
  readonly name: string
  readonly label: string
  /** Which of the strokes it has, where that is not the one of its place. */
  readonly stroke?: number
}

export interface Chart {
  readonly id: string
  readonly title: string
  readonly curves: readonly CurveOf[]
  readonly write: (value: number) => string
  /** Fixed top of the scale. */
  readonly top?: number
  /** Of all nodes there is only the mean. */
  readonly isLevel?: true
}

export const count = (value: number): string =>
  value.toLocaleString('en', { maximumFractionDigits: value < 10 ? 1 : 0 })
export const percent = (value: number): string => `${(value * 100).toFixed(value < 0.1 ? 1 : 0)} %`
const bytes = (value: number): string => `${Math.round(value / 1_048_576)} MiB`

const charts: readonly Chart[] = [
  {
    id: 'throughput',
    title: 'Instances per minute',
    curves: [
      { name: 'startedPerMinute', label: 'Started' },
      { name: 'completedPerMinute', label: 'Completed' },
      { name: 'faultedPerMinute', label: 'Faulted' },
    ],
    write: count,
  },
  {
    id: 'failures',
    title: 'Failure rate',
    curves: [{ name: 'failureRate', label: 'Faulted of all that ended' }],
    write: percent,
    top: 1,
  },
  {
    id: 'duration',
    title: 'Duration of completed instances',
    curves: [
      { name: 'durationP50Ms', label: 'p50' },
      { name: 'durationP95Ms', label: 'p95' },
      { name: 'durationP99Ms', label: 'p99' },
    ],
    write: durationText,
  },
  {
    id: 'step',
    title: 'Duration of steps',
    curves: [
      { name: 'stepP50Ms', label: 'p50' },
      { name: 'stepP95Ms', label: 'p95' },
      { name: 'stepP99Ms', label: 'p99' },
    ],
    write: durationText,
  },
  {
    id: 'waiting',
    title: 'Waiting, p95',
    curves: [
      { name: 'queueAgeP95Ms', label: 'In the queue' },
      { name: 'timerLatenessP95Ms', label: 'Timers, late' },
    ],
    write: durationText,
  },
  {
    id: 'locks',
    title: 'Wait for a lock, mean',
    curves: [{ name: 'lockWaitMeanMs', label: 'From asking to having it' }],
    write: durationText,
  },
  {
    id: 'database',
    title: 'Database statements, p95',
    curves: [{ name: 'databaseP95Ms', label: 'With the wait for a connection' }],
    write: durationText,
  },
  {
    id: 'pools',
    title: 'In hand and in the pools',
    curves: [
      { name: 'held', label: 'Instances in hand' },
      { name: 'poolInFlight', label: 'Statements under way' },
      { name: 'poolWaiting', label: 'Waiting for a connection' },
    ],
    write: count,
    isLevel: true,
  },
  {
    id: 'loop',
    title: 'Event loop, busy',
    curves: [{ name: 'eventLoop', label: 'Share of time' }],
    write: percent,
    top: 1,
    isLevel: true,
  },
  {
    id: 'memory',
    title: 'Memory',
    curves: [{ name: 'memoryBytes', label: 'Of the process' }],
    write: bytes,
    isLevel: true,
  },
]

const CACHE = 'cacheHitRate.'
const MOST_CURVES = 6

/** Charts for what came; caches are whatever the node has. */
export function chartsOf(curves: Metrics['curves']): readonly Chart[] {
  const caches = Object.keys(curves)
    .filter((name) => name.startsWith(CACHE))
    .slice(0, MOST_CURVES)
    .map((name) => ({ name, label: name.slice(CACHE.length) }))
  const cacheChart: Chart = { id: 'caches', title: 'Cache hits', curves: caches, write: percent, top: 1 }
  return caches.length === 0 ? charts : [...charts, cacheChart]
}

/** Whose values these are, where that is not plain. */
export const titleOf = ({ title, isLevel }: Chart, { scope }: Pick<Metrics, 'scope'>): string =>
  isLevel && scope === 'cluster' ? `${title}, mean of the nodes` : title

/** The place with the greatest value of the first curves, where something is worth a look. */
export function spikeOf(metrics: Metrics, { curves }: Chart): number | undefined {
  let at: number | undefined
  let most = 0
  for (const { name } of curves)
    for (const [index, value] of (metrics.curves[name] ?? []).entries())
      if (value !== null && value > most) [at, most] = [index, value]
  return at
}

/** The window that ends at a place of the curves, as a filter of instances. */
export function windowOf(metrics: Metrics, index: number): { readonly from: string; readonly to: string } {
  const to = metrics.at[index]!
  const before = index === 0 ? metrics.from : new Date(metrics.at[index - 1]!).toISOString()
  return { from: before ?? new Date(to).toISOString(), to: new Date(to).toISOString() }
}

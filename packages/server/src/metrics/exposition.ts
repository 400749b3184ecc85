import type { Registry } from 'prom-client'
import type { Buckets } from './buckets.ts'

export interface Sample {
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
  /** Where it is not the metric's own: `…_bucket`, `…_sum`, `…_count`. */
  readonly metricName?: string
}

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary'

/**
 * A metric that is read when it is asked for. prom-client's own ones are written to with labels in objects, which costs where work is
 * done; ours are numbers that somebody else adds up.
 */
export function expose(
  registry: Registry,
  type: MetricType,
  name: string,
  help: string,
  read: () => readonly Sample[] | Promise<readonly Sample[]>,
): void {
  const metric = {
    name,
    help,
    type,
    aggregator: 'sum',
    get: async () => ({ name, help, type, aggregator: 'sum', values: await read() }),
    reset: () => undefined,
  }
  registry.registerMetric(metric as unknown as Parameters<Registry['registerMetric']>[0])
}

/** The lines of one histogram. */
export function histogram(name: string, buckets: Buckets, labels: Readonly<Record<string, string>> = {}): Sample[] {
  const counts = buckets.cumulative()
  return [
    ...buckets.bounds.map((bound, at) => ({
      metricName: `${name}_bucket`,
      labels: { ...labels, le: String(bound) },
      value: counts[at]!,
    })),
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: buckets.count },
    { metricName: `${name}_sum`, labels, value: buckets.sum },
    { metricName: `${name}_count`, labels, value: buckets.count },
  ]
}

export const one = (value: number): readonly Sample[] => [{ value }]

/** One sample per member, under a label. */
export const each = (label: string, values: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(values).map(([name, value]) => ({ labels: { [label]: name }, value }))

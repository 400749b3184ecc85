import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

export interface Metrics {
  /** cluster: of all nodes. */
  readonly scope: 'cluster' | 'node'
  readonly nodeId: string
  readonly range: string
  readonly from: string | null
  readonly at: readonly number[]
  readonly curves: Readonly<Record<string, readonly (number | null)[]>>
  readonly totals: Readonly<Record<string, number | null>>
}

export const ranges = ['15m', '1h', '6h', '24h', '7d', '30d'] as const
export type Range = (typeof ranges)[number]
/** What is older is summed up over all nodes. */
export const rangesOfNode: readonly Range[] = ['15m', '1h', '6h']

/** Without a node: of all of them. */
export const metricsQuery = (range: Range, nodeId: string | undefined) =>
  queryOptions({
    queryKey: ['metrics', range, nodeId],
    queryFn: ({ signal }) => call<Metrics>('GET', '/metrics/query', { query: { range, nodeId }, signal }),
    placeholderData: keepPreviousData,
  })

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

export interface Metrics {
  readonly nodeId: string
  readonly range: string
  readonly from: string | null
  readonly at: readonly number[]
  readonly curves: Readonly<Record<string, readonly (number | null)[]>>
  readonly totals: Readonly<Record<string, number | null>>
}

export const ranges = ['15m', '1h', '6h', '24h'] as const

export const metricsQuery = (range: string) =>
  queryOptions({
    queryKey: ['metrics', range],
    queryFn: ({ signal }) => call<Metrics>('GET', '/metrics/query', { query: { range }, signal }),
    placeholderData: keepPreviousData,
  })

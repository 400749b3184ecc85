import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Metrics, Range } from './metrics-query.ts'

export type SplitBy = 'definition' | 'node'

/** Where neither id is told, it is all others. */
export interface SplitPart extends Pick<Metrics, 'curves' | 'totals'> {
  readonly definitionId: string | null
  readonly nodeId: string | null
}

export interface Split extends Pick<Metrics, 'range' | 'from' | 'at'> {
  readonly by: SplitBy
  /** The busiest first. */
  readonly parts: readonly SplitPart[]
}

/** Without a node: of all of them. */
export const splitQuery = (by: SplitBy, range: Range, nodeId: string | undefined) =>
  queryOptions({
    queryKey: ['metrics', 'split', by, range, nodeId],
    queryFn: ({ signal }) => call<Split>('GET', '/metrics/split', { query: { by, range, nodeId }, signal }),
    placeholderData: keepPreviousData,
  })

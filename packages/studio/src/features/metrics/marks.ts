import type { ClusterEvent } from '../cluster/cluster-queries.ts'
import type { Metrics } from './metrics-query.ts'

/** A moment at which the cluster became another. */
export interface Mark {
  readonly at: number
  readonly kind: MarkKind
  readonly name: string
}

export type MarkKind = 'joined' | 'left' | 'buried'

export const markWords: Readonly<Record<MarkKind, string>> = { joined: 'joined', left: 'left', buried: 'died' }

/** What came and went in the range of the curves, oldest first. */
export function marksOf({ from, at }: Metrics, events: readonly ClusterEvent[]): readonly Mark[] {
  const begin = from === null ? Number.POSITIVE_INFINITY : Date.parse(from)
  const end = at.at(-1) ?? begin
  return events
    .flatMap(({ kind, at: when, name }) =>
      when === null || !(kind in markWords) ? [] : [{ at: Date.parse(when), kind: kind as MarkKind, name }],
    )
    .filter((mark) => mark.at >= begin && mark.at <= end)
    .sort((a, b) => a.at - b.at)
}

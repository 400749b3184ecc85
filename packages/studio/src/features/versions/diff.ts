import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'

export type Verdict = 'safe' | 'needs-care' | 'breaks'

export interface FieldChange {
  readonly pointer: string
  readonly before?: unknown
  readonly after?: unknown
}

interface Judged {
  readonly migration: Verdict
  readonly reason: string
}

/** As the server tells it: in meaning. Order, layout and notes do not count. */
export type Change = Judged &
  (
    | {
        readonly subject: 'activity'
        readonly change: 'added' | 'removed'
        readonly id: string
        readonly activity: { readonly name?: string; readonly type?: string }
      }
    | {
        readonly subject: 'activity'
        readonly change: 'changed'
        readonly id: string
        readonly aspect: string
        readonly fields: readonly FieldChange[]
      }
    | { readonly subject: 'activity'; readonly change: 'renamed'; readonly id: string; readonly previousId: string }
    | {
        readonly subject: 'connection'
        readonly change: 'added' | 'removed'
        readonly from: string
        readonly outcome: string
        readonly to: string
      }
    | {
        readonly subject: 'variable'
        readonly change: 'added' | 'removed' | 'changed'
        readonly name: string
        readonly fields: readonly FieldChange[]
      }
    | {
        readonly subject: 'input' | 'output' | 'workflow'
        readonly change: 'changed'
        readonly fields: readonly FieldChange[]
      }
  )

export interface Diff {
  readonly migration: Verdict
  readonly changes: readonly Change[]
}

/** A version by its number, `published` or `draft`. */
export type Source = string

/** Two versions never change; a draft does, so what was read of it is asked for anew. */
export const diffQuery = (id: string, from: Source, to: Source) =>
  queryOptions({
    queryKey: ['definitions', 'diff', id, from, to],
    queryFn: ({ signal }) =>
      call<Diff>('GET', `/workflow-definitions/${encodeURIComponent(id)}/diff`, { query: { from, to }, signal }),
    staleTime: /^\d+$/.test(from) && /^\d+$/.test(to) ? Number.POSITIVE_INFINITY : 0,
  })

import type { Queries } from '../db/queries.ts'
import { statement } from '../db/statement.ts'

/**
 * Notices that the database forgot: after a fail-over with loss, what this node last got acknowledged is not there. Checked on
 * every new connection; a node that finds its history rewound must act as if it were buried.
 */
export interface HistoryGuard {
  acknowledged(nodeId: string, flushNo: number): void
  check(queries: Queries): Promise<void>
  isRewound(nodeId: string): boolean
}

const hasFlush = statement<{ node: string; flushNo: number }, { found: boolean }>(
  'engine_has_flush',
  (p) => [p.node, p.flushNo],
  'select exists (select 1 from flush where node_id = $1 and n = $2) as found',
  { readOnly: true },
)

export function historyGuard(): HistoryGuard {
  let last: { readonly node: string; readonly flushNo: number } | undefined
  let rewound: string | undefined
  return {
    acknowledged: (node, flushNo) => {
      if (last?.node !== node || last.flushNo < flushNo) last = { node, flushNo }
    },
    check: async (queries) => {
      if (last === undefined) return
      const { found } = await queries.one(hasFlush, last)
      if (!found) rewound = last.node
    },
    isRewound: (node) => rewound === node,
  }
}

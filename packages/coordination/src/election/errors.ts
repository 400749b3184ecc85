import { defineError } from '@lockstep/base'
import type { TermEndReason } from './election.ts'

export const TermEnded = defineError(
  'TERM_ENDED',
  { retryable: true },
  (d: { election: string; term: bigint; reason: TermEndReason }) =>
    `Term ${d.term} of election "${d.election}" has ended: ${d.reason}`,
)

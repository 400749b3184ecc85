import { defineError } from '@lockstep/base'

export const Fenced = defineError(
  'FENCED',
  { retryable: false },
  (d: { nodeId: string }) => `Node ${d.nodeId} was buried by the others: nothing it still holds may be written`,
)

/** The answer to a write never came. The same write, sent again with its number, settles it. */
export const CommitUnknown = defineError(
  'COMMIT_UNKNOWN',
  { retryable: false },
  (d: { statement: string; reason: string }) =>
    `The answer to "${d.statement}" never came (${d.reason}). It may or may not have been committed: look before repeating it`,
)

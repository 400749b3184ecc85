import { defineError } from '@lockstep/base'

/** The store has been silent for so long that nobody is kept waiting any more. Providers have one of the same code for a connection that they cannot open. */
export const DatabaseUnreachable = defineError(
  'DATABASE_UNREACHABLE',
  { retryable: true },
  (d: { message: string }) =>
    `The database does not answer: ${d.message}. Nothing was written; the call can be repeated`,
)

export const StartUnclear = defineError(
  'START_UNCLEAR',
  { retryable: false },
  (d: { instanceId: string; keyed: boolean; count?: number }) =>
    `The database did not say whether it has kept the start of instance ${d.instanceId}${others(d.count)}: it may run, or come to run. Look for it, or repeat the call ${
      d.keyed ? 'as it was: its key keeps it from starting twice' : 'if starting twice does no harm'
    }`,
)

const others = (count = 1): string => (count > 1 ? ` and of ${count - 1} more` : '')

import { defineError } from '@lockstep/base'

export const DeadLetterNotFound = defineError(
  'DEAD_LETTER_NOT_FOUND',
  { retryable: false },
  (d: { id: string }) => `No dead letter ${d.id}: it was tried again, discarded, or is older than anybody keeps them`,
)

export const DeadLetterUnreadable = defineError(
  'DEAD_LETTER_UNREADABLE',
  { retryable: false },
  (d: { id: string; reason: string }) =>
    `${d.id} cannot be read (${d.reason}): send the "input" that it is to start with`,
)

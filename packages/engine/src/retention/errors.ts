import { defineError } from '@lockstep/base'

export const ArchiveIncomplete = defineError(
  'ARCHIVE_INCOMPLETE',
  { retryable: true },
  (d: { instances: number }) =>
    `The archive settled before it had read all lines of ${d.instances} instance(s): none of them was deleted. Read the lines to their end`,
)

import { defineError } from '@lockstep/base'

export const ArchiveFailed = defineError(
  'ARCHIVE_FAILED',
  { retryable: true },
  (d: { instanceId: string }) => `The archive did not take instance ${d.instanceId}, so it was not deleted`,
)

export const ArchiveIncomplete = defineError(
  'ARCHIVE_INCOMPLETE',
  { retryable: true },
  (d: { instances: number }) =>
    `The archive settled before it had read all lines of ${d.instances} instance(s): none of them was deleted. Read the lines to their end`,
)

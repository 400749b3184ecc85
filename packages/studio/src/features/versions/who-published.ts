import type { VersionItem } from '../../api/wire.ts'
import { auditOfWorkflowQuery } from './audit-of-workflow.ts'
import { type WorkflowEntry, whoOf } from './workflow-entry.ts'

export const publishingsQuery = (definitionId: string) =>
  auditOfWorkflowQuery(definitionId, ['publishWorkflowDefinition', 'saveAndPublishWorkflowDefinition'])

const NEAR_MS = 15_000

/** The entry says when it was asked for, the version when it was written: the last one before belongs to it. */
export function publisherOf({ publishedAt }: VersionItem, entries: readonly WorkflowEntry[]): string | undefined {
  if (publishedAt === null) return undefined
  const at = Date.parse(publishedAt)
  const [found] = entries
    .filter((each) => Math.abs(Date.parse(each.at) - at) < NEAR_MS)
    .sort((a, b) => Math.abs(Date.parse(a.at) - at) - Math.abs(Date.parse(b.at) - at))
  return found && whoOf(found)
}

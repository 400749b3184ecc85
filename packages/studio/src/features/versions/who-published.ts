import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page, VersionItem } from '../../api/wire.ts'

interface AuditEntry {
  readonly at: string
  readonly actor: { readonly id: string }
  readonly operation: string
  readonly target: string
  readonly outcome: string
}

const OPERATIONS = ['publishWorkflowDefinition', 'saveAndPublishWorkflowDefinition']

/** Publishings of one workflow, from the audit log: for those who may read it. */
export const publishingsQuery = (definitionId: string) =>
  queryOptions({
    queryKey: ['publishings', definitionId],
    queryFn: async ({ signal }): Promise<readonly AuditEntry[]> => {
      const pages = await Promise.all(
        OPERATIONS.map((operation) =>
          call<Page<AuditEntry>>('GET', '/audit-log', { query: { operation, outcome: 'done', limit: 200 }, signal }),
        ),
      )
      return pages.flatMap(({ items }) => items).filter(({ target }) => target.split(/[\s/,]/).includes(definitionId))
    },
    retry: false,
    staleTime: 30_000,
  })

const NEAR_MS = 15_000

/** The entry says when it was asked for, the version when it was written: the last one before belongs to it. */
export function publisherOf({ publishedAt }: VersionItem, entries: readonly AuditEntry[]): string | undefined {
  if (publishedAt === null) return undefined
  const at = Date.parse(publishedAt)
  const found = entries
    .filter((each) => Math.abs(Date.parse(each.at) - at) < NEAR_MS)
    .sort((a, b) => Math.abs(Date.parse(a.at) - at) - Math.abs(Date.parse(b.at) - at))[0]
  return found?.actor.id.replace(/^(user|key):/, '')
}

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'
import type { WorkflowEntry } from './workflow-entry.ts'

/** The newest entries of the audit log about one workflow, by operation: for those who may read it. */
export const auditOfWorkflowQuery = (definitionId: string, operations: readonly string[]) =>
  queryOptions({
    queryKey: ['audit-of-workflow', definitionId, operations],
    queryFn: async ({ signal }): Promise<readonly WorkflowEntry[]> => {
      const pages = await Promise.all(
        operations.map((operation) =>
          call<Page<WorkflowEntry>>('GET', '/audit-log', { query: { operation, outcome: 'done', limit: 200 }, signal }),
        ),
      )
      return pages.flatMap(({ items }) => items).filter(({ target }) => target.split(/[\s/,]/).includes(definitionId))
    },
    retry: false,
    staleTime: 30_000,
  })

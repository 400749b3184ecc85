import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'
import type { WorkflowEntry } from '../versions/workflow-entry.ts'
import { lastChanges } from './last-changes.ts'

const OPERATIONS = [
  'saveWorkflowDraft',
  'publishWorkflowDefinition',
  'saveAndPublishWorkflowDefinition',
  'createWorkflowDefinition',
]

/** Who changed or published each workflow last, from the newest entries of the audit log: for those who may read it. */
export const lastChangesQuery = () =>
  queryOptions({
    queryKey: ['last-changes'],
    queryFn: async ({ signal }) => {
      const pages = await Promise.all(
        OPERATIONS.map((operation) =>
          call<Page<WorkflowEntry>>('GET', '/audit-log', { query: { operation, outcome: 'done', limit: 200 }, signal }),
        ),
      )
      return lastChanges(pages.flatMap(({ items }) => items))
    },
    retry: false,
    staleTime: 10_000,
  })

import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'

export interface HumanTask {
  readonly id: string
  readonly title: string
  readonly description: string | null
  /** JSON schema of what is handed in; null: anything. */
  readonly form: unknown
  readonly outcomes: readonly string[]
  readonly assignee: string | null
  readonly candidates: readonly string[]
  readonly instanceId: string
  readonly step: string
  readonly status: string
  readonly outcome: string | null
  readonly completedBy: string | null
  readonly createdAt: string
  readonly dueAt: string | null
}

/** A task and the bookmark at which its instance waits have one id. */
export const taskIdOf = (bookmarkId: string): string => bookmarkId.replace(/^bkm_/, 'hmt_')

export const humanTasksQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['human-tasks', 'list', cursor],
    queryFn: ({ signal }) => call<Page<HumanTask>>('GET', '/human-tasks', { query: { cursor, limit: 50 }, signal }),
  })

export const humanTaskQuery = (id: string) =>
  queryOptions({
    queryKey: ['human-tasks', 'one', id],
    queryFn: ({ signal }) => call<HumanTask>('GET', `/human-tasks/${encodeURIComponent(id)}`, { signal }),
  })

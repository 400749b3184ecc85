import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { create } from 'zustand'
import { call } from '../api/client.ts'
import type { Instance, Page } from '../api/wire.ts'

const part = encodeURIComponent

/** The newest runs of a workflow, real ones and tests, newest first. */
export const pastRunsQuery = (definitionId: string) =>
  queryOptions({
    queryKey: ['past-runs', definitionId],
    queryFn: async ({ signal }): Promise<readonly Instance[]> => {
      const query = { definition: definitionId, limit: 10 }
      const [real, tests] = await Promise.all([
        call<Page<Instance>>('GET', '/workflow-instances', { query, signal }),
        call<Page<Instance>>('GET', '/test-runs', { query, signal }),
      ])
      return [...real.items, ...tests.items].sort((a, b) => b.createdAt.localeCompare(a.createdAt)).slice(0, 15)
    },
    staleTime: 10_000,
  })

export interface PastScope {
  readonly seq: number
  readonly exact: boolean
  readonly scope: Readonly<Record<string, unknown>>
}

export const pastScopeQuery = (instanceId: string, step: string) =>
  queryOptions({
    queryKey: ['past-scope', instanceId, step],
    queryFn: ({ signal }) =>
      call<PastScope>('GET', `/workflow-instances/${part(instanceId)}/scope`, { query: { step }, signal }),
    staleTime: 30_000,
  })

export interface Evaluated {
  readonly status: 'value' | 'invalid' | 'failed' | 'limit'
  readonly value: unknown
  readonly message: string | null
  readonly line: number | null
  readonly column: number | null
  readonly exact: boolean
}

export const evaluatedQuery = (instanceId: string, step: string, expression: string) =>
  queryOptions({
    queryKey: ['evaluated', instanceId, step, expression],
    queryFn: ({ signal }) =>
      call<Evaluated>('POST', `/workflow-instances/${part(instanceId)}/evaluate`, {
        body: { expression, step },
        signal,
      }),
    placeholderData: keepPreviousData,
    retry: false,
    staleTime: 30_000,
  })

interface PickedRuns {
  readonly byDefinition: Readonly<Record<string, string>>
  pick(definitionId: string, instanceId: string): void
}

/** Which run the fields of a workflow are held against: one choice for all of them. */
export const usePickedRuns = create<PickedRuns>((set) => ({
  byDefinition: {},
  pick: (definitionId, instanceId) =>
    set(({ byDefinition }) => ({ byDefinition: { ...byDefinition, [definitionId]: instanceId } })),
}))

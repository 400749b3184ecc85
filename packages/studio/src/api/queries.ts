import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { call, type Query } from './client.ts'
import type {
  ActivitiesAt,
  BatchItem,
  BatchOperation,
  ClusterNodes,
  Consumer,
  Definition,
  DefinitionItem,
  Incident,
  IncidentGroups,
  Instance,
  Lock,
  LockDetail,
  Page,
  Preview,
  Schedule,
  ScheduleRun,
  StateAt,
  StatusCounts,
  StepProgress,
  Version,
  VersionItem,
  Why,
} from './wire.ts'

const part = encodeURIComponent

export const instancesQuery = (query: Query) =>
  queryOptions({
    queryKey: ['instances', query],
    queryFn: ({ signal }) => call<Page<Instance>>('GET', '/workflow-instances', { query, signal }),
    placeholderData: keepPreviousData,
  })

/** Asks by itself only: each answer looks at thousands of rows, and nobody needs every one of them. */
export const instanceCountsQuery = (query: Query) =>
  queryOptions({
    queryKey: ['instance-counts', query],
    queryFn: ({ signal }) => call<StatusCounts>('GET', '/workflow-instances/counts', { query, signal }),
    placeholderData: keepPreviousData,
  })

export const instanceQuery = (id: string) =>
  queryOptions({
    queryKey: ['instance', id, 'head'],
    queryFn: ({ signal }) => call<Instance>('GET', `/workflow-instances/${part(id)}`, { signal }),
  })

/** Copies of it, newest first. */
export const forksQuery = (id: string) =>
  queryOptions({
    queryKey: ['instance', id, 'forks'],
    queryFn: ({ signal }) =>
      call<Page<Instance>>('GET', `/workflow-instances/${part(id)}/forks`, { query: { limit: 50 }, signal }),
  })

/** The state after a fact never changes; the newest one is known by the revision it was read for. */
export const stateQuery = (id: string, at: number) =>
  queryOptions({
    queryKey: ['instance-state', id, at],
    queryFn: ({ signal }) => call<StateAt>('GET', `/workflow-instances/${part(id)}/state`, { query: { at }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Over the whole journal up to a fact, which never changes either. */
export const activitiesQuery = (id: string, at: number) =>
  queryOptions({
    queryKey: ['instance-activities', id, at],
    queryFn: ({ signal }) =>
      call<ActivitiesAt>('GET', `/workflow-instances/${part(id)}/activities`, { query: { at }, signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const progressQuery = (id: string) =>
  queryOptions({
    queryKey: ['instance', id, 'progress'],
    queryFn: ({ signal }) =>
      call<{ items: readonly StepProgress[] }>('GET', `/workflow-instances/${part(id)}/progress`, { signal }),
  })

export const whyQuery = (id: string) =>
  queryOptions({
    queryKey: ['instance', id, 'why'],
    queryFn: ({ signal }) => call<Why>('GET', `/workflow-instances/${part(id)}/why`, { signal }),
  })

export const definitionsQuery = (query: Query = {}) =>
  queryOptions({
    queryKey: ['definitions', query],
    queryFn: ({ signal }) => call<Page<DefinitionItem>>('GET', '/workflow-definitions', { query, signal }),
    placeholderData: keepPreviousData,
  })

export const definitionQuery = (id: string) =>
  queryOptions({
    queryKey: ['definitions', 'one', id],
    queryFn: ({ signal }) => call<Definition>('GET', `/workflow-definitions/${part(id)}`, { signal }),
  })

export const versionsQuery = (id: string) =>
  queryOptions({
    queryKey: ['definitions', 'versions', id],
    queryFn: ({ signal }) =>
      call<Page<VersionItem>>('GET', `/workflow-definitions/${part(id)}/versions`, { query: { limit: 100 }, signal }),
  })

export const draftQuery = (id: string) =>
  queryOptions({
    queryKey: ['definitions', 'draft', id],
    queryFn: ({ signal }) =>
      call<{ draft: Version['document'] }>('GET', `/workflow-definitions/${part(id)}/draft`, { signal }),
  })

/** Versions never change; how many instances are pinned to them does. */
export const versionQuery = (id: string, version: number) =>
  queryOptions({
    queryKey: ['definition-version', id, version],
    queryFn: ({ signal }) => call<Version>('GET', `/workflow-definitions/${part(id)}/versions/${version}`, { signal }),
    staleTime: 60_000,
  })

/** Told with `muted: false`: without those that somebody muted. */
/** Which workflows run this one. */
export const consumersQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ['definitions', 'consumers', id, limit],
    queryFn: ({ signal }) =>
      call<Page<Consumer>>('GET', `/workflow-definitions/${part(id)}/consumers`, { query: { limit }, signal }),
  })

export const incidentGroupsQuery = (asked: Query = {}) =>
  queryOptions({
    queryKey: ['incidents', 'groups', asked],
    queryFn: ({ signal }) =>
      call<IncidentGroups>('GET', '/incidents/groups', { query: { limit: 50, ...asked }, signal }),
  })

export const incidentsQuery = (query: Query) =>
  queryOptions({
    queryKey: ['incidents', 'list', query],
    queryFn: ({ signal }) => call<Page<Incident>>('GET', '/incidents', { query, signal }),
    placeholderData: keepPreviousData,
  })

export const schedulesQuery = (query: Query = {}) =>
  queryOptions({
    queryKey: ['schedules', query],
    queryFn: ({ signal }) => call<Page<Schedule>>('GET', '/schedules', { query, signal }),
    placeholderData: keepPreviousData,
  })

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: ({ signal }) => call<Schedule>('GET', `/schedules/${part(id)}`, { signal }),
  })

export const scheduleRunsQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'runs', id],
    queryFn: ({ signal }) =>
      call<Page<ScheduleRun>>('GET', `/schedules/${part(id)}/runs`, { query: { limit: 50 }, signal }),
  })

export const schedulePreviewQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'preview', id],
    queryFn: ({ signal }) => call<Preview>('GET', `/schedules/${part(id)}/preview`, { query: { count: 10 }, signal }),
  })

export const nodesQuery = () =>
  queryOptions({
    queryKey: ['nodes'],
    queryFn: ({ signal }) => call<ClusterNodes>('GET', '/cluster/nodes', { signal }),
  })

export const locksQuery = (query: Query) =>
  queryOptions({
    queryKey: ['locks', 'list', query],
    queryFn: ({ signal }) => call<Page<Lock>>('GET', '/locks', { query, signal }),
    placeholderData: keepPreviousData,
  })

export const lockQuery = (key: string) =>
  queryOptions({
    queryKey: ['locks', 'one', key],
    queryFn: ({ signal }) => call<LockDetail>('GET', `/locks/${part(key)}`, { signal }),
    retry: false,
  })

export const batchesQuery = (query: Query = {}) =>
  queryOptions({
    queryKey: ['batches', query],
    queryFn: ({ signal }) => call<Page<BatchOperation>>('GET', '/batch-operations', { query, signal }),
    placeholderData: keepPreviousData,
  })

export const batchQuery = (id: string) =>
  queryOptions({
    queryKey: ['batches', 'one', id],
    queryFn: ({ signal }) => call<BatchOperation>('GET', `/batch-operations/${part(id)}`, { signal }),
  })

export const batchItemsQuery = (id: string, query: Query) =>
  queryOptions({
    queryKey: ['batches', 'items', id, query],
    queryFn: ({ signal }) => call<Page<BatchItem>>('GET', `/batch-operations/${part(id)}/items`, { query, signal }),
    placeholderData: keepPreviousData,
  })

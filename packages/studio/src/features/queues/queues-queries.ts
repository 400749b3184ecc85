import { queryOptions } from '@tanstack/react-query'
import { call } from '../../api/client.ts'
import type { Page } from '../../api/wire.ts'

export interface Queue {
  readonly name: string
  readonly due: number
  readonly oldestDueAt: string | null
  readonly later: number
  readonly nextDueAt: string | null
}

export interface FlowPolicy {
  readonly definitionId: string
  readonly policy: Readonly<Record<string, unknown>> | null
  readonly chosen: Readonly<Record<string, unknown>> | null
  readonly declared: unknown
  readonly updatedAt: string | null
  readonly etag: string
}

export interface FlowLoad extends FlowPolicy {
  readonly waiting: number
  readonly alive: number
  readonly gathering: number
}

interface Rate {
  readonly limit: number
  readonly perMs: number
}

export interface StepLimit {
  readonly key: string
  readonly concurrency: number | null
  readonly rate: Rate | null
  readonly declared: { readonly concurrency: number | null; readonly rate: Rate | null }
  readonly setAt: string | null
  readonly running: number
  readonly waiting: number
}

export interface Task {
  readonly id: string
  readonly name: string
  readonly queue: string
  readonly instanceId: string
  readonly step: string
  readonly status: string
  readonly worker: string | null
  readonly leaseEndsAt: string | null
  readonly createdAt: string
}

export interface DeadLetter {
  readonly id: string
  readonly definitionId: string
  readonly source: string
  readonly code: string
  readonly reason: string
  readonly arrivedAt: string
}

export interface WholeDeadLetter extends DeadLetter {
  readonly input: unknown
  /** Base64, in the place of an input where nobody can read what came. */
  readonly raw: string | null
}

export const deadLettersQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['dead-letters', 'list', cursor],
    queryFn: ({ signal }) => call<Page<DeadLetter>>('GET', '/dead-letters', { query: { cursor, limit: 50 }, signal }),
  })

export const deadLetterQuery = (id: string) =>
  queryOptions({
    queryKey: ['dead-letters', 'one', id],
    queryFn: ({ signal }) => call<WholeDeadLetter>('GET', `/dead-letters/${id}`, { signal }),
  })

export const queuesQuery = () =>
  queryOptions({
    queryKey: ['queues'],
    queryFn: ({ signal }) => call<{ readonly items: readonly Queue[] }>('GET', '/queues', { signal }),
  })

export const flowPoliciesQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['flow', 'list', cursor],
    queryFn: ({ signal }) => call<Page<FlowPolicy>>('GET', '/flow-policies', { query: { cursor, limit: 20 }, signal }),
  })

export const flowLoadQuery = (definitionId: string) =>
  queryOptions({
    queryKey: ['flow', 'one', definitionId],
    queryFn: ({ signal }) => call<FlowLoad>('GET', `/flow-policies/${encodeURIComponent(definitionId)}`, { signal }),
  })

export const limitsQuery = (cursor: string | undefined) =>
  queryOptions({
    queryKey: ['limits', cursor],
    queryFn: ({ signal }) => call<Page<StepLimit>>('GET', '/limits', { query: { cursor, limit: 50 }, signal }),
  })

export const tasksQuery = (cursor: string | undefined, status: string | undefined) =>
  queryOptions({
    queryKey: ['tasks', status, cursor],
    queryFn: ({ signal }) => call<Page<Task>>('GET', '/tasks', { query: { cursor, status, limit: 50 }, signal }),
  })

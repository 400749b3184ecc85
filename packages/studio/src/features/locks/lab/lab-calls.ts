import { queryOptions } from '@tanstack/react-query'
import { call } from '../../../api/client.ts'
import { toProblem } from '../../../api/problem.ts'
import type { LabCalls } from './race.ts'

const WAIT_MS = 2_000

/** Whether the server has a lab. Servers of before know nothing of one. */
export const lockLabQuery = () =>
  queryOptions({
    queryKey: ['lock-lab'],
    queryFn: async ({ signal }) => {
      try {
        return await call<{ offered: boolean; tracks: number }>('GET', '/lock-lab', { signal })
      } catch (error) {
        if (toProblem(error).status === 404) return { offered: false, tracks: 0 }
        throw error
      }
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export const labCalls: LabCalls = {
  acquire: (asked, signal) => call('POST', '/lock-lab/acquire', { body: { ...asked, waitMs: WAIT_MS }, signal }),
  renew: async (held) =>
    (await call<{ outcome: 'renewed' | 'lost' }>('POST', '/lock-lab/renew', { body: held })).outcome,
  release: async (held) =>
    (await call<{ outcome: 'released' | 'lost' }>('POST', '/lock-lab/release', { body: held })).outcome,
  write: (track, fence) => call('POST', '/lock-lab/write', { body: { track, fence } }),
}

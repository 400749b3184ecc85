/** The few calls that a worker makes. */
import { defineError, type Json } from '@lockstep/base'

export interface ClaimedTask {
  readonly id: string
  readonly name: string
  readonly queue: string
  readonly instanceId: string
  readonly step: string
  readonly payload: Json
  /** Names this claim in all that is said about the task. */
  readonly lease: number
}

export const TaskApiFailed = defineError(
  'TASK_API_FAILED',
  { retryable: true },
  (d: { operation: string; status: number | undefined; code: string | undefined; reason: string }) =>
    `${d.operation} failed${d.status === undefined ? '' : ` with status ${d.status}`}${d.code === undefined ? '' : ` (${d.code})`}: ${d.reason}`,
)

/** How the server refuses a worker: what it does for this task does not count any more. */
export type Refusal = 'already-completed' | 'lease-lost' | 'cancelled' | 'not-found'

export interface TaskApiOptions {
  /** Of the server, with its base path. */
  readonly url: string
  readonly apiKey: string | undefined
  readonly fetch: typeof fetch
}

export interface TaskApi {
  claim(
    request: {
      readonly tasks: readonly string[]
      readonly queue: string
      readonly limit: number
      readonly wait: number
      readonly leaseFor: number
      readonly worker: string
    },
    signal: AbortSignal,
  ): Promise<readonly ClaimedTask[]>
  /** `undefined`: it counts. */
  say(
    task: ClaimedTask,
    what: 'heartbeat' | 'progress' | 'results' | 'complete' | 'fail',
    body: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<Refusal | undefined>
}

const REFUSALS: Readonly<Record<string, Refusal>> = {
  TASK_ALREADY_COMPLETED: 'already-completed',
  TASK_LEASE_LOST: 'lease-lost',
  TASK_CANCELLED: 'cancelled',
  TASK_NOT_FOUND: 'not-found',
}

export function taskApi({ url, apiKey, fetch }: TaskApiOptions): TaskApi {
  const root = `${url.replace(/\/+$/, '')}/api/v1`
  const headers = {
    'content-type': 'application/json',
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const post = async (operation: string, body: object, signal: AbortSignal | undefined) => {
    const request = { method: 'POST', headers, body: JSON.stringify(body), ...(signal === undefined ? {} : { signal }) }
    const response = await fetch(`${root}${operation}`, request)
    const answer: unknown = await response.json().catch(() => undefined)
    return { status: response.status, answer: (answer ?? {}) as Record<string, unknown> }
  }
  const failed = (operation: string, status: number, answer: Readonly<Record<string, unknown>>): Error =>
    new TaskApiFailed({
      operation,
      status,
      code: typeof answer.code === 'string' ? answer.code : undefined,
      reason: typeof answer.detail === 'string' ? answer.detail : 'the server did not say why',
    })
  return {
    claim: async (request, signal) => {
      const { status, answer } = await post('/tasks/claim', request, signal)
      if (status !== 200) throw failed('Claiming tasks', status, answer)
      return answer.tasks as readonly ClaimedTask[]
    },
    say: async ({ id, lease }, what, body, signal) => {
      const { status, answer } = await post(`/tasks/${id}/${what}`, { lease, ...body }, signal)
      if (status === 200) return undefined
      const refusal = REFUSALS[String(answer.code)]
      if (refusal !== undefined) return refusal
      throw failed(`The ${what} of task ${id}`, status, answer)
    },
  }
}

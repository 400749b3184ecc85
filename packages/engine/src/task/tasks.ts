/** Work for outside workers: they claim it, say that they are alive, and end it. What they say counts while they hold the claim. */
import { type Clock, InvalidOption, type Json } from '@lockstep/base'
import { MOST_PART_BYTES } from '../progress/part-writer.ts'
import type { PartialResults } from '../progress/partial-results.ts'
import { checkText, DEFAULT_TENANT } from '../start/start-request.ts'
import { toPayload } from '../step/payload.ts'
import type { NewTask, TaskFilter, TaskStore, TaskVerdict, TaskView } from '../store/task-store.ts'
import { DEFAULT_QUEUE } from './task-wait.ts'
import { TaskWaiters } from './task-waiters.ts'

export interface TasksOptions {
  readonly tasks: TaskStore
  readonly clock: Clock
  /** Something waits for an instance. */
  readonly onStimulus: (instanceId: string) => void
  /** Tells other nodes that there is a task. */
  readonly onOpened: () => void
  readonly results: Pick<PartialResults, 'addOfTask' | 'told'>
}

export interface ClaimTasksRequest {
  readonly tenant?: string
  /** @default 'default' */
  readonly queue?: string
  /** Names of the tasks that the worker can do. */
  readonly tasks: readonly string[]
  /** @default 1 */
  readonly limit?: number
  /** How long the claims last without a heartbeat. @default what each task says */
  readonly leaseMs?: number
  /** Who asks; shown to people. */
  readonly worker?: string
  /** How long to wait for the first task. @default 0 */
  readonly waitMs?: number
  readonly signal?: AbortSignal
}

/** Names a claim: the task, and the number that its worker was given. */
export interface TaskHold {
  readonly tenant?: string
  readonly id: string
  readonly leaseNo: number
}

/** `task` is how it stands now; absent: there is none. */
export type TaskOutcome =
  | { readonly outcome: Exclude<TaskVerdict, 'not-found'>; readonly task: TaskView }
  | { readonly outcome: 'not-found'; readonly task?: undefined }

export interface TaskFailure {
  /** @default 'TASK_FAILED' */
  readonly code?: string
  readonly message: string
  readonly data?: unknown
  /** `false`: the retry policy of the step does not matter. @default true */
  readonly retryable?: boolean
}

export const MOST_CLAIMED = 100
export const SHORTEST_LEASE_MS = 100
export const LONGEST_LEASE_MS = 86_400_000
export const MOST_PARTS_AT_ONCE = 100
const MOST_NAMES = 50
const LONGEST_MESSAGE = 4_000

const ABANDONED = JSON.stringify({
  status: 'failed',
  error: { code: 'TASK_ABANDONED', message: 'Every worker that claimed the task fell silent' },
})

export class Tasks {
  readonly #o: TasksOptions
  readonly #waiters: TaskWaiters

  constructor(options: TasksOptions) {
    this.#o = options
    this.#waiters = new TaskWaiters(options.tasks, options.clock)
  }

  /** Settles with tasks as soon as there are any, or with none when the time is over. */
  async claim(request: ClaimTasksRequest): Promise<readonly TaskView[]> {
    const { tenant = DEFAULT_TENANT, queue = DEFAULT_QUEUE, tasks, limit = 1, leaseMs, worker = '' } = request
    checkClaim(request)
    const claim = { tenant, queue, names: [...new Set(tasks)], limit, leaseMs, worker, abandoned: ABANDONED }
    const { waitMs = 0, signal } = request
    const deadline = this.#o.clock.monotonic() + waitMs
    for (;;) {
      // Registered before the look: what opens between the look and the wait is heard of.
      using waiter = this.#waiters.add(claim)
      const claimed = signal?.aborted ? [] : await this.#o.tasks.claim(claim)
      const leftMs = deadline - this.#o.clock.monotonic()
      if (claimed.length > 0 || leftMs <= 0 || signal?.aborted || this.#waiters.isStopped) return claimed
      await waiter.told(leftMs, signal)
    }
  }

  /** Says that the worker is alive, and how far it is. Anything but `done`: stop, the work is not wanted from this worker any more. */
  heartbeat(
    hold: TaskHold,
    options: { readonly leaseMs?: number; readonly progress?: unknown } = {},
  ): Promise<TaskOutcome> {
    const { leaseMs, progress } = options
    checkLease(leaseMs)
    const text = progress === undefined ? undefined : JSON.stringify(toPayload(progress, 'The progress'))
    return this.#outcome(hold, (tenant) => this.#o.tasks.beat(tenant, hold.id, hold.leaseNo, leaseMs, text))
  }

  /** Hands out parts of the result, the first of which has the number `from`; those that are there already stay. Counts as a heartbeat. */
  async emit(hold: TaskHold, from: number, values: readonly unknown[]): Promise<TaskOutcome> {
    if (values.length === 0 || values.length > MOST_PARTS_AT_ONCE)
      throw new InvalidOption({ option: 'parts', rule: `1 to ${MOST_PARTS_AT_ONCE}`, value: values.length })
    const parts = values.map((value, index) => toPayload(value, `Part ${from + index}`, MOST_PART_BYTES))
    const { results } = this.#o
    const said = await this.#outcome(hold, (tenant) => results.addOfTask({ ...hold, tenant }, from, parts))
    if (said.outcome === 'done') results.told(said.task.instanceId)
    return said
  }

  complete(hold: TaskHold, output?: unknown): Promise<TaskOutcome> {
    return this.#end(hold, 'completed', { status: 'completed', output: toPayload(output ?? null, 'The output') })
  }

  fail(hold: TaskHold, { code = 'TASK_FAILED', message, data, retryable = true }: TaskFailure): Promise<TaskOutcome> {
    checkText(code, 'code')
    const error = {
      code,
      message: message.slice(0, LONGEST_MESSAGE),
      ...(data === undefined ? {} : { data: toPayload(data, 'The data') }),
    }
    return this.#end(hold, 'failed', { status: 'failed', error, retryable })
  }

  get(id: string, tenant: string = DEFAULT_TENANT): Promise<TaskView | undefined> {
    return this.#o.tasks.get(tenant, id)
  }

  /** Newest first. */
  list(
    filter: TaskFilter & { readonly before?: string },
    limit: number,
    tenant: string = DEFAULT_TENANT,
  ): Promise<readonly TaskView[]> {
    const { before, ...rest } = filter
    return this.#o.tasks.list(tenant, rest, before, limit)
  }

  async open(task: NewTask): Promise<void> {
    await this.#o.tasks.open(task)
    this.#waiters.opened(task)
    this.#o.onOpened()
  }

  /** Another node has opened a task. */
  openedElsewhere(): void {
    this.#waiters.look()
  }

  stop(): void {
    this.#waiters.stop()
  }

  async #end(hold: TaskHold, status: 'completed' | 'failed', message: Json): Promise<TaskOutcome> {
    const text = JSON.stringify(message)
    const result = await this.#outcome(hold, (tenant) => this.#o.tasks.end(tenant, hold.id, hold.leaseNo, status, text))
    if (result.outcome === 'done') this.#o.onStimulus(result.task.instanceId)
    return result
  }

  async #outcome(
    { tenant = DEFAULT_TENANT, id }: TaskHold,
    decide: (tenant: string) => Promise<TaskVerdict>,
  ): Promise<TaskOutcome> {
    const outcome = await decide(tenant)
    const task = outcome === 'not-found' ? undefined : await this.#o.tasks.get(tenant, id)
    return outcome === 'not-found' || task === undefined ? { outcome: 'not-found' } : { outcome, task }
  }
}

function checkClaim({ queue, tasks, limit = 1, leaseMs, worker }: ClaimTasksRequest): void {
  checkText(queue, 'queue')
  if (tasks.length === 0 || tasks.length > MOST_NAMES)
    throw new InvalidOption({ option: 'tasks', rule: `1 to ${MOST_NAMES} names` })
  for (const name of tasks) checkText(name, 'tasks')
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_CLAIMED)
    throw new InvalidOption({ option: 'limit', rule: `1 to ${MOST_CLAIMED}`, value: limit })
  if (worker !== '') checkText(worker, 'worker')
  checkLease(leaseMs)
}

function checkLease(leaseMs: number | undefined): void {
  if (leaseMs === undefined || (leaseMs >= SHORTEST_LEASE_MS && leaseMs <= LONGEST_LEASE_MS)) return
  const rule = `${SHORTEST_LEASE_MS} ms to ${LONGEST_LEASE_MS} ms`
  throw new InvalidOption({ option: 'leaseMs', rule, value: leaseMs })
}

import { fromWireId, toWireId } from '@lockstep/base'
import {
  LONGEST_LEASE_MS,
  MOST_CLAIMED,
  MOST_PARTS_AT_ONCE,
  SHORTEST_LEASE_MS,
  TaskAlreadyCompleted,
  TaskCancelled,
  TaskLeaseLost,
  TaskNotFound,
  type TaskOutcome,
  type TaskView,
} from '@lockstep/engine'
import Type from 'typebox'
import { InvalidCursor } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { durationMs, waitMs } from '../request/wait.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { anything, closed, duration, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const STATUSES = ['open', 'claimed', 'completed', 'failed', 'cancelled'] as const

const TaskId = Type.String({ pattern: '^tsk_[0-9a-fA-F-]{36}$', description: 'tsk_ and a uuid.' })

const Task = Type.Object({
  id: TaskId,
  name: Type.String({ description: 'What workers claim it by.' }),
  queue: Type.String(),
  instanceId: InstanceId,
  step: Type.String(),
  status: oneOf(STATUSES, 'cancelled: its instance does not wait for it any more.'),
  payload: anything('What the worker gets; null once the task has ended.'),
  lease: Type.Integer({ description: 'Rises with every claim. Send it back with whatever you say about the task.' }),
  leaseEndsAt: instant('When the claim ends without a heartbeat.'),
  worker: nullable('string'),
  progress: anything('What its worker said last.'),
  createdAt: instant(),
  endedAt: instant(),
})

const Said = Type.Object({ outcome: oneOf(['done']), task: Task })
const lease = Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The number that the claim answered.' })
const leaseDuration = duration(`How long the claim lasts; ${SHORTEST_LEASE_MS}ms to ${LONGEST_LEASE_MS / 3_600_000}h.`)

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())

function toWire(task: TaskView) {
  const { id, name, queue, instanceId, step, status, payload, leaseNo, leaseEndsAt, worker, progress } = task
  return {
    ...{ name, queue, step, status, payload, progress, lease: leaseNo, worker: worker ?? null },
    id: toWireId('task', id),
    instanceId: toWireId('instance', instanceId),
    leaseEndsAt: iso(leaseEndsAt),
    createdAt: iso(task.createdAt),
    endedAt: iso(task.endedAt),
  }
}

/** 200 for the one who counts; a problem that says how the others lost, and how the task stands. */
function answerOf(id: string, { outcome, task }: TaskOutcome) {
  if (outcome === 'not-found') throw new TaskNotFound({ id })
  const state = toWire(task)
  if (outcome === 'already-completed') throw new TaskAlreadyCompleted({ id, outcome, task: state })
  if (outcome === 'lease-lost') throw new TaskLeaseLost({ id, outcome, task: state })
  if (outcome === 'cancelled') throw new TaskCancelled({ id, outcome, task: state })
  return { status: 200, body: { outcome, task: state } }
}

function leaseMsOf(value: string | number | undefined): { readonly leaseMs?: number } {
  if (value === undefined) return {}
  const leaseMs = durationMs(value, 'leaseFor', 'body')
  return { leaseMs: Math.min(LONGEST_LEASE_MS, Math.max(SHORTEST_LEASE_MS, leaseMs)) }
}

const REFUSALS = [
  'INVALID_ID',
  'TASK_NOT_FOUND',
  'TASK_ALREADY_COMPLETED',
  'TASK_LEASE_LOST',
  'TASK_CANCELLED',
] as const

export const claimTasks = route({
  method: 'POST',
  path: '/tasks/claim',
  name: 'claimTasks',
  permission: 'tasks:work',
  audit: 'never',
  summary: 'Hands tasks to a worker: at once when there are any, else when the first one comes or `wait` is over.',
  body: closed({
    tasks: Type.Array(indexedText('A task that the worker can do.'), { minItems: 1, maxItems: 50 }),
    queue: Type.Optional(indexedText('Where to look; default unless given.')),
    limit: Type.Optional(
      Type.Integer({ minimum: 1, maximum: MOST_CLAIMED, description: 'Tasks at once; 1 unless given.' }),
    ),
    wait: Type.Optional(duration('How long to wait for the first one; at most 60s.')),
    leaseFor: Type.Optional(leaseDuration),
    worker: Type.Optional(indexedText('Who asks, for people to see.')),
  }),
  replies: { 200: Type.Object({ tasks: Type.Array(Task) }) },
  problems: [],
  async handle({ engine, tenant, waits }, { gone, rest: aside, body: { wait, leaseFor, ...rest } }) {
    const claim = { tenant, ...rest, ...leaseMsOf(leaseFor), waitMs: waitMs(wait, 'body') }
    const tasks = await aside(() =>
      waits.within((signal) => engine.tasks.claim({ ...claim, signal: AbortSignal.any([signal, gone]) })),
    )
    // Whoever asked has hung up: others need not wait for the claims to end.
    if (gone.aborted)
      for (const { id, leaseNo } of tasks)
        await engine.tasks.heartbeat({ tenant, id, leaseNo }, { leaseMs: SHORTEST_LEASE_MS })
    return { status: 200, body: { tasks: tasks.map(toWire) } }
  },
})

export const heartbeatTask = route({
  method: 'POST',
  path: '/tasks/:id/heartbeat',
  name: 'heartbeatTask',
  permission: 'tasks:work',
  audit: 'never',
  summary: 'Says that the worker is alive, which makes its claim last longer. A refusal means: stop.',
  id: TaskId,
  body: closed({ lease, leaseFor: Type.Optional(leaseDuration) }),
  replies: { 200: Said },
  problems: REFUSALS,
  async handle({ engine, tenant }, { params, body }) {
    const hold = { tenant, id: fromWireId('task', params.id), leaseNo: body.lease }
    return answerOf(params.id, await engine.tasks.heartbeat(hold, leaseMsOf(body.leaseFor)))
  },
})

export const reportTaskProgress = route({
  method: 'POST',
  path: '/tasks/:id/progress',
  name: 'reportTaskProgress',
  permission: 'tasks:work',
  audit: 'never',
  summary: 'Says how far the work is, for people to see. Counts as a heartbeat.',
  id: TaskId,
  body: closed({ lease, progress: anything('Any JSON, such as { "done": 3, "total": 10 }.') }),
  replies: { 200: Said },
  problems: [...REFUSALS, 'PAYLOAD_TOO_LARGE'],
  async handle({ engine, tenant }, { params, body }) {
    const hold = { tenant, id: fromWireId('task', params.id), leaseNo: body.lease }
    return answerOf(params.id, await engine.tasks.heartbeat(hold, { progress: body.progress }))
  },
})

export const emitTaskResults = route({
  method: 'POST',
  path: '/tasks/:id/results',
  name: 'emitTaskResults',
  permission: 'tasks:work',
  audit: 'never',
  summary:
    'Hands out parts of the result before the end; readers get each once, in order. Durable when it answers. Numbers that are there already stay as they are. Counts as a heartbeat.',
  id: TaskId,
  body: closed({
    lease,
    from: Type.Integer({
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'Number of the first one; 1 is the first of the task.',
    }),
    parts: Type.Array(anything('Any JSON.'), { minItems: 1, maxItems: MOST_PARTS_AT_ONCE }),
  }),
  replies: { 200: Said },
  problems: [...REFUSALS, 'PAYLOAD_TOO_LARGE', 'INVALID_PART', 'TOO_MANY_PARTS'],
  async handle({ engine, tenant }, { params, body }) {
    const hold = { tenant, id: fromWireId('task', params.id), leaseNo: body.lease }
    return answerOf(params.id, await engine.tasks.emit(hold, body.from, body.parts))
  },
})

export const completeTask = route({
  method: 'POST',
  path: '/tasks/:id/complete',
  name: 'completeTask',
  permission: 'tasks:work',
  audit: 'behind',
  summary: 'Ends a task: its workflow goes on with the output. Durable when it answers.',
  id: TaskId,
  body: closed({ lease, output: Type.Optional(anything('What the step gives; null unless given.')) }),
  replies: { 200: Said },
  problems: [...REFUSALS, 'PAYLOAD_TOO_LARGE'],
  async handle({ engine, tenant }, { params, body }) {
    const hold = { tenant, id: fromWireId('task', params.id), leaseNo: body.lease }
    return answerOf(params.id, await engine.tasks.complete(hold, body.output))
  },
})

export const failTask = route({
  method: 'POST',
  path: '/tasks/:id/fail',
  name: 'failTask',
  permission: 'tasks:work',
  audit: 'behind',
  summary: 'Ends a task without success: the retry policy of its step decides what comes next.',
  id: TaskId,
  body: closed({
    lease,
    message: Type.String({ minLength: 1, maxLength: 4_000, description: 'What went wrong.' }),
    code: Type.Optional(indexedText('What a catch can tell apart; TASK_FAILED unless given.')),
    data: Type.Optional(anything('More about it.')),
    retryable: Type.Optional(Type.Boolean({ description: 'false: trying again is of no use.' })),
  }),
  replies: { 200: Said },
  problems: [...REFUSALS, 'PAYLOAD_TOO_LARGE'],
  async handle({ engine, tenant }, { params, body: { lease: leaseNo, ...failure } }) {
    const hold = { tenant, id: fromWireId('task', params.id), leaseNo }
    return answerOf(params.id, await engine.tasks.fail(hold, failure))
  },
})

export const getTask = route({
  method: 'GET',
  path: '/tasks/:id',
  name: 'getTask',
  permission: 'tasks:read',
  summary: 'Answers one task.',
  id: TaskId,
  replies: { 200: Task },
  problems: ['INVALID_ID', 'TASK_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const found = await engine.tasks.get(fromWireId('task', params.id), tenant)
    if (found === undefined) throw new TaskNotFound({ id: params.id })
    return { status: 200, body: toWire(found) }
  },
})

export const listTasks = route({
  method: 'GET',
  path: '/tasks',
  name: 'listTasks',
  permission: 'tasks:read',
  summary: 'Lists tasks, newest first. Those that have ended are kept for a week.',
  query: closed({
    queue: Type.Optional(indexedText('Only of this queue.')),
    name: Type.Optional(indexedText('Only of this name.')),
    status: Type.Optional(oneOf(STATUSES)),
    instanceId: Type.Optional(InstanceId),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Task, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  async handle({ engine, tenant }, { query: { cursor: text, limit = DEFAULT_ITEMS, instanceId, ...given } }) {
    const filter = JSON.stringify([given.queue, given.name, given.status, instanceId])
    const cursor = fromCursor(text, filter, UUID)
    if (cursor?.back) throw new InvalidCursor({ reason: 'it belongs to a list that is read backward' })
    const wanted = {
      ...given,
      ...(instanceId === undefined ? {} : { instanceId: fromWireId('instance', instanceId) }),
      ...(cursor === undefined ? {} : { before: cursor.key }),
    }
    const rows = await engine.tasks.list(wanted, limit + 1, tenant)
    const list = toList(pageOf(rows), toWire, { cursor, limit, filter, key: (row) => row.id })
    return { status: 200, body: { ...list, page: { ...list.page, prev: null } } }
  },
})

import { fromWireId, toWireId } from '@lockstep/base'
import { type HumanTaskView, TaskAlreadyCompleted, TaskCancelled, TaskNotFound } from '@lockstep/engine'
import Type from 'typebox'
import { decidedBy } from '../auth/decided-by.ts'
import { InvalidCursor } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { TokenWish, toWireToken, ttlOf, WireToken } from '../wire/issued-token.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { anything, closed, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const STATUSES = ['open', 'completed', 'cancelled'] as const

export const HumanTaskId = Type.String({ pattern: '^hmt_[0-9a-fA-F-]{36}$', description: 'hmt_ and a uuid.' })

export const HumanTask = Type.Object({
  id: HumanTaskId,
  title: Type.String(),
  description: nullable('string'),
  form: anything('JSON schema of what is handed in; null: anything.'),
  outcomes: Type.Array(Type.String(), { description: 'What the person can choose.' }),
  assignee: nullable('string'),
  candidates: Type.Array(Type.String()),
  instanceId: InstanceId,
  step: Type.String(),
  status: oneOf(STATUSES, 'cancelled: its instance does not wait for it any more.'),
  outcome: nullable('string', { description: 'What was chosen.' }),
  completedBy: nullable('string'),
  createdAt: instant(),
  dueAt: instant(),
  endedAt: instant(),
})

const iso = (ms: number | undefined): string | null => (ms === undefined ? null : new Date(ms).toISOString())

export function toWireHumanTask(task: HumanTaskView) {
  const { id, title, description, form, outcomes, assignee, candidates, instanceId, step, status, outcome } = task
  return {
    ...{ title, form, outcomes, candidates, step, status },
    id: toWireId('humanTask', id),
    instanceId: toWireId('instance', instanceId),
    description: description ?? null,
    assignee: assignee ?? null,
    outcome: outcome ?? null,
    completedBy: task.completedBy ?? null,
    createdAt: iso(task.createdAt),
    dueAt: iso(task.dueAt),
    endedAt: iso(task.endedAt),
  }
}

export const listHumanTasks = route({
  method: 'GET',
  path: '/human-tasks',
  name: 'listHumanTasks',
  permission: 'tasks:read',
  summary:
    'Lists what people have to do, newest first; open ones unless told otherwise. Those that have ended are kept for a week.',
  query: closed({
    status: Type.Optional(oneOf(STATUSES)),
    assignee: Type.Optional(indexedText('Only what is assigned to this one.')),
    candidate: Type.Optional(indexedText('Only what nobody is assigned to and this one may do.')),
    instanceId: Type.Optional(InstanceId),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(HumanTask, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  async handle({ engine, tenant }, { query: { cursor: text, limit = DEFAULT_ITEMS, instanceId, ...given } }) {
    const { status = 'open', assignee, candidate } = given
    const filter = JSON.stringify([status, assignee, candidate, instanceId])
    const cursor = fromCursor(text, filter, UUID)
    if (cursor?.back) throw new InvalidCursor({ reason: 'it belongs to a list that is read backward' })
    const wanted = {
      ...{ status, assignee, candidate },
      ...(instanceId === undefined ? {} : { instanceId: fromWireId('instance', instanceId) }),
      ...(cursor === undefined ? {} : { before: cursor.key }),
    }
    const rows = await engine.humanTasks.list(wanted, limit + 1, tenant)
    const list = toList(pageOf(rows), toWireHumanTask, { cursor, limit, filter, key: (row) => row.id })
    return { status: 200, body: { ...list, page: { ...list.page, prev: null } } }
  },
})

export const getHumanTask = route({
  method: 'GET',
  path: '/human-tasks/:id',
  name: 'getHumanTask',
  permission: 'tasks:read',
  summary: 'Answers one human task with its form.',
  id: HumanTaskId,
  replies: { 200: HumanTask },
  problems: ['INVALID_ID', 'TASK_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const found = await engine.humanTasks.get(fromWireId('humanTask', params.id), tenant)
    if (found === undefined) throw new TaskNotFound({ id: params.id })
    return { status: 200, body: toWireHumanTask(found) }
  },
})

export const completeHumanTask = route({
  method: 'POST',
  path: '/human-tasks/:id/complete',
  name: 'completeHumanTask',
  permission: 'tasks:decide',
  summary:
    'Hands in what a person decided. The first one counts; the others get a problem that says how the task stands.',
  id: HumanTaskId,
  body: closed({
    outcome: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'May be left out when there is one.' }),
    ),
    data: Type.Optional(anything('What the form asks for.')),
    by: Type.Optional(
      indexedText('Who did it: the caller unless told. Those who may operate instances can act for somebody else.'),
    ),
  }),
  bodyOptional: true,
  replies: { 200: Type.Object({ outcome: oneOf(['done']), task: HumanTask }) },
  problems: [
    'INVALID_ID',
    'TASK_NOT_FOUND',
    'TASK_ALREADY_COMPLETED',
    'TASK_CANCELLED',
    'TASK_NOT_YOURS',
    'FORM_INVALID',
    'UNKNOWN_OUTCOME',
    'PAYLOAD_TOO_LARGE',
  ],
  async handle({ engine, tenant }, { params, body, principal }) {
    const { id } = params
    const taskId = fromWireId('humanTask', id)
    const asked = await engine.humanTasks.get(taskId, tenant)
    if (asked === undefined) throw new TaskNotFound({ id })
    const { by: said, ...given } = body
    const by = decidedBy(principal, asked, said)
    const request = { tenant, ...given, ...(by === undefined ? {} : { by }), id: taskId }
    const { outcome, task } = await engine.humanTasks.complete(request)
    if (outcome === 'not-found') throw new TaskNotFound({ id })
    const state = toWireHumanTask(task)
    if (outcome === 'already-completed') throw new TaskAlreadyCompleted({ id, outcome, task: state })
    if (outcome === 'cancelled') throw new TaskCancelled({ id, outcome, task: state })
    return { status: 200, body: { outcome, task: state } }
  },
})

export const issueToken = route({
  method: 'POST',
  path: '/human-tasks/:id/token',
  name: 'issueHumanTaskToken',
  permission: 'tasks:decide',
  summary: 'Makes a token with which anybody can do this one task, once. It is shown now and never again.',
  id: HumanTaskId,
  secret: true,
  body: TokenWish,
  bodyOptional: true,
  replies: { 201: WireToken },
  problems: ['INVALID_ID', 'TASK_NOT_FOUND'],
  async handle(context, { params, headers, body: { ttl } }) {
    const { engine, tenant } = context
    const id = fromWireId('humanTask', params.id)
    const found = await engine.humanTasks.get(id, tenant)
    const kept = ttlOf(ttl)
    const issued = found?.status === 'open' ? await engine.resumeTokens.issue(id, { tenant, ...kept }) : undefined
    if (issued === undefined) throw new TaskNotFound({ id: params.id })
    return { status: 201, body: toWireToken(context, headers.host as string | undefined, issued) }
  },
})

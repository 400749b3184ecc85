import type { ScheduleDocument } from '@lockstep/engine'
import Type from 'typebox'
import { requirePermission } from '../auth/require-permission.ts'
import { SearchText } from '../filter/instance-filter.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID, scheduleIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import { requiredRevisionOf, revisionOf, toEtag, toStateEtag } from '../wire/etag.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import {
  Schedule,
  ScheduleDocumentBody,
  ScheduleId,
  ScheduleItem,
  toWireSchedule,
  toWireScheduleItem,
} from '../wire/schedule.ts'
import { closed, flag, noContent } from '../wire/schema.ts'

/** Whoever says what a schedule runs, or that it runs, starts what it starts. */
const STARTS = 'instances:start'

const NAME = /^[^\p{Cc}\p{Cs}]{1,512}$/u

const ifMatchOf = (headers: Readonly<Record<string, string | string[] | undefined>>): string | undefined =>
  headers['if-match'] as string | undefined

const at = (revision: number | undefined): { revision?: number } => (revision === undefined ? {} : { revision })

export const createSchedule = route({
  method: 'POST',
  path: '/schedules',
  name: 'createSchedule',
  permission: 'schedules:write',
  summary: 'Creates a schedule: cron, interval or one instant, for a workflow or a job. Asks for instances:start too.',
  body: ScheduleDocumentBody,
  bodyJudge: 'engine',
  replies: { 201: Schedule },
  problems: ['SCHEDULE_INVALID', 'INPUT_INVALID', 'SCHEDULE_EXISTS', 'PAYLOAD_TOO_LARGE'],
  async handle({ engine, tenant, root }, { body, principal }) {
    requirePermission(principal, STARTS)
    const view = await engine.schedules.create(body as ScheduleDocument, { tenant })
    const location = `${root}/schedules/${encodeURIComponent(view.id)}`
    return { status: 201, body: toWireSchedule(view), etag: toEtag(view.revision), location }
  },
})

export const listSchedules = route({
  method: 'GET',
  path: '/schedules',
  name: 'listSchedules',
  permission: 'schedules:read',
  summary: 'Lists schedules by id, each with its latest run.',
  query: closed({
    q: SearchText('What the id or the name contains, whatever the case.'),
    definition: Type.Optional(Type.String({ pattern: DEFINITION_ID, description: 'Those that start this workflow.' })),
    paused: Type.Optional(flag('Those that are paused, or are not.')),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(ScheduleItem) },
  problems: ['INVALID_CURSOR'],
  async handle({ browse, tenant }, { query: { q, definition, paused, limit = DEFAULT_ITEMS, cursor } }) {
    const filter = `${definition ?? ''} ${paused ?? ''}${q === undefined ? '' : ` ${q}`}`
    const from = fromCursor(cursor, filter, NAME)
    const place = { from: from?.key, back: from?.back === true }
    const page = await browse.schedules(tenant, { definitionId: definition, paused, text: q }, place, limit + 1)
    const toItem = (row: (typeof page.rows)[number]) => toWireScheduleItem({ ...row, nextAt: row.dueAt })
    return { status: 200, body: toList(page, toItem, { cursor: from, limit, filter, key: (row) => row.id }) }
  },
})

export const getSchedule = route({
  method: 'GET',
  path: '/schedules/:id',
  name: 'getSchedule',
  permission: 'schedules:read',
  summary: 'Answers one schedule with its next time.',
  id: ScheduleId,
  cached: true,
  replies: { 200: Schedule },
  problems: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const view = await engine.schedules.get(scheduleIdOf(params.id), { tenant })
    const body = toWireSchedule(view)
    return { status: 200, body, etag: toStateEtag(view.revision, body) }
  },
})

export const putSchedule = route({
  method: 'PUT',
  path: '/schedules/:id',
  name: 'saveSchedule',
  permission: 'schedules:write',
  summary: 'Replaces the schedule that If-Match names; creates it with If-None-Match: *. Asks for instances:start too.',
  id: ScheduleId,
  body: ScheduleDocumentBody,
  bodyJudge: 'engine',
  ifMatch: 'required',
  replies: { 200: Schedule, 201: Schedule },
  problems: [
    'SCHEDULE_INVALID',
    'INPUT_INVALID',
    'SCHEDULE_NOT_FOUND',
    'SCHEDULE_EXISTS',
    'SCHEDULE_CHANGED',
    'SCHEDULE_OWNED',
    'IF_MATCH_REQUIRED',
    'PAYLOAD_TOO_LARGE',
  ],
  async handle({ engine, tenant }, { params, body, headers, principal }) {
    requirePermission(principal, STARTS)
    const id = scheduleIdOf(params.id)
    const document = withId(id, body)
    if (headers['if-none-match'] === '*') {
      const view = await engine.schedules.create(document, { tenant })
      return { status: 201, body: toWireSchedule(view), etag: toEtag(view.revision) }
    }
    const revision = requiredRevisionOf(ifMatchOf(headers), 'the schedule')
    // A star means: whatever is there. Something must be.
    const before = await engine.schedules.get(id, { tenant })
    const view = await engine.schedules.put(document, { tenant, ...at(revision) })
    const change = { before: before.document, after: view.document }
    return { status: 200, body: toWireSchedule(view), etag: toEtag(view.revision), change }
  },
})

/** The id in the path counts; a document may leave its own out, but may not name another. */
function withId(id: string, body: unknown): ScheduleDocument {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body as ScheduleDocument
  const own = (body as { readonly id?: unknown }).id
  if (own !== undefined && own !== id) {
    const text = `"id" must be "${id}", the id it is saved under, or be left out`
    throw new InvalidRequest({ errors: [{ in: 'body', field: '/id', text }] })
  }
  return { ...body, id } as ScheduleDocument
}

export const deleteSchedule = route({
  method: 'DELETE',
  path: '/schedules/:id',
  name: 'deleteSchedule',
  permission: 'schedules:write',
  summary:
    'Removes a schedule that a person made, or of a job. Its runs go on; those that wait do not start. One of a workflow goes with it.',
  id: ScheduleId,
  ifMatch: 'optional',
  replies: { 204: noContent },
  problems: ['SCHEDULE_NOT_FOUND', 'SCHEDULE_CHANGED', 'SCHEDULE_OWNED'],
  async handle({ engine, tenant }, { params, headers }) {
    await engine.schedules.remove(scheduleIdOf(params.id), { tenant, ...at(revisionOf(ifMatchOf(headers))) })
    return { status: 204, body: undefined }
  },
})

export const pauseSchedule = route({
  method: 'POST',
  path: '/schedules/:id/pause',
  name: 'pauseSchedule',
  permission: 'schedules:operate',
  summary: 'Lets occurrences go by until it is resumed. Pausing twice changes nothing.',
  id: ScheduleId,
  body: closed({}),
  bodyOptional: true,
  ifMatch: 'optional',
  replies: { 200: Schedule },
  problems: ['SCHEDULE_NOT_FOUND', 'SCHEDULE_CHANGED'],
  async handle({ engine, tenant }, { params, headers }) {
    const revision = revisionOf(ifMatchOf(headers))
    const view = await engine.schedules.pause(scheduleIdOf(params.id), { tenant, ...at(revision) })
    return { status: 200, body: toWireSchedule(view), etag: toEtag(view.revision) }
  },
})

export const resumeSchedule = route({
  method: 'POST',
  path: '/schedules/:id/resume',
  name: 'resumeSchedule',
  permission: 'schedules:operate',
  summary: 'Lets a paused schedule fire again, from its next time on. Asks for instances:start too.',
  id: ScheduleId,
  body: closed({}),
  bodyOptional: true,
  ifMatch: 'optional',
  replies: { 200: Schedule },
  problems: ['SCHEDULE_NOT_FOUND', 'SCHEDULE_CHANGED'],
  async handle({ engine, tenant }, { params, headers, principal }) {
    requirePermission(principal, STARTS)
    const revision = revisionOf(ifMatchOf(headers))
    const view = await engine.schedules.resume(scheduleIdOf(params.id), { tenant, ...at(revision) })
    return { status: 200, body: toWireSchedule(view), etag: toEtag(view.revision) }
  },
})

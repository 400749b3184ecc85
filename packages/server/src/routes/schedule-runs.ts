import { toWireId } from '@lockstep/base'
import type { PreviewLine, ScheduleDocument, TriggerOutcome } from '@lockstep/engine'
import Type from 'typebox'
import { requirePermission } from '../auth/require-permission.ts'
import { asFields } from '../problem/from-option.ts'
import { fromCursor } from '../request/cursor.ts'
import { scheduleIdOf } from '../request/ids.ts'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { ScheduleDocumentBody, ScheduleId, ScheduleRunItem, toWireRun } from '../wire/schedule.ts'
import { anything, closed, flag, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const When = (description: string) =>
  Type.Unsafe<string | number>({
    type: ['string', 'integer'],
    description: `${description} ISO 8601 with a zone, or epoch milliseconds.`,
  })

export const triggerSchedule = route({
  method: 'POST',
  path: '/schedules/:id/trigger',
  name: 'triggerSchedule',
  permission: 'schedules:operate',
  summary:
    'Runs it once now, beside its times. The same key gets the same run. What it does while another run is under way, its overlap policy says. Asks for instances:start too.',
  id: ScheduleId,
  body: closed({
    key: Type.Optional(indexedText('Names the run.')),
    force: Type.Optional(flag('Starts it even when an earlier run is under way.')),
    input: Type.Optional(anything('Instead of the input of the schedule.')),
  }),
  bodyOptional: true,
  replies: {
    202: Type.Object({
      outcome: oneOf(['started', 'queued', 'skipped']),
      key: Type.String(),
      instanceId: nullable('string'),
      reason: nullable('string', { description: 'Why it was skipped.' }),
      created: Type.Boolean({ description: 'false: the key was used before, and this is what became of it.' }),
    }),
  },
  problems: ['SCHEDULE_NOT_FOUND', 'DEFINITION_NOT_FOUND', 'INPUT_INVALID', 'PAYLOAD_TOO_LARGE'],
  async handle({ engine, tenant }, { params, body, principal }) {
    requirePermission(principal, 'instances:start')
    const run = await asFields('body', () => engine.schedules.triggerNow(scheduleIdOf(params.id), { tenant, ...body }))
    return { status: 202, body: toWireOutcome(run) }
  },
})

const toWireOutcome = (run: TriggerOutcome) => ({
  outcome: run.outcome,
  key: run.key,
  instanceId: run.outcome === 'started' ? toWireId('instance', run.instanceId) : null,
  reason: run.outcome === 'skipped' ? run.reason : null,
  created: run.created,
})

export const backfillSchedule = route({
  method: 'POST',
  path: '/schedules/:id/backfill',
  name: 'backfillSchedule',
  permission: 'schedules:operate',
  summary: 'Runs the occurrences in [from, to) that never fired, oldest first. Asks for instances:start too.',
  id: ScheduleId,
  body: closed({
    from: When('The first instant.'),
    to: When('The first instant that is too late.'),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
    overlap: Type.Optional(oneOf(['queue', 'allow'], 'One after another, or all at once.')),
  }),
  replies: {
    202: Type.Object({
      started: Type.Integer(),
      queued: Type.Integer(),
      existing: Type.Integer({ description: 'Had fired before, or been filled in.' }),
      moreFrom: instant('Where to go on when there was no room for all; else null.'),
    }),
  },
  problems: ['SCHEDULE_NOT_FOUND', 'INPUT_INVALID'],
  async handle({ engine, tenant }, { params, body, principal }) {
    requirePermission(principal, 'instances:start')
    const done = await asFields('body', () => engine.schedules.backfill(scheduleIdOf(params.id), { tenant, ...body }))
    return { status: 202, body: { ...done, moreFrom: iso(done.moreFrom) } }
  },
})

const PreviewItem = Type.Object({
  at: instant('Nominal.'),
  fireAt: instant('With its jitter.'),
  key: Type.String(),
  wall: Type.String({ description: 'What the clock on the wall of its zone shows.' }),
  offset: Type.String({ description: 'Of the zone at that instant.' }),
  nominal: nullable('string', { description: 'What was asked for, where the clock shows something else.' }),
  status: oneOf(['fires', 'excluded', 'dropped']),
  dst: nullable('string', { description: 'What a change of the clock did to it.' }),
  calendar: nullable('string', { description: 'Which calendar excludes it.' }),
})
const Preview = Type.Object({ items: Type.Array(PreviewItem) })
const Count = Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: 'Fires to show; 10 unless told.' }))

type Line = PreviewLine

const toWireLine = (line: Line) => ({
  ...line,
  at: iso(line.at),
  fireAt: iso(line.fireAt),
  nominal: line.nominal ?? null,
  dst: line.dst ?? null,
  calendar: line.calendar ?? null,
})

export const previewSchedule = route({
  method: 'GET',
  path: '/schedules/:id/preview',
  name: 'previewSchedule',
  permission: 'schedules:read',
  summary: 'The next fires of a schedule, as if it were not paused, with what does not fire among them and why.',
  id: ScheduleId,
  query: closed({ count: Count, from: Type.Optional(Type.String({ description: 'ISO 8601 with a zone.' })) }),
  replies: { 200: Preview },
  problems: ['SCHEDULE_NOT_FOUND'],
  async handle({ engine, tenant }, { params, query }) {
    const lines = await asFields('query', () => engine.schedules.preview(scheduleIdOf(params.id), { tenant, ...query }))
    return { status: 200, body: { items: lines.map(toWireLine) } }
  },
})

export const previewDocument = route({
  method: 'POST',
  path: '/schedules/preview',
  name: 'previewScheduleDocument',
  permission: 'schedules:read',
  audit: 'never',
  summary: 'The next fires of a schedule that does not exist yet. Nothing is saved.',
  query: closed({ count: Count, from: Type.Optional(Type.String({ description: 'ISO 8601 with a zone.' })) }),
  body: ScheduleDocumentBody,
  bodyJudge: 'engine',
  replies: { 200: Preview },
  problems: ['SCHEDULE_INVALID'],
  async handle({ engine, tenant }, { query, body }) {
    const lines = await asFields('query', () =>
      engine.schedules.preview(body as ScheduleDocument, { tenant, ...query }),
    )
    return { status: 200, body: { items: lines.map(toWireLine) } }
  },
})

export const listRuns = route({
  method: 'GET',
  path: '/schedules/:id/runs',
  name: 'listScheduleRuns',
  permission: 'schedules:read',
  summary: 'What became of its occurrences, the latest decision first. Runs outlive their schedule.',
  id: ScheduleId,
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(ScheduleRunItem) },
  problems: ['SCHEDULE_NOT_FOUND', 'INVALID_CURSOR'],
  async handle({ browse, engine, tenant }, { params, query: { limit = DEFAULT_ITEMS, cursor } }) {
    const id = scheduleIdOf(params.id)
    const from = fromCursor(cursor, id, UUID)
    const page = await browse.runs(tenant, id, { from: from?.key, back: from?.back === true }, limit + 1)
    if (page.rows.length === 0) await engine.schedules.get(id, { tenant })
    return { status: 200, body: toList(page, toWireRun, { cursor: from, limit, filter: id, key: (run) => run.id }) }
  },
})

export const runDue = route({
  method: 'POST',
  path: '/schedules/run-due',
  name: 'runDueSchedules',
  permission: 'schedules:operate',
  reach: 'cluster',
  summary: 'Fires everything that is due, on this node, now. For nodes whose scheduler is off, and an outside clock.',
  body: closed({}),
  bodyOptional: true,
  replies: { 200: Type.Object({ started: Type.Integer(), waiting: Type.Integer(), skipped: Type.Integer() }) },
  problems: [],
  async handle({ engine }) {
    return { status: 200, body: await engine.schedules.runDue() }
  },
})

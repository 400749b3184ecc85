import { fromWireId, toWireId } from '@lockstep/base'
import type { Incident, IncidentGroup, ResolveOutcome } from '@lockstep/engine'
import Type from 'typebox'
import { authorOf } from '../auth/principal.ts'
import { asFields } from '../problem/from-option.ts'
import {
  IncidentNotFound,
  IncidentResolved,
  InstanceUndone,
  InstanceWrongState,
  MigrationImpossible,
  ParentTold,
  StepNotFound,
} from '../problem/instance-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID } from '../request/ids.ts'
import { durationMs } from '../request/wait.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { anything, closed, flag, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const IncidentId = Type.String({ pattern: '^inc_[0-9a-fA-F-]{36}$', description: 'inc_ and a uuid.' })

export const IncidentReply = Type.Object({
  id: Type.String(),
  instanceId: Type.String(),
  definitionId: Type.String(),
  version: Type.Integer(),
  instanceStatus: Type.String(),
  state: oneOf(['open', 'resolved']),
  step: nullable('string'),
  code: Type.String(),
  message: Type.String(),
  fingerprint: Type.String({ description: 'The same for the same failure at the same place.' }),
  openedAt: instant(),
  resolvedAt: instant(),
  resolution: nullable('string', { description: 'noted, retried, completed or failed.' }),
  note: nullable('string'),
})

const toWire = (incident: Incident) => ({
  id: toWireId('incident', incident.id),
  instanceId: toWireId('instance', incident.instanceId),
  definitionId: incident.definitionId,
  version: incident.version,
  instanceStatus: incident.status,
  state: incident.resolvedAt === undefined ? 'open' : 'resolved',
  step: incident.step ?? null,
  code: incident.code,
  message: incident.message,
  fingerprint: incident.fingerprint,
  openedAt: iso(incident.openedAt),
  resolvedAt: iso(incident.resolvedAt),
  resolution: incident.resolution ?? null,
  note: incident.note ?? null,
})

export const listIncidents = route({
  method: 'GET',
  path: '/incidents',
  name: 'listIncidents',
  permission: 'incidents:read',
  summary: 'Lists what went wrong and waits for a person, newest first.',
  query: closed({
    state: Type.Optional(oneOf(['open', 'resolved'])),
    definition: Type.Optional(Type.String({ pattern: DEFINITION_ID })),
    code: Type.Optional(indexedText('Of the failure.')),
    fingerprint: Type.Optional(indexedText('Those that are alike.')),
    instance: Type.Optional(InstanceId),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(IncidentReply, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  async handle({ engine, tenant }, { query: { cursor, limit = DEFAULT_ITEMS, definition, instance, ...said } }) {
    const filter = new URLSearchParams(
      Object.entries({ ...said, definition: definition ?? '', instance: instance ?? '' }).sort(),
    ).toString()
    const from = fromCursor(cursor, filter, UUID)
    const { incidents, next, count } = await engine.incidents.list({
      tenant,
      ...said,
      ...(definition === undefined ? {} : { definitionId: definition }),
      ...(instance === undefined ? {} : { instanceId: fromWireId('instance', instance) }),
      ...(from === undefined ? {} : { before: from.key }),
      limit,
    })
    const place = { cursor: from, limit, filter, key: (row: Incident) => row.id }
    const { page, ...list } = toList({ rows: incidents, lookedTo: next, count }, toWire, place)
    return { status: 200, body: { ...list, page: { ...page, prev: null } } }
  },
})

const Group = Type.Object({
  fingerprint: Type.String(),
  definitionId: Type.String(),
  code: Type.String(),
  step: nullable('string'),
  message: Type.String({ description: 'Of the newest.' }),
  open: Type.Integer(),
  instances: Type.Integer(),
  firstAt: instant(),
  lastAt: instant(),
  firstVersion: nullable('integer', { description: 'Of the workflow, in the oldest of them that is open.' }),
  lastVersion: nullable('integer', { description: 'Of the workflow, in the newest.' }),
  cleanVersion: nullable('integer', {
    description:
      'They began with firstVersion: this version completed runs just before it was published, and none of those had such an incident. null: that cannot be told.',
  }),
  histogram: Type.Object(
    {
      from: instant('When the first slot began.'),
      slotMs: Type.Integer({ description: '150000, 3600000 or 25200000: an hour, a day or a week in all.' }),
      counts: Type.Array(Type.Integer(), { description: '24, the last of which has not ended.' }),
    },
    { description: 'When those that are open came: in the shortest span that holds them all, or in the last week.' },
  ),
  acknowledgedAt: instant(
    'When somebody said that they have seen them. Ends when all that were open then are resolved.',
  ),
  acknowledgedBy: nullable('string', { description: 'null: nobody who was known by name.' }),
  assignee: nullable('string', { description: 'Whoever sees to them. Ends as the acknowledgement does.' }),
  mutedUntil: instant(
    'While they are muted: until then, or until a version that was published later fails in the same way.',
  ),
  note: nullable('string', { description: 'What was said with the last change of these.' }),
})

const toWireGroup = (group: IncidentGroup) => ({
  ...group,
  step: group.step ?? null,
  firstAt: iso(group.firstAt),
  lastAt: iso(group.lastAt),
  firstVersion: group.firstVersion || null,
  lastVersion: group.lastVersion || null,
  cleanVersion: group.cleanVersion ?? null,
  histogram: { ...group.histogram, from: iso(group.histogram.from) },
  acknowledgedAt: iso(group.acknowledgedAt),
  acknowledgedBy: group.acknowledgedBy ?? null,
  assignee: group.assignee ?? null,
  mutedUntil: iso(group.mutedUntil),
  note: group.note ?? null,
})

export const groupIncidents = route({
  method: 'GET',
  path: '/incidents/groups',
  name: 'groupIncidents',
  permission: 'incidents:read',
  summary: 'Open incidents that are alike, the largest group first.',
  query: closed({
    definition: Type.Optional(Type.String({ pattern: DEFINITION_ID })),
    fingerprint: Type.Optional(indexedText('This group alone.')),
    muted: Type.Optional(flag('Only those that are muted, or only those that are not.')),
    limit: Limit,
  }),
  replies: {
    200: Type.Object({
      items: Type.Array(Group),
      lastResolved: Type.Unsafe<unknown>({
        ...{ ...IncidentReply, type: ['object', 'null'] },
        description:
          'While nothing else is listed than what is muted: the one that was resolved last, whatever was asked for.',
      }),
    }),
  },
  problems: [],
  async handle({ engine, tenant }, { query: { definition, limit = DEFAULT_ITEMS, ...said } }) {
    const of = definition === undefined ? {} : { definitionId: definition }
    const groups = await engine.incidents.groups({ tenant, limit, ...of, ...said })
    const isQuiet = groups.every(({ mutedUntil }) => mutedUntil !== undefined)
    const last = isQuiet ? await engine.incidents.lastResolved(tenant) : undefined
    return { status: 200, body: { items: groups.map(toWireGroup), lastResolved: last ? toWire(last) : null } }
  },
})

const Mute = Type.Unsafe<string | number | null>({
  type: ['string', 'number', 'null'],
  minimum: 0,
  description:
    'For how long they are muted: 30m, 8h, 7d, ISO 8601, or a number of milliseconds; 366d at most. null: no more. A version that is published later is heard.',
})

export const tendIncidents = route({
  method: 'POST',
  path: '/incidents/groups/:id/tend',
  name: 'tendIncidents',
  permission: 'incidents:resolve',
  summary:
    'Says who looks after open incidents that are alike: acknowledges them, assigns them to a person, mutes them for a while. What is left out stays as it is.',
  id: indexedText('Fingerprint of the group.'),
  body: closed({
    acknowledged: Type.Optional(flag('Whether somebody has seen them.')),
    assignee: Type.Optional(
      nullable('string', {
        pattern: '^[^\\u0000-\\u001f\\u007f]{1,255}$',
        description: 'Whoever sees to them, 1 to 255 characters; null: nobody.',
      }),
    ),
    mute: Type.Optional(Mute),
    note: Type.Optional(indexedText('Why.')),
  }),
  replies: { 200: Group },
  problems: ['INCIDENT_NOT_FOUND'],
  async handle({ engine, tenant }, { params, body: { mute, ...said }, principal }) {
    const muteMs = mute === undefined ? {} : { muteMs: mute === null ? null : durationMs(mute, 'mute', 'body') }
    const wanted = { tenant, by: authorOf(principal), ...said, ...muteMs }
    const result = await asFields('body', () => engine.incidents.tend(params.id, wanted))
    if (result.outcome === 'not-found') throw new IncidentNotFound({ incidentId: `with fingerprint ${params.id}` })
    const change = { before: careOf(result.before), after: careOf(result.group) }
    return { status: 200, body: toWireGroup(result.group), change }
  },
})

const careOf = (group: IncidentGroup) => {
  const { acknowledgedAt, acknowledgedBy, assignee, mutedUntil } = toWireGroup(group)
  return { acknowledgedAt, acknowledgedBy, assignee, mutedUntil }
}

export const getIncident = route({
  method: 'GET',
  path: '/incidents/:id',
  name: 'getIncident',
  permission: 'incidents:read',
  summary: 'Answers one incident.',
  id: IncidentId,
  replies: { 200: IncidentReply },
  problems: ['INVALID_ID', 'INCIDENT_NOT_FOUND'],
  async handle({ engine, tenant }, { params }) {
    const found = await engine.incidents.get(fromWireId('incident', params.id), tenant)
    if (found === undefined) throw new IncidentNotFound({ incidentId: params.id })
    return { status: 200, body: toWire(found) }
  },
})

export const resolveIncident = route({
  method: 'POST',
  path: '/incidents/:id/resolve',
  name: 'resolveIncident',
  permission: 'incidents:resolve',
  summary:
    'Says what became of it. retry sends its instance back to work; completed and failed settle a step whose outcome nobody knows; without an outcome it is only noted.',
  id: IncidentId,
  body: closed({
    outcome: Type.Optional(oneOf(['completed', 'failed', 'retry'])),
    output: Type.Optional(anything('With completed: the output of the step.')),
    message: Type.Optional(indexedText('With failed: why.')),
    note: Type.Optional(indexedText('What was found and done.')),
  }),
  bodyOptional: true,
  replies: { 200: IncidentReply },
  problems: [
    'INVALID_ID',
    'INCIDENT_NOT_FOUND',
    'INCIDENT_RESOLVED',
    'INSTANCE_WRONG_STATE',
    'INSTANCE_UNDONE',
    'PARENT_TOLD',
    'PAYLOAD_TOO_LARGE',
  ],
  async handle({ engine, tenant }, { params, body }) {
    const id = fromWireId('incident', params.id)
    const before = await engine.incidents.get(id, tenant)
    if (before === undefined) throw new IncidentNotFound({ incidentId: params.id })
    refuse(
      await asFields('body', () => engine.incidents.resolve(id, { tenant, ...body })),
      params.id,
      before.instanceId,
    )
    return { status: 200, body: toWire((await engine.incidents.get(id, tenant)) ?? before) }
  },
})

function refuse(result: ResolveOutcome, incidentId: string, bareInstance: string): void {
  const instanceId = toWireId('instance', bareInstance)
  switch (result.outcome) {
    case 'resolved':
      return
    case 'not-found':
      throw new IncidentNotFound({ incidentId })
    case 'already-resolved':
      throw new IncidentResolved({ incidentId })
    case 'wrong-state':
      throw new InstanceWrongState({ instanceId, status: result.status, verb: 'take that' })
    case 'undone':
      throw new InstanceUndone({ instanceId })
    case 'parent-told':
      throw new ParentTold({ instanceId, parentId: toWireId('instance', result.parentId) })
    case 'unknown-step':
      throw new StepNotFound({ instanceId, step: result.step, steps: result.steps })
    case 'incompatible':
      throw new MigrationImpossible({ instanceId, problems: result.problems })
  }
}

export const resolveAlike = route({
  method: 'POST',
  path: '/incidents/resolve-alike',
  name: 'resolveIncidentsAlike',
  permission: 'incidents:resolve',
  summary:
    'Resolves all open incidents of one fingerprint, and retries their instances when asked. Repeating it is harmless.',
  body: closed({
    fingerprint: indexedText('Of the group.'),
    retry: Type.Optional(flag('Sends their instances back to work.')),
    note: Type.Optional(indexedText('What was found and done.')),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000, description: '1,000 unless told.' })),
  }),
  replies: {
    200: Type.Object({
      outcomes: Type.Record(Type.String(), Type.Integer(), { description: 'How many had which outcome.' }),
      more: Type.Boolean({ description: 'Whether open ones are left: ask again.' }),
    }),
  },
  problems: [],
  async handle({ engine, tenant }, { body: { fingerprint, ...wanted } }) {
    return {
      status: 200,
      body: await asFields('body', () => engine.incidents.resolveAlike(fingerprint, { tenant, ...wanted })),
    }
  },
})

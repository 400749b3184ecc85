import { fromWireId, toWireId } from '@lockstep/base'
import type { KeptAs, RetentionRule, RuleName } from '@lockstep/engine'
import Type from 'typebox'
import { asFields } from '../problem/from-option.ts'
import { InvalidRequest, SweepInProgress } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { durationMs } from '../request/wait.ts'
import { route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { InstanceId } from '../wire/instance.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { closed, indexedText, instant, noContent, nullable, oneOf } from '../wire/schema.ts'

const KEPT_AS: readonly KeptAs[] = ['completed', 'faulted', 'cancelled', 'terminated', 'unresolved']
const Status = oneOf(
  KEPT_AS,
  'How it ended; unresolved: it faulted, and nobody has resolved its incident. Without a rule of their own these are kept as faulted ones.',
)
/** Subject and aspect, with a line between them. */
const KEY = /^(?:\*|(?:definition|instance):[^\p{Cc}\p{Cs}]{1,300})\n[a-z]{1,20}$/u

const Rule = Type.Object({
  kind: oneOf(['keep', 'hold'], 'hold: nothing of it is deleted, whatever the other rules say.'),
  definitionId: nullable('string'),
  instanceId: nullable('string', { description: 'Both null: everything.' }),
  status: nullable('string', { description: 'keep: of those that ended in this way.' }),
  keepMs: nullable('integer', { description: 'keep: from their end on; null: for ever.' }),
  reason: nullable('string', { description: 'hold: why.' }),
  createdAt: instant(),
})

function toWireRule({ subject, aspect, keepMs, reason, createdAt }: RetentionRule) {
  const [kind, ...rest] = subject.split(':')
  const named = rest.join(':')
  return {
    kind: aspect === 'hold' ? 'hold' : 'keep',
    definitionId: kind === 'definition' ? named : null,
    instanceId: kind === 'instance' ? toWireId('instance', named) : null,
    status: aspect === 'hold' ? null : aspect,
    keepMs: keepMs ?? null,
    reason: reason ?? null,
    createdAt: iso(createdAt),
  }
}

export const listRules = route({
  method: 'GET',
  path: '/retention/rules',
  name: 'listRetentionRules',
  permission: 'retention:read',
  summary:
    'Rules and holds, by what they are about. The narrower rule wins; where there is none, the options of the nodes hold.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Rule, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { limit = DEFAULT_ITEMS, cursor } }) {
    const from = fromCursor(cursor, '', KEY)
    const [subject = '', aspect = ''] = from?.key.split('\n') ?? []
    const after = from && ({ tenant, subject, aspect } as RuleName)
    const rows = await engine.retention.rules(tenant, after, limit + 1)
    const key = (row: RetentionRule): string => `${row.subject}\n${row.aspect}`
    const { page, ...list } = toList(pageOf(rows), toWireRule, { cursor: from, limit, filter: '', key })
    return { status: 200, body: { ...list, page: { ...page, prev: null } } }
  },
})

const Keep = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  minimum: 0,
  description: 'How long, from its end on: 30d, 12h, milliseconds, or forever.',
})

export const saveRule = route({
  method: 'PUT',
  path: '/retention/rules',
  name: 'saveRetentionRule',
  permission: 'retention:write',
  summary: 'Keeps what ended in this way for so long. Holds for what has ended already as well.',
  body: closed({ definitionId: Type.Optional(DefinitionId), status: Status, keep: Keep }),
  replies: { 204: noContent },
  problems: [],
  async handle({ engine, tenant }, { body: { keep, ...scope } }) {
    const time = keep === 'forever' ? keep : durationMs(keep, 'keep', 'body')
    await asFields('body', () => engine.retention.keep({ tenant, ...scope }, time))
    return { status: 204, body: undefined }
  },
})

export const forgetRule = route({
  method: 'DELETE',
  path: '/retention/rules',
  name: 'deleteRetentionRule',
  permission: 'retention:write',
  summary: 'Takes a rule away: the wider one holds again. Repeating it is harmless.',
  query: closed({ definitionId: Type.Optional(DefinitionId), status: Status }),
  replies: { 204: noContent },
  problems: [],
  async handle({ engine, tenant }, { query }) {
    await asFields('query', () => engine.retention.forget({ tenant, ...query }))
    return { status: 204, body: undefined }
  },
})

export const saveHold = route({
  method: 'PUT',
  path: '/retention/holds',
  name: 'saveRetentionHold',
  permission: 'retention:write',
  summary: 'Nothing of this is deleted until it is released: one instance, a workflow, or everything.',
  body: closed({
    definitionId: Type.Optional(DefinitionId),
    instanceId: Type.Optional(InstanceId),
    reason: indexedText('Why.'),
  }),
  replies: { 204: noContent },
  problems: ['INVALID_ID'],
  async handle({ engine, tenant }, { body: { reason, ...scope } }) {
    oneSubject('body', scope)
    await asFields('body', () => engine.retention.hold({ tenant, ...bare(scope) }, reason))
    return { status: 204, body: undefined }
  },
})

export const releaseHold = route({
  method: 'DELETE',
  path: '/retention/holds',
  name: 'deleteRetentionHold',
  permission: 'retention:write',
  summary: 'Releases a hold. Repeating it is harmless.',
  query: closed({ definitionId: Type.Optional(DefinitionId), instanceId: Type.Optional(InstanceId) }),
  replies: { 204: noContent },
  problems: ['INVALID_ID'],
  async handle({ engine, tenant }, { query }) {
    oneSubject('query', query)
    await asFields('query', () => engine.retention.release({ tenant, ...bare(query) }))
    return { status: 204, body: undefined }
  },
})

interface Scope {
  readonly definitionId?: string
  readonly instanceId?: string
}

function oneSubject(where: 'body' | 'query', { definitionId, instanceId }: Scope): void {
  if (definitionId === undefined || instanceId === undefined) return
  const text = 'A hold is of a workflow or of an instance: give "definitionId" or "instanceId", not both'
  const fields = ['definitionId', 'instanceId'].map((name) => (where === 'body' ? `/${name}` : name))
  throw new InvalidRequest({ errors: fields.map((field) => ({ in: where, field, text })) })
}

const bare = ({ instanceId, ...scope }: Scope) =>
  instanceId === undefined ? scope : { ...scope, instanceId: fromWireId('instance', instanceId) }

export const sweepNow = route({
  method: 'POST',
  path: '/retention/sweep',
  name: 'sweepRetention',
  permission: 'retention:write',
  reach: 'cluster',
  summary: 'Deletes now what may go. Answers when it is done.',
  body: closed({}),
  bodyOptional: true,
  replies: {
    200: Type.Object({
      instances: Type.Integer(),
      rows: Type.Integer({ description: 'Of their journals.' }),
      events: Type.Integer(),
      incidents: Type.Integer(),
      ended: oneOf(['done', 'lost', 'stopped', 'archive', 'stuck'], 'done: nothing is left that may go.'),
      error: nullable('string'),
    }),
  },
  problems: ['SWEEP_IN_PROGRESS'],
  async handle({ engine }) {
    const report = await engine.retention.sweep()
    if (report === undefined) throw new SweepInProgress({})
    return { status: 200, body: { ...report, error: report.error ?? null } }
  },
})

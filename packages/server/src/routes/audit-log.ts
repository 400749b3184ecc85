import type { AuditEntry } from '@lockstep/engine/ports'
import Type from 'typebox'
import { requireKept } from '../auth/access.ts'
import { boundTenant } from '../auth/principal.ts'
import { readInstant } from '../filter/instant.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { fromCursor, toCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { anything, closed, instant, nullable, oneOf } from '../wire/schema.ts'

const SEQ = /^\d{1,18}$/

export const Entry = Type.Object({
  seq: Type.String({ description: 'Rises in the order of writing.' }),
  at: instant('When it was asked for.'),
  tenant: Type.String(),
  actor: Type.Object({ kind: oneOf(['anonymous', 'key', 'user', 'token']), id: Type.String() }),
  operation: Type.String({ description: 'As in OpenAPI.' }),
  target: Type.String({
    description:
      'The parameters of the path, or what the body names: a workflow that was started, an event, a user. Empty where it is secret.',
  }),
  made: Type.Array(Type.String(), {
    description: 'Ids of what came to be by it, at most 200: the instances that were started.',
  }),
  outcome: Type.String({ description: 'done, or the code of the problem.' }),
  status: Type.Integer(),
  address: Type.String(),
  agent: Type.String(),
  node: Type.String(),
  reason: nullable('string', { description: 'The reason or note that was given with it.' }),
  before: anything('What was changed, as it was; null where it is not told.'),
  after: anything('As it is since.'),
  times: Type.Integer({ description: 'How often the same was asked for within a moment; `at` is the first.' }),
})

const toWire = ({ actorKind, actor, at, detail, ...row }: AuditEntry) => ({
  ...row,
  reason: detail?.reason ?? null,
  before: detail?.before ?? null,
  after: detail?.after ?? null,
  made: [...(detail?.made ?? [])],
  times: detail?.times ?? 1,
  at: iso(at),
  actor: { kind: actorKind, id: actor },
})

const instantOf = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 40, description }))

function between(gte: string | undefined, lt: string | undefined, now: number) {
  const read = (field: string, text: string | undefined): number | undefined => {
    const found = text === undefined ? undefined : readInstant(text, now)
    if (typeof found !== 'object') return found
    throw new InvalidRequest({ errors: [{ in: 'query', field, text: `"${field}": ${found.fault}` }] })
  }
  return { from: read('at[gte]', gte), until: read('at[lt]', lt) }
}

const filterName = Type.Optional(Type.String({ minLength: 1, maxLength: 300 }))

export const listAuditLog = route({
  method: 'GET',
  path: '/audit-log',
  name: 'listAuditLog',
  permission: 'audit:read',
  summary: 'Lists who changed what, newest first: every change and every attempt to resume. Entries are never changed.',
  query: closed({
    target: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 300,
        description: 'Exactly this id, as target or among `made`: an instance, a workflow, a user.',
      }),
    ),
    actor: filterName,
    operation: filterName,
    outcome: filterName,
    'at[gte]': instantOf('Not before this: 2026-03-29T01:00:00Z, 2026-03-29, or a time ago such as -2h.'),
    'at[lt]': instantOf('Before this.'),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Entry, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR'],
  async handle(
    { access, clock },
    {
      principal,
      query: { limit = DEFAULT_ITEMS, cursor: text, target, actor, operation, outcome, 'at[gte]': gte, 'at[lt]': lt },
    },
  ) {
    const { store } = requireKept(access, '/audit-log')
    const times = gte === undefined && lt === undefined ? [] : [gte ?? null, lt ?? null]
    const filter = JSON.stringify([actor, operation, outcome, target, ...times])
    const cursor = fromCursor(text, filter, SEQ)
    const place = { tenant: boundTenant(principal), after: cursor?.key, limit: limit + 1 }
    const { rows, lookedTo } = await store.audit.list(place, {
      target,
      actor,
      operation,
      outcome,
      ...between(gte, lt, clock.now()),
    })
    const shown = rows.slice(0, limit)
    const last = rows.length > limit ? shown.at(-1)!.seq : lookedTo
    const seen = (cursor?.seen ?? 0) + shown.length
    const next = last === undefined ? null : toCursor({ key: last, seen, back: false }, filter)
    return {
      status: 200,
      body: {
        items: shown.map(toWire),
        page: { next, prev: null, limit },
        count: { value: next === null ? seen : seen + 1, exact: next === null },
      },
    }
  },
})

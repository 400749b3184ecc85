import type { StoredBreaker } from '@lockstep/engine'
import Type from 'typebox'
import { authorOf } from '../auth/principal.ts'
import { BreakerNotFound } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { checkSpan, isStepKey, STEP_KEY, stepKeyOf } from '../request/step-key.ts'
import { type ApiContext, route } from '../route/route.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { BreakerReply, StepKey, toWireBreaker } from '../wire/limit.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, duration } from '../wire/schema.ts'

async function readBreaker({ engine, tenant }: ApiContext, key: string) {
  const found = isStepKey(key) ? await engine.breakers.get(key, { tenant }) : undefined
  if (found === undefined) throw new BreakerNotFound({ key: key.slice(0, 200) })
  const of = [[key], { tenant }] as const
  const [waits, changes] = await Promise.all([engine.breakers.waiting(...of), engine.breakers.changes(...of)])
  return toWireBreaker(found, waits, changes)
}

const told = ({ state, reason }: { readonly state: string; readonly reason?: string | null | undefined }) => ({
  state,
  reason: reason ?? null,
})

export const listBreakers = route({
  method: 'GET',
  path: '/circuit-breakers',
  name: 'listCircuitBreakers',
  permission: 'flow:read',
  summary: 'Lists breakers by key. One that never opened is not listed.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(BreakerReply, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { limit = DEFAULT_ITEMS, cursor: text } }) {
    const cursor = fromCursor(text, '', STEP_KEY)
    const rows = await engine.breakers.list({ tenant, limit: limit + 1, after: cursor?.key ?? '' })
    const keys = rows.slice(0, limit).map(({ key }) => key)
    const [waits, changes] =
      keys.length === 0
        ? [[], []]
        : await Promise.all([engine.breakers.waiting(keys, { tenant }), engine.breakers.changes(keys, { tenant })])
    const toWire = (row: StoredBreaker) => toWireBreaker(row, waits, changes)
    return { status: 200, body: toForwardList(rows, toWire, { cursor, limit, key: (row) => row.key }) }
  },
})

export const getBreaker = route({
  method: 'GET',
  path: '/circuit-breakers/:id',
  name: 'getCircuitBreaker',
  permission: 'flow:read',
  summary: 'Answers one breaker: whether it is open, why, and when it lets a probe through.',
  id: StepKey,
  replies: { 200: BreakerReply },
  problems: ['BREAKER_NOT_FOUND'],
  async handle(context, { params }) {
    return { status: 200, body: await readBreaker(context, params.id) }
  },
})

export const resetBreaker = route({
  method: 'POST',
  path: '/circuit-breakers/:id/reset',
  name: 'resetCircuitBreaker',
  permission: 'flow:operate',
  summary: 'Closes a breaker now, and wakes who waits for it. Repeating it is harmless.',
  id: StepKey,
  body: closed({
    reason: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_000, description: 'Kept with the audit and the history.' }),
    ),
  }),
  bodyOptional: true,
  replies: { 200: BreakerReply },
  problems: ['BREAKER_NOT_FOUND'],
  async handle(context, { params, body, principal }) {
    const { engine, tenant } = context
    const before = await readBreaker(context, params.id)
    await engine.breakers.reset(before.key, { tenant, ...body, by: authorOf(principal) })
    const after = await readBreaker(context, before.key)
    return { status: 200, body: after, change: { before: told(before), after: told(after) } }
  },
})

export const tripBreaker = route({
  method: 'POST',
  path: '/circuit-breakers/:id/trip',
  name: 'tripCircuitBreaker',
  permission: 'flow:operate',
  summary: 'Opens a breaker by hand for a time, whatever it was; then a probe is let through as ever.',
  id: StepKey,
  body: closed({
    openFor: duration('At most 366d.'),
    reason: Type.Optional(Type.String({ minLength: 1, maxLength: 1_000, description: 'Shown where it holds back.' })),
  }),
  replies: { 200: BreakerReply },
  problems: ['INVALID_DURATION', 'BREAKER_NOT_FOUND'],
  async handle(context, { params, body: { openFor, reason }, principal }) {
    const key = stepKeyOf(params.id)
    checkSpan('/openFor', openFor)
    const before = await context.engine.breakers.get(key, { tenant: context.tenant })
    await context.engine.breakers.trip(key, {
      ...{ tenant: context.tenant, openFor, by: authorOf(principal) },
      ...(reason === undefined ? {} : { reason }),
    })
    const after = await readBreaker(context, key)
    return { status: 200, body: after, change: { before: before && told(before), after: told(after) } }
  },
})

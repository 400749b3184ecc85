import type { LimitSetting } from '@lockstep/engine'
import { LimitNotFound } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { checkSpan, isStepKey, STEP_KEY, stepKeyOf } from '../request/step-key.ts'
import { type ApiContext, route } from '../route/route.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { LimitBody, LimitReply, StepKey, toWireLimit } from '../wire/limit.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed, noContent } from '../wire/schema.ts'

async function readLimit({ engine, tenant }: ApiContext, key: string) {
  const found = isStepKey(key) ? await engine.limits.get(key, { tenant }) : undefined
  if (found === undefined) throw new LimitNotFound({ key: key.slice(0, 200) })
  return toWireLimit(found)
}

/** What can be set of it. */
const told = ({ concurrency, rate }: ReturnType<typeof toWireLimit>) => ({ concurrency, rate })

export const listLimits = route({
  method: 'GET',
  path: '/limits',
  name: 'listLimits',
  permission: 'flow:read',
  summary: 'Lists limits that steps share, by key, with who is in and who waits.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(LimitReply, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { limit = DEFAULT_ITEMS, cursor: text } }) {
    const cursor = fromCursor(text, '', STEP_KEY)
    const rows = await engine.limits.list({ tenant, limit: limit + 1, after: cursor?.key ?? '' })
    return { status: 200, body: toForwardList(rows, toWireLimit, { cursor, limit, key: (row) => row.key }) }
  },
})

export const getLimit = route({
  method: 'GET',
  path: '/limits/:id',
  name: 'getLimit',
  permission: 'flow:read',
  summary: 'Answers one limit: what counts, what the steps declare, who is in and who waits.',
  id: StepKey,
  replies: { 200: LimitReply },
  problems: ['LIMIT_NOT_FOUND'],
  async handle(context, { params }) {
    return { status: 200, body: await readLimit(context, params.id) }
  },
})

export const putLimit = route({
  method: 'PUT',
  path: '/limits/:id',
  name: 'setLimit',
  permission: 'flow:operate',
  summary: 'Sets a limit instead of what the steps declare, for all nodes, from the next attempt on.',
  id: StepKey,
  body: LimitBody,
  replies: { 200: LimitReply },
  problems: ['INVALID_DURATION', 'LIMIT_NOT_FOUND'],
  async handle(context, { params, body }) {
    const { engine, tenant } = context
    const key = stepKeyOf(params.id)
    if (body.rate !== undefined) checkSpan('/rate/per', body.rate.per)
    const before = await engine.limits.get(key, { tenant })
    await engine.limits.set(key, body as LimitSetting, { tenant })
    const after = await readLimit(context, key)
    return { status: 200, body: after, change: { before: before && told(toWireLimit(before)), after: told(after) } }
  },
})

export const deleteLimit = route({
  method: 'DELETE',
  path: '/limits/:id',
  name: 'deleteLimit',
  permission: 'flow:operate',
  summary: 'Takes back what was set: what the steps declare counts again. Repeating it is harmless.',
  id: StepKey,
  replies: { 204: noContent },
  problems: ['LIMIT_NOT_FOUND'],
  async handle(context, { params }) {
    const before = await readLimit(context, params.id)
    await context.engine.limits.set(before.key, undefined, { tenant: context.tenant })
    return { status: 204, body: undefined, change: { before: told(before), after: before.declared } }
  },
})

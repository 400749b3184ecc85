import { fromWireId } from '@lockstep/base'
import Type from 'typebox'
import { fromCursor } from '../request/cursor.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import { DEFINITION_ID } from '../request/ids.ts'
import { waitMs } from '../request/wait.ts'
import { route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { INSTANCE_STATUSES, Instance, InstanceId, readInstance, toWireInstance } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { anything, closed, duration, indexedText, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const Start = closed({
  definitionId: DefinitionId,
  input: Type.Optional(anything('What the workflow sees as its input; null unless given.')),
  correlationId: Type.Optional(indexedText('Events with the same one reach it.')),
  dedupeKey: Type.Optional(indexedText('Two starts of one definition with the same key are one instance.')),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The published one unless given.' }),
  ),
  wait: Type.Optional(duration('Answers when the instance has ended or this time is over; at most 60s.')),
})

export const startInstance = route({
  method: 'POST',
  path: '/workflow-instances',
  name: 'startWorkflowInstance',
  summary:
    'Starts an instance: 201 as soon as it is durable. 200 with `wait`, or when the dedupeKey (or Idempotency-Key) has been used: then it is the first one.',
  body: Start,
  replies: { 200: Instance, 201: Instance },
  problems: ['DEFINITION_NOT_FOUND', 'INPUT_INVALID', 'PAYLOAD_TOO_LARGE'],
  async handle(context, { body, headers }) {
    const { engine, tenant, root, waits } = context
    const { wait, dedupeKey = idempotent(headers), ...rest } = body
    const limitMs = waitMs(wait, 'body')
    const { instanceId, created, here } = await engine.start({
      tenant,
      ...rest,
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
    })
    if (limitMs > 0) await waits.forEnd(tenant, instanceId, limitMs, here)
    const instance = await readInstance(context, instanceId)
    return {
      status: created && wait === undefined ? 201 : 200,
      body: instance,
      location: `${root}/workflow-instances/${instance.id}`,
    }
  },
})

/** Apart from the keys that callers choose in the body. */
function idempotent(headers: Parameters<typeof idempotencyKey>[0]): string | undefined {
  const key = idempotencyKey(headers)
  return key === undefined ? undefined : `idem:${key}`
}

export const listInstances = route({
  method: 'GET',
  path: '/workflow-instances',
  name: 'listWorkflowInstances',
  summary: 'Lists instances, newest first.',
  query: closed({
    definitionId: Type.Optional(Type.String({ pattern: DEFINITION_ID })),
    status: Type.Optional(oneOf(INSTANCE_STATUSES)),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Instance) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { definitionId, status, cursor, limit = DEFAULT_ITEMS } }) {
    const filter = `${definitionId ?? ''} ${status ?? ''}`
    const from = fromCursor(cursor, filter, UUID)
    const wanted = {
      ...(definitionId === undefined ? {} : { definitionId }),
      ...(status === undefined ? {} : { status }),
      ...(from === undefined ? {} : { before: from.after }),
    }
    const rows = await engine.list(wanted, limit + 1, tenant)
    const place = { limit, seen: from?.seen ?? 0, filter, key: (row: { readonly id: string }) => row.id }
    return { status: 200, body: toList(rows, (row) => toWireInstance(row, undefined), place) }
  },
})

export const getInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id',
  name: 'getWorkflowInstance',
  summary: 'Answers one instance; with `wait`, when it has ended or the time is over.',
  id: InstanceId,
  query: closed({ wait: Type.Optional(duration('At most 60s.')) }),
  replies: { 200: Instance },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle(context, { params, query }) {
    const instanceId = fromWireId('instance', params.id)
    const limitMs = waitMs(query.wait, 'query')
    if (limitMs > 0) await context.waits.forEnd(context.tenant, instanceId, limitMs, false)
    return { status: 200, body: await readInstance(context, instanceId) }
  },
})

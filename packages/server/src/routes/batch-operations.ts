import { fromWireId, toWireId } from '@lockstep/base'
import type { BulkOperation, BulkRequest, OperationFilter, OperationItem } from '@lockstep/engine'
import Type from 'typebox'
import { readInstanceFilter } from '../filter/instance-filter.ts'
import { asFields } from '../problem/from-option.ts'
import { OperationNotFound, OperationOver } from '../problem/instance-errors.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { type ApiContext, route } from '../route/route.ts'
import { InstanceId, iso } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { anything, closed, flag, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ACTIONS = ['cancel', 'terminate', 'pause', 'continue', 'retry', 'migrate'] as const

const OperationId = Type.String({ pattern: '^bop_[0-9a-fA-F-]{36}$', description: 'bop_ and a uuid.' })

const Operation = Type.Object({
  id: Type.String(),
  action: Type.String(),
  options: anything('Of the action.'),
  filter: anything('Which instances it is about.'),
  state: oneOf(['freezing', 'applying', 'done', 'cancelled'], 'freezing: its instances are being listed.'),
  note: nullable('string'),
  total: Type.Integer({ description: 'Instances listed; final once it is applying.' }),
  cut: Type.Boolean({ description: 'There were more than its limit.' }),
  done: Type.Integer({ description: 'Of these, those that have an outcome.' }),
  outcomes: Type.Record(Type.String(), Type.Integer()),
  createdAt: instant(),
  finishedAt: instant(),
})

const toWire = (operation: BulkOperation) => ({
  id: toWireId('operation', operation.id),
  action: operation.verb,
  options: operation.options,
  filter: operation.filter,
  state: operation.state,
  note: operation.note ?? null,
  total: operation.total,
  cut: operation.cut,
  done: Object.values(operation.outcomes).reduce((sum, each) => sum + each, 0),
  outcomes: operation.outcomes,
  createdAt: iso(operation.createdAt),
  finishedAt: iso(operation.finishedAt),
})

const Preview = Type.Object({
  count: Type.Integer(),
  exact: Type.Boolean({ description: 'false: there may be more.' }),
  sample: Type.Array(Type.String(), { description: 'The newest, at most 10.' }),
})

export const startOperation = route({
  method: 'POST',
  path: '/batch-operations',
  name: 'startBatchOperation',
  permission: 'instances:operate',
  summary:
    'Does one thing with all instances that fit a filter. They are listed first, and only those are worked off; 202 when that is durable. With dryRun, 200 with what it would be about.',
  body: closed({
    action: oneOf(ACTIONS),
    target: closed({
      filter: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'As in lists of instances: status, definition, version, correlation, createdAt[gte] and so on.',
        }),
      ),
      ids: Type.Optional(Type.Array(InstanceId, { minItems: 1, maxItems: 10_000 })),
    }),
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: 'Of the action: reason, children, step, version, …' }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: '100,000 unless told.' })),
    note: Type.Optional(indexedText('Kept with it.')),
    dryRun: Type.Optional(flag('Counts, and changes nothing.')),
  }),
  replies: { 200: Preview, 202: Operation },
  problems: ['INVALID_ID'],
  async handle(context, { body: { action, target, options, limit, note, dryRun } }) {
    const { engine, tenant, root } = context
    const request = {
      tenant,
      verb: action,
      filter: filterOf(context, target),
      ...(options === undefined ? {} : { options }),
      ...(limit === undefined ? {} : { limit }),
      ...(note === undefined ? {} : { note }),
    } as BulkRequest
    if (dryRun === true) {
      const preview = await asFields('body', () => engine.bulk.preview(request))
      return { status: 200, body: { ...preview, sample: preview.sample.map((id) => toWireId('instance', id)) } }
    }
    const { id } = await asFields('body', () => engine.bulk.start(request))
    const location = `${root}/batch-operations/${toWireId('operation', id)}`
    return { status: 202, body: toWire((await engine.bulk.get(id, tenant))!), location }
  },
})

/** The grammar of lists, without what only a search can tell. */
function filterOf(
  { clock }: ApiContext,
  { filter = {}, ids }: { readonly filter?: Readonly<Record<string, unknown>>; readonly ids?: readonly string[] },
): OperationFilter {
  const unknown = Object.keys(filter).find((name) => !KNOWN.test(name))
  if (unknown !== undefined)
    throw fault(
      `"${unknown}" cannot be filtered by here: use status, definition, version, correlation, createdAt[gte], createdAt[lt]`,
    )
  const read = readInstanceFilter(filter, clock.now())
  if ((read.definitionIds?.length ?? 0) > 1) throw fault('"definition" may name one workflow here')
  return {
    definitionId: read.definitionIds?.[0],
    version: read.version,
    statuses: read.statuses,
    correlationId: read.correlationId,
    createdFrom: read.created?.from,
    createdBefore: read.created?.until,
    instanceIds: ids?.map((id) => fromWireId('instance', id)),
  }
}

const KNOWN = /^(status|definition|definitionId|version|correlation|createdAt\[(gte|gt|lte|lt)\])$/

const fault = (text: string) => new InvalidRequest({ errors: [{ in: 'body', field: '/target/filter', text }] })

export const listOperations = route({
  method: 'GET',
  path: '/batch-operations',
  name: 'listBatchOperations',
  permission: 'instances:read',
  summary: 'Lists batch operations, newest first.',
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Operation, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_CURSOR'],
  async handle({ engine, tenant }, { query: { limit = DEFAULT_ITEMS, cursor } }) {
    const from = fromCursor(cursor, '', UUID)
    const before = from === undefined ? {} : { before: from.key }
    const rows = await engine.bulk.list({ tenant, limit: limit + 1, ...before })
    const place = { cursor: from, limit, filter: '', key: (row: BulkOperation) => row.id }
    const { page, ...list } = toList(pageOf(rows), toWire, place)
    return { status: 200, body: { ...list, page: { ...page, prev: null } } }
  },
})

export const getOperation = route({
  method: 'GET',
  path: '/batch-operations/:id',
  name: 'getBatchOperation',
  permission: 'instances:read',
  summary: 'How far a batch operation has come.',
  id: OperationId,
  replies: { 200: Operation },
  problems: ['INVALID_ID', 'OPERATION_NOT_FOUND'],
  async handle(context, { params }) {
    return { status: 200, body: toWire(await found(context, params.id)) }
  },
})

async function found({ engine, tenant }: ApiContext, id: string): Promise<BulkOperation> {
  const operation = await engine.bulk.get(fromWireId('operation', id), tenant)
  if (operation === undefined) throw new OperationNotFound({ operationId: id })
  return operation
}

const Item = Type.Object({
  instanceId: Type.String(),
  outcome: nullable('string', { description: 'null: not done yet.' }),
  detail: nullable('string'),
})

export const listOperationItems = route({
  method: 'GET',
  path: '/batch-operations/:id/items',
  name: 'listBatchOperationItems',
  permission: 'instances:read',
  summary: 'The instances of a batch operation, with what became of each.',
  id: OperationId,
  query: closed({
    outcome: Type.Optional(indexedText('Only those that have it.')),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Item, { prev: 'Always null: this list is read forward.' }) },
  problems: ['INVALID_ID', 'OPERATION_NOT_FOUND', 'INVALID_CURSOR'],
  async handle(context, { params, query: { outcome, limit = DEFAULT_ITEMS, cursor } }) {
    const { id } = await found(context, params.id)
    const filter = `${params.id} ${outcome ?? ''}`
    const from = fromCursor(cursor, filter, UUID)
    const rows = await context.engine.bulk.items(id, {
      tenant: context.tenant,
      limit: limit + 1,
      ...(outcome === undefined ? {} : { outcome }),
      ...(from === undefined ? {} : { after: from.key }),
    })
    const toItem = (row: OperationItem) => ({
      instanceId: toWireId('instance', row.instanceId),
      outcome: row.outcome ?? null,
      detail: row.detail ?? null,
    })
    const place = { cursor: from, limit, filter, key: (row: OperationItem) => row.instanceId }
    const { page, ...list } = toList(pageOf(rows), toItem, place)
    return { status: 200, body: { ...list, page: { ...page, prev: null } } }
  },
})

export const cancelOperation = route({
  method: 'POST',
  path: '/batch-operations/:id/cancel',
  name: 'cancelBatchOperation',
  permission: 'instances:operate',
  summary: 'What is not done by then stays undone.',
  id: OperationId,
  body: closed({}),
  bodyOptional: true,
  replies: { 200: Operation },
  problems: ['INVALID_ID', 'OPERATION_NOT_FOUND', 'OPERATION_OVER'],
  async handle(context, { params }) {
    const { id, state } = await found(context, params.id)
    if (!(await context.engine.bulk.cancel(id, context.tenant)))
      throw new OperationOver({ operationId: params.id, state })
    return { status: 200, body: toWire(await found(context, params.id)) }
  },
})

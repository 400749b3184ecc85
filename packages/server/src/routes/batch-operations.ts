import { fromWireId, toWireId, tryFromWireId } from '@lockstep/base'
import type { BulkOperation, BulkRequest, Engine, OperationFilter, OperationItem } from '@lockstep/engine'
import type { OperationPreview } from '@lockstep/engine/ports'
import Type, { type Static } from 'typebox'
import { FilterBody, readFilterBody } from '../filter/filter-body.ts'
import { toldTarget } from '../filter/told-target.ts'
import { asFields } from '../problem/from-option.ts'
import { OperationNotFound, OperationOver } from '../problem/instance-errors.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { optionsCheck } from '../request/options-check.ts'
import { type Answer, type ApiContext, route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, pageOf, toList } from '../wire/list.ts'
import { anything, closed, flag, indexedText, instant, nullable, oneOf } from '../wire/schema.ts'
import { VERB_OPTIONS } from '../wire/verb-options.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const ACTIONS = ['cancel', 'terminate', 'pause', 'continue', 'retry', 'migrate', 'delete'] as const

type Action = (typeof ACTIONS)[number]
/** Of each action what the same verb takes of one instance. */
const checkOptions = Object.fromEntries(
  ACTIONS.map((action) => [action, optionsCheck(VERB_OPTIONS[action])]),
) as Readonly<Record<Action, (options: unknown) => void>>

const OperationId = Type.String({ pattern: '^bop_[0-9a-fA-F-]{36}$', description: 'bop_ and a uuid.' })

const Operation = Type.Object({
  id: Type.String(),
  action: Type.String(),
  options: anything('Of the action.'),
  filter: FilterBody,
  target: Type.Object(
    {
      filter: Type.Optional(FilterBody),
      ids: Type.Optional(Type.Array(Type.String())),
      exclude: Type.Optional(Type.Array(Type.String())),
    },
    {
      description:
        'Which instances it is about, in the words of the request: posted again, it means the same. Times are those they came to; without a status in the request, those that the action can do anything with.',
    },
  ),
  state: oneOf(
    ['freezing', 'applying', 'paused', 'done', 'cancelled'],
    'freezing: its instances are being listed. paused: nobody goes on with it until it is continued.',
  ),
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
  ...toWireTarget(operation),
  state: operation.state,
  note: operation.note ?? null,
  total: operation.total,
  cut: operation.cut,
  done: Object.values(operation.outcomes).reduce((sum, each) => sum + each, 0),
  outcomes: operation.outcomes,
  createdAt: iso(operation.createdAt),
  finishedAt: iso(operation.finishedAt),
})

function toWireTarget(operation: BulkOperation) {
  const target = toldTarget(operation.filter)
  return { filter: target.filter ?? {}, target }
}

const Target = closed({
  filter: Type.Optional(FilterBody),
  ids: Type.Optional(Type.Array(InstanceId, { minItems: 1, maxItems: 10_000 })),
  exclude: Type.Optional(
    Type.Array(InstanceId, { maxItems: 10_000, description: 'Not these, whatever else they are.' }),
  ),
  asOf: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'What the filter says of times is said of this moment, and what began later is left out; now unless told. A dry run answers it.',
    }),
  ),
})

const Preview = Type.Object({
  count: Type.Integer({ description: 'Instances that it would be done with.' }),
  exact: Type.Boolean({ description: 'false: there may be more.' }),
  sample: Type.Array(Type.String(), { description: 'The newest, at most 10.' }),
  skipped: Type.Object({
    count: Type.Integer({ description: 'Instances that fit, and would be left as they are.' }),
    reasons: Type.Record(Type.String(), Type.Integer(), {
      description:
        'How many because of which status, or not-found; limit: there is no room for them; of delete held, parent-lives and unsettled; of migrate same-version.',
    }),
  }),
  asOf: Type.String({
    format: 'date-time',
    description: 'Pass it as target.asOf to do it with those that were counted.',
  }),
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
    target: Target,
    options: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Of the action, as the operation of the same name takes them of one instance: reason, compensate, children, step, version, …',
      }),
    ),
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000, description: '100,000 unless told.' })),
    note: Type.Optional(indexedText('Kept with it.')),
    reason: Type.Optional(
      indexedText(
        'Why: kept with it where no note is given, and told to the instances by cancel, terminate and pause.',
      ),
    ),
    dryRun: Type.Optional(flag('Counts, and changes nothing.')),
  }),
  replies: { 200: Preview, 202: Operation },
  problems: ['INVALID_ID'],
  async handle({ engine, tenant, root }, { body: { action, target, options, limit, note, reason, dryRun } }) {
    if (options !== undefined || action === 'migrate') checkOptions[action](options ?? {})
    const asOf = momentOf(target.asOf, engine.storeTime())
    const told = reason !== undefined && REASONED.has(action) ? { reason, ...options } : options
    const kept = note ?? reason
    const request = {
      tenant,
      verb: action,
      filter: filterOf(target, asOf),
      ...(told === undefined ? {} : { options: told }),
      ...(limit === undefined ? {} : { limit }),
      ...(kept === undefined ? {} : { note: kept }),
    } as BulkRequest
    if (dryRun === true)
      return {
        status: 200,
        body: toWirePreview(await asFields('body', () => engine.bulk.preview(request), RENAMED), asOf),
      }
    const { id } = await asFields('body', () => engine.bulk.start(request), RENAMED)
    const location = `${root}/batch-operations/${toWireId('operation', id)}`
    return { status: 202, body: toWire((await engine.bulk.get(id, tenant))!), location }
  },
})

const RENAMED = { filter: 'target/filter', verb: 'action' }

const REASONED: ReadonlySet<string> = new Set(['cancel', 'terminate', 'pause'])

const toWirePreview = ({ count, exact, skipped, sample }: OperationPreview, asOf: number) => ({
  ...{ count, exact },
  sample: sample.map((id) => toWireId('instance', id)),
  skipped: { count: Object.values(skipped).reduce((sum, each) => sum + each, 0), reasons: skipped },
  asOf: new Date(asOf).toISOString(),
})

/** The grammar of lists. Times that count from now count from `asOf`, and what began later is left out: asked again, it is about the same. */
function filterOf(target: Static<typeof Target>, asOf: number): OperationFilter {
  const { filter = {}, ids, exclude } = target
  const read = readFilterBody(filter, asOf, '/target/filter')
  const until = target.asOf !== undefined && ids === undefined ? asOf + 1 : LATEST
  const { created, started } = read
  if (started !== undefined && read.statuses?.every((status) => status === 'queued') === true) {
    const text = '"status" must name one that has begun: what is queued has no startedAt. Say createdAt instead'
    throw new InvalidRequest({ errors: [{ in: 'body', field: '/target/filter/status', text }] })
  }
  const createdBefore = Math.min(created?.until ?? LATEST, started?.until ?? LATEST, until)
  const createdFrom = Math.max(created?.from ?? -LATEST, started?.from ?? -LATEST)
  return {
    definitionIds: read.definitionIds,
    version: read.version,
    statuses: read.statuses,
    correlationId: read.correlationId,
    parentId: read.parentId,
    tags: read.tags,
    text: read.text,
    createdFrom: createdFrom > -LATEST ? createdFrom : undefined,
    createdBefore: createdBefore < LATEST && isSaid(target) ? createdBefore : undefined,
    begun: started === undefined ? undefined : true,
    finishedFrom: read.finished?.from,
    finishedBefore: read.finished?.until,
    input: read.input?.length === 0 ? undefined : read.input,
    instanceIds: ids && idsOf(ids, '/target/ids'),
    excludeIds: exclude && idsOf(exclude, '/target/exclude'),
  }
}

const idsOf = (ids: readonly string[], pointer: string): readonly string[] =>
  ids.map((text, index) => {
    const id = tryFromWireId('instance', text)
    if (id !== undefined) return id
    const rule = `"${text}" is no id of an instance: those are wfi_ and a uuid`
    throw new InvalidRequest({ errors: [{ in: 'body', field: `${pointer}/${index}`, text: rule }] })
  })

const LATEST = Number.POSITIVE_INFINITY

const isSaid = ({ filter = {}, ids }: Static<typeof Target>): boolean =>
  ids !== undefined || Object.keys(filter).length > 0

/** Nodes do not agree on the time of the store to the millisecond. */
const SKEW_MS = 60_000

function momentOf(text: string | undefined, now: number): number {
  const at = text === undefined ? now : Date.parse(text)
  if (at <= now + SKEW_MS) return at
  const rule = '"target/asOf" must be a moment that has been: leave it out to mean now'
  throw new InvalidRequest({ errors: [{ in: 'body', field: '/target/asOf', text: rule }] })
}

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

const steering = {
  permission: 'instances:operate',
  id: OperationId,
  body: closed({}),
  bodyOptional: true,
  replies: { 200: Operation },
  problems: ['INVALID_ID', 'OPERATION_NOT_FOUND', 'OPERATION_OVER'],
} as const

async function steered(
  context: ApiContext,
  wireId: string,
  steer: (bulk: Engine['bulk'], id: string) => Promise<boolean>,
): Promise<Answer> {
  const { id, state } = await found(context, wireId)
  if (!(await steer(context.engine.bulk, id))) throw new OperationOver({ operationId: wireId, state })
  return { status: 200, body: toWire(await found(context, wireId)) }
}

export const cancelOperation = route({
  ...steering,
  method: 'POST',
  path: '/batch-operations/:id/cancel',
  name: 'cancelBatchOperation',
  summary: 'What is not done by then stays undone.',
  handle: (context, { params }) => steered(context, params.id, (bulk, id) => bulk.cancel(id, context.tenant)),
})

export const pauseOperation = route({
  ...steering,
  method: 'POST',
  path: '/batch-operations/:id/pause',
  name: 'pauseBatchOperation',
  summary:
    'Rests until it is continued, whichever nodes come and go; what is under way ends. Repeating it is harmless.',
  handle: (context, { params }) => steered(context, params.id, (bulk, id) => bulk.pause(id, context.tenant)),
})

export const continueOperation = route({
  ...steering,
  method: 'POST',
  path: '/batch-operations/:id/continue',
  name: 'continueBatchOperation',
  summary: 'Goes on where it was paused. Repeating it is harmless.',
  handle: (context, { params }) => steered(context, params.id, (bulk, id) => bulk.continue(id, context.tenant)),
})

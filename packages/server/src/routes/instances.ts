import { fromWireId } from '@lockstep/base'
import type { InstanceState, InstanceView, StartRequest, StateAnswer } from '@lockstep/engine'
import type { InstanceFilter } from '@lockstep/engine/ports'
import Type from 'typebox'
import { FilterBody, readFilterBody } from '../filter/filter-body.ts'
import { inputParameters, instanceFilterParameters, readInstanceFilter } from '../filter/instance-filter.ts'
import { fromCursor } from '../request/cursor.ts'
import { waitMs } from '../request/wait.ts'
import { type Answer, type ApiContext, route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { Instance, InstanceId, readInstance, toWireInstance } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, sortOf, toList } from '../wire/list.ts'
import { anything, closed, duration, indexedText, JSON_TYPE, oneOf } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** No index knows when instances ended: each end would have to pay for it. */
const SORTS = ['-createdAt', 'createdAt', '-startedAt', 'startedAt'] as const
type SortName = (typeof SORTS)[number]
const Sort = sortOf(SORTS, '-createdAt')

const Start = closed({
  definitionId: DefinitionId,
  input: Type.Optional(anything('What the workflow sees as its input; null unless given.')),
  correlationId: Type.Optional(indexedText('Events with the same one reach it.')),
  dedupeKey: Type.Optional(indexedText('Two starts of one definition with the same key are one instance.')),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'The published one unless given.' }),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 9,
      description: 'Where it has to wait for its turn, a higher one goes before; 0 unless given.',
    }),
  ),
  wait: Type.Optional(duration('Answers when the instance has ended or this time is over; at most 60s.')),
})

export const startInstance = route({
  method: 'POST',
  path: '/workflow-instances',
  name: 'startWorkflowInstance',
  permission: 'instances:start',
  audit: 'behind',
  summary:
    'Starts an instance: 201 as soon as it is durable. 200 with `wait`, or when the dedupeKey has been used: then it is the first one.',
  body: Start,
  replies: { 200: Instance, 201: Instance },
  problems: [
    'DEFINITION_NOT_FOUND',
    'INPUT_INVALID',
    'PAYLOAD_TOO_LARGE',
    'SINGLETON_BUSY',
    'START_THROTTLED',
    'FLOW_KEY_FAILED',
    'START_UNCLEAR',
  ],
  async handle(context, { body, once, note, rest: aside }) {
    note.target = body.definitionId
    const { engine, tenant, root, waits } = context
    const { wait, definitionId, version, input, correlationId, priority } = body
    const limitMs = waitMs(wait, 'body')
    const dedupeKey = body.dedupeKey ?? (once && `idem:${once}`)
    // All members, given or not: objects of one shape are what the busiest path reads fastest.
    const request = { tenant, definitionId, version, input, correlationId, dedupeKey, priority } as StartRequest
    const { instanceId, created, here } = await engine.start(request)
    const last = limitMs > 0 ? await aside(() => waits.forEnd(tenant, instanceId, limitMs, here)) : undefined
    const instance = last === undefined ? await readInstance(context, instanceId) : toWireInstance(last)
    return {
      status: created && wait === undefined ? 201 : 200,
      body: instance,
      location: `${root}/workflow-instances/${instance.id}`,
    }
  },
})

export const listInstances = route({
  method: 'GET',
  path: '/workflow-instances',
  name: 'listWorkflowInstances',
  permission: 'instances:read',
  summary:
    'Lists instances, newest first unless told. Members of the input filter too: input.customerId=42. A page may be shorter than its limit, or empty, while page.next leads on.',
  query: Type.Object(
    { ...instanceFilterParameters, sort: Sort, limit: Limit, cursor: CursorParameter },
    { additionalProperties: false, patternProperties: inputParameters },
  ),
  replies: { 200: listOf(Instance) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  handle(context, { query }) {
    const { cursor, limit, sort, ...said } = query as { cursor?: string; limit?: number; sort?: SortName }
    const filter = readInstanceFilter(said, context.clock.now())
    return listed(context, filter, { text: filterText(said), sort, cursor, limit })
  },
})

export const searchInstances = route({
  method: 'POST',
  path: '/workflow-instances/search',
  name: 'searchWorkflowInstances',
  permission: 'instances:read',
  audit: 'never',
  summary: 'The same list with its filter in the body, where that is too long for an address.',
  body: closed({ filter: Type.Optional(FilterBody), sort: Sort, limit: Limit, cursor: CursorParameter }),
  bodyOptional: true,
  replies: { 200: listOf(Instance) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  handle(context, { body: { filter = {}, sort, limit, cursor } }) {
    const read = readFilterBody(filter, context.clock.now(), '/filter')
    return listed(context, read, { text: filterText(filter), sort, cursor, limit })
  },
})

const { status: _, ...countParameters } = instanceFilterParameters

export const countInstances = route({
  method: 'GET',
  path: '/workflow-instances/counts',
  name: 'countWorkflowInstances',
  permission: 'instances:read',
  summary:
    'How many instances have which status, among the newest 10,000 that can fit. Takes the filters of the list but status and members of the input.',
  query: closed(countParameters),
  replies: {
    200: Type.Object({
      statuses: Type.Record(Type.String(), Type.Integer(), {
        description: 'By status; those of which there are none are left out.',
      }),
      exact: Type.Boolean({ description: 'false: there may be others that were not counted.' }),
    }),
  },
  problems: ['INVALID_ID'],
  async handle({ browse, tenant, clock }, { query }) {
    return { status: 200, body: await browse.instanceCounts(tenant, readInstanceFilter(query, clock.now())) }
  },
})

interface AskedPage {
  /** Of the filter: a cursor of one is refused with another. */
  readonly text: string
  readonly sort: SortName | undefined
  readonly cursor: string | undefined
  readonly limit: number | undefined
}

async function listed(
  { browse, tenant }: ApiContext,
  filter: InstanceFilter,
  { text, sort, cursor, limit = DEFAULT_ITEMS }: AskedPage,
): Promise<Answer> {
  // What has begun did so when it was made: both are one order. One that is queued stands where it was made.
  const oldestFirst = sort === 'createdAt' || sort === 'startedAt'
  const list = oldestFirst ? `sort=createdAt&${text}` : text
  const from = fromCursor(cursor, list, UUID)
  const place = { from: from?.key, back: from?.back === true, oldestFirst }
  const page = await browse.instances(tenant, filter, place, limit + 1)
  const toItem = (view: InstanceView) => toWireInstance({ view })
  return { status: 200, body: toList(page, toItem, { cursor: from, limit, filter: list, key: (row) => row.id }) }
}

/** RFC 9211, and how long ago the answer was found to be right, at the most. */
const freshness = (from: StateAnswer['from'], ageMs: number) => ({
  'cache-status': from === 'miss' ? 'lockstep; fwd=miss' : `lockstep; hit; detail=${from}`,
  'lockstep-age-ms': String(Math.ceil(ageMs)),
})

/** Of views that are kept: one that is read often is written as JSON once. */
const texts = new WeakMap<InstanceView, string>()

function textOf(state: InstanceState): string {
  const known = texts.get(state.view)
  if (known !== undefined) return known
  const text = JSON.stringify(toWireInstance(state))
  texts.set(state.view, text)
  return text
}

/** The same for the same parameters, in whatever order they came. */
const filterText = (said: object): string => new URLSearchParams(Object.entries(said).sort()).toString()

export const getInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id',
  name: 'getWorkflowInstance',
  permission: 'instances:read',
  summary:
    'Answers one instance; with `wait`, when it has ended or the time is over. Lockstep-Age-Ms says how old the answer may be: 0, or up to 50 for one that is read very often. Cache-Control: no-cache asks for 0.',
  id: InstanceId,
  query: closed({
    wait: Type.Optional(duration('At most 60s.')),
    until: Type.Optional(
      oneOf(
        ['terminal', 'suspended'],
        'What is waited for: its end, or that it rests, because it waits for something, is paused or has ended. terminal unless told.',
      ),
    ),
  }),
  replies: { 200: Instance },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  handle(context, { params, query, headers, rest }) {
    const { engine, tenant } = context
    const instanceId = fromWireId('instance', params.id)
    const limitMs = waitMs(query.wait, 'query')
    if (limitMs > 0 && query.until === 'suspended')
      return rest(() => rested(context, instanceId, limitMs)).then(toAnswer)
    if (limitMs > 0)
      return waited(context, instanceId, () => rest(() => context.waits.forEnd(tenant, instanceId, limitMs, false)))
    const control = headers['cache-control']
    if (control !== undefined && /\bno-cache\b/i.test(String(control)))
      return engine.state(instanceId, { tenant, exact: true }).then(toAnswer)
    const hot = engine.hotState(instanceId, tenant)
    return hot === undefined ? engine.state(instanceId, { tenant }).then(toAnswer) : toAnswer(hot)
  },
})

const UNDER_WAY: ReadonlySet<string> = new Set(['queued', 'running', 'compensating'])
const FIRST_LOOK_MS = 20
const LAST_LOOK_MS = 1_000

/** Looks again and again, less and less often: that an instance rests is told to nobody. */
async function rested(
  { engine, waits, clock, tenant }: ApiContext,
  instanceId: string,
  limitMs: number,
): Promise<StateAnswer> {
  const end = clock.monotonic() + limitMs
  for (let lookMs = FIRST_LOOK_MS; ; lookMs = Math.min(LAST_LOOK_MS, lookMs * 1.5)) {
    const answer = await engine.state(instanceId, { tenant, exact: true })
    const leftMs = end - clock.monotonic()
    if (!UNDER_WAY.has(answer.view.status) || leftMs <= 0 || waits.closed) return answer
    await waits.forEnd(tenant, instanceId, Math.ceil(Math.min(lookMs, leftMs)), false)
  }
}

async function waited(
  { engine, tenant }: ApiContext,
  instanceId: string,
  end: () => Promise<InstanceState | undefined>,
): Promise<Answer> {
  const last = await end()
  return toAnswer(
    last === undefined ? await engine.state(instanceId, { tenant, exact: true }) : { ...last, from: 'miss', ageMs: 0 },
  )
}

function toAnswer(state: StateAnswer): Answer {
  const headers = freshness(state.from, state.ageMs)
  if (state.from === 'miss') return { status: 200, headers, body: toWireInstance(state) }
  return { status: 200, headers, body: textOf(state), type: JSON_TYPE }
}

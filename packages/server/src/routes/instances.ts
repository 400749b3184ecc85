import { fromWireId } from '@lockstep/base'
import type { InstanceState, InstanceView, StateAnswer } from '@lockstep/engine'
import Type from 'typebox'
import { inputParameters, instanceFilterParameters, readInstanceFilter } from '../filter/instance-filter.ts'
import { fromCursor } from '../request/cursor.ts'
import { idempotencyKey } from '../request/idempotency-key.ts'
import { waitMs } from '../request/wait.ts'
import { type Answer, type ApiContext, route } from '../route/route.ts'
import { DefinitionId } from '../wire/definition.ts'
import { Instance, InstanceId, readInstance, toWireInstance } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf, toList } from '../wire/list.ts'
import { anything, closed, duration, indexedText, JSON_TYPE } from '../wire/schema.ts'

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

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
    'Starts an instance: 201 as soon as it is durable. 200 with `wait`, or when the dedupeKey (or Idempotency-Key) has been used: then it is the first one.',
  body: Start,
  replies: { 200: Instance, 201: Instance },
  problems: [
    'DEFINITION_NOT_FOUND',
    'INPUT_INVALID',
    'PAYLOAD_TOO_LARGE',
    'SINGLETON_BUSY',
    'START_THROTTLED',
    'FLOW_KEY_FAILED',
  ],
  async handle(context, { body, headers, rest: aside }) {
    const { engine, tenant, root, waits } = context
    const { wait, dedupeKey = idempotent(headers), ...rest } = body
    const limitMs = waitMs(wait, 'body')
    const { instanceId, created, here } = await engine.start({
      tenant,
      ...rest,
      ...(dedupeKey === undefined ? {} : { dedupeKey }),
    })
    const last = limitMs > 0 ? await aside(() => waits.forEnd(tenant, instanceId, limitMs, here)) : undefined
    const instance =
      last === undefined ? await readInstance(context, instanceId) : toWireInstance(last.view, last.variables)
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
  permission: 'instances:read',
  summary:
    'Lists instances, newest first. Members of the input filter too: input.customerId=42. A page may be shorter than its limit, or empty, while page.next leads on.',
  query: Type.Object(
    { ...instanceFilterParameters, limit: Limit, cursor: CursorParameter },
    { additionalProperties: false, patternProperties: inputParameters },
  ),
  replies: { 200: listOf(Instance) },
  problems: ['INVALID_CURSOR', 'INVALID_ID'],
  async handle({ browse, clock, tenant }, { query }) {
    const { cursor, limit = DEFAULT_ITEMS, ...said } = query as { cursor?: string; limit?: number }
    const filter = filterText(said)
    const from = fromCursor(cursor, filter, UUID)
    const place = { from: from?.key, back: from?.back === true }
    const page = await browse.instances(tenant, readInstanceFilter(said, clock.now()), place, limit + 1)
    const toItem = (row: InstanceView) => toWireInstance(row, undefined)
    return { status: 200, body: toList(page, toItem, { cursor: from, limit, filter, key: (row) => row.id }) }
  },
})

/** RFC 9211, and how long ago the answer was found to be right, at the most. */
const freshness = (from: StateAnswer['from'], ageMs: number) => ({
  'cache-status': from === 'miss' ? 'lockstep; fwd=miss' : `lockstep; hit; detail=${from}`,
  'lockstep-age-ms': String(Math.ceil(ageMs)),
})

/** Of views that are kept: one that is read often is written as JSON once. */
const texts = new WeakMap<InstanceView, string>()

function textOf(view: InstanceView, variables: StateAnswer['variables']): string {
  const known = texts.get(view)
  if (known !== undefined) return known
  const text = JSON.stringify(toWireInstance(view, variables))
  texts.set(view, text)
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
  query: closed({ wait: Type.Optional(duration('At most 60s.')) }),
  replies: { 200: Instance },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  handle(context, { params, query, headers, rest }) {
    const { engine, tenant } = context
    const instanceId = fromWireId('instance', params.id)
    const limitMs = waitMs(query.wait, 'query')
    if (limitMs > 0)
      return waited(context, instanceId, () => rest(() => context.waits.forEnd(tenant, instanceId, limitMs, false)))
    const control = headers['cache-control']
    if (control !== undefined && /\bno-cache\b/i.test(String(control)))
      return engine.state(instanceId, { tenant, exact: true }).then(toAnswer)
    const hot = engine.hotState(instanceId, tenant)
    return hot === undefined ? engine.state(instanceId, { tenant }).then(toAnswer) : toAnswer(hot)
  },
})

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

function toAnswer({ view, variables, from, ageMs }: StateAnswer): Answer {
  const headers = freshness(from, ageMs)
  if (from === 'miss') return { status: 200, headers, body: toWireInstance(view, variables) }
  return { status: 200, headers, body: textOf(view, variables), type: JSON_TYPE }
}

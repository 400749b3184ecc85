import { fromWireId } from '@lockstep/base'
import { MOST_READ } from '@lockstep/engine'
import Type from 'typebox'
import { mayStillDo } from '../live/live-guard.ts'
import { openResultStream } from '../live/result-stream.ts'
import { InvalidRequest } from '../problem/request-errors.ts'
import { waitMs } from '../request/wait.ts'
import { route } from '../route/route.ts'
import { InstanceId } from '../wire/instance.ts'
import { PartsReply, toWirePart } from '../wire/part.ts'
import { closed, duration } from '../wire/schema.ts'

const MOST_NUMBER = 2_147_483_647
const after = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: MOST_NUMBER,
    description: 'Number of the last part that you have; 0 unless given.',
  }),
)

export const resultsOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/results',
  name: 'getWorkflowInstanceResults',
  permission: 'instances:read',
  summary:
    'What its steps have handed out before they ended, in order. With `wait`: when there is something behind `after`, it has ended, or the time is over.',
  id: InstanceId,
  query: closed({
    after,
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MOST_READ,
        description:
          'Parts at once; 100 unless given. Fewer come where they are large: `ended` tells when there are no more.',
      }),
    ),
    wait: Type.Optional(duration('At most 60s.')),
  }),
  replies: { 200: PartsReply },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  async handle({ engine, tenant, waits }, { params, query, gone, rest: aside }) {
    const instanceId = fromWireId('instance', params.id)
    const { wait, ...place } = query
    const limitMs = waitMs(wait, 'query')
    const read = (signal: AbortSignal) =>
      engine.results.read(instanceId, { tenant, ...place, waitMs: limitMs, signal: AbortSignal.any([signal, gone]) })
    const { parts, status, ended } = await aside(() => waits.within(read))
    const next = parts.at(-1)?.number ?? place.after ?? 0
    return { status: 200, body: { items: parts.map(toWirePart), next, status, ended } }
  },
})

export const streamResults = route({
  method: 'GET',
  path: '/workflow-instances/:id/results/stream',
  name: 'streamWorkflowInstanceResults',
  permission: 'instances:read',
  summary:
    'The same as server-sent events: part, progress, and end when the instance has ended. Goes on behind Last-Event-ID, on any node.',
  id: InstanceId,
  query: closed({ after }),
  replies: { 200: Type.String({ description: 'Events part, progress and end; data is JSON.' }) },
  replyTypes: ['text/event-stream'],
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND'],
  stream: true,
  async handle({ engine, tenant, waits, seats, clock, access }, { params, query, headers, address, principal }) {
    const instanceId = fromWireId('instance', params.id)
    const from = placeOf(headers['last-event-id']) ?? query.after ?? 0
    await engine.results.read(instanceId, { tenant, after: from, limit: 1 })
    const mayStay = () => mayStillDo(access, { headers, address }, tenant, 'instances:read')
    const wanted = { results: engine.results, tenant, instanceId, after: from, waits, clock, mayStay }
    return {
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      body: seats.seat(principal, () => openResultStream(wanted)),
      // Proxies that gather what they pass on would hold events back.
      headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    }
  },
})

function placeOf(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined
  if (typeof header === 'string' && /^\d{1,10}$/.test(header) && Number(header) <= MOST_NUMBER) return Number(header)
  const text = '"Last-Event-ID" must be the number of a part of this instance; leave it out to begin with the first'
  throw new InvalidRequest({ errors: [{ in: 'header', field: 'Last-Event-ID', text }] })
}

import { fromWireId } from '@lockstep/base'
import { cursorFrom, type LiveCursor, type LiveTopic, liveTopics } from '@lockstep/engine'
import Type from 'typebox'
import { InvalidRequest, RouteNotFound } from '../problem/request-errors.ts'
import { route } from '../route/route.ts'
import { closed, flag } from '../wire/schema.ts'
import { topicsFor } from './topic-permissions.ts'

const TOPIC = `(?:${liveTopics.join('|')})`

/** Events as they are committed, in the order of commits, none left out (server-sent events). */
export const streamEvents = route({
  method: 'GET',
  path: '/streams/events',
  name: 'streamEvents',
  permission: 'signed-in',
  summary:
    'Everything that happens, as it is committed: server-sent events in the order of commits. Goes on behind Last-Event-ID, on any node. Each topic takes the permission to read what it is about.',
  query: closed({
    topic: Type.Optional(
      Type.String({
        pattern: `^${TOPIC}(?:,${TOPIC})*$`,
        description: `One or more of ${liveTopics.join(', ')}, with commas. All that the caller may hear unless told.`,
      }),
    ),
    topics: Type.Optional(Type.String({ pattern: `^${TOPIC}(?:,${TOPIC})*$`, description: 'The same as topic.' })),
    instance: Type.Optional(Type.String({ description: 'Only what concerns this instance: wfi_…' })),
    after: Type.Optional(Type.String({ description: 'The same as the header Last-Event-ID, which goes before it.' })),
    follow: Type.Optional(flag('false: ends when everything committed so far was sent. true unless told.')),
  }),
  replies: { 200: Type.String({ description: 'Events ready, reset and one per topic; data is JSON.' }) },
  replyTypes: ['text/event-stream'],
  problems: ['INVALID_ID'],
  stream: true,
  async handle({ live, seats, tenant }, { query, headers, address, principal }) {
    const { topics, topic = topics, instance, after, follow = true } = query
    if (live === undefined) throw new RouteNotFound({ method: 'GET', path: '/streams/events' })
    const filter = {
      tenant,
      topics: topicsFor(principal, topic === undefined ? undefined : new Set(topic.split(',') as LiveTopic[])),
      instanceId: instance === undefined ? undefined : fromWireId('instance', instance),
    }
    const place = placeOf(headers['last-event-id'], after)
    const body = seats.seat(principal, () => live.open({ filter, after: place, once: !follow, headers, address }))
    return {
      status: 200,
      type: 'text/event-stream; charset=utf-8',
      body,
      // Proxies that gather what they pass on would hold events back.
      headers: { 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
    }
  },
})

function placeOf(header: string | string[] | undefined, query: string | undefined): LiveCursor | undefined {
  const text = header ?? query
  if (text === undefined || text === '') return undefined
  const place = typeof text === 'string' ? cursorFrom(text) : undefined
  if (place !== undefined) return place
  const [where, field] = header === undefined ? (['query', 'after'] as const) : (['header', 'Last-Event-ID'] as const)
  const hint = `"${field}" must be the id of an event of this stream, such as 483726193827841; leave it out to begin now`
  throw new InvalidRequest({ errors: [{ in: where, field, text: hint }] })
}

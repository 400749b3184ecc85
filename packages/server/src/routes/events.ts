import { toWireId } from '@lockstep/base'
import Type from 'typebox'
import { durationMs } from '../request/wait.ts'
import { route } from '../route/route.ts'
import { anything, closed, duration, indexedText } from '../wire/schema.ts'

export const publishEvent = route({
  method: 'POST',
  path: '/events',
  name: 'publishEvent',
  permission: 'events:publish',
  audit: 'behind',
  summary: 'Publishes an event: 202 when it is durable and those that wait for it now were told.',
  body: closed({
    name: indexedText('What instances wait for.'),
    correlationId: Type.Optional(
      indexedText('Reaches only instances with the same one; all that wait for the name without it.'),
    ),
    payload: Type.Optional(anything('What those that wait get.')),
    ttl: Type.Optional(duration('How long it is kept for those that wait later.')),
  }),
  replies: {
    202: Type.Object({
      id: Type.String(),
      matched: Type.Integer({ description: 'Instances that it reached at once.' }),
      started: Type.Integer({ description: 'Instances that it started.' }),
      kept: Type.Boolean({ description: 'Whether it is kept for an instance that waits for it later.' }),
    }),
  },
  problems: ['PAYLOAD_TOO_LARGE'],
  async handle({ engine, tenant }, { body: { ttl, ...event }, note }) {
    note.target = event.name
    const kept = ttl === undefined ? {} : { ttlMs: durationMs(ttl, 'ttl', 'body') }
    const published = await engine.publish({ tenant, ...event, ...kept })
    return {
      status: 202,
      body: {
        id: toWireId('event', published.id),
        matched: published.matched,
        started: published.started,
        kept: published.kept,
      },
    }
  },
})

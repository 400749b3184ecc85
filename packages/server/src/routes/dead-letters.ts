import { fromWireId, type Json, toWireId } from '@lockstep/base'
import type { DeadLetter, DeadLetters } from '@lockstep/engine'
import Type from 'typebox'
import { RouteNotFound } from '../problem/request-errors.ts'
import { fromCursor } from '../request/cursor.ts'
import { DEFINITION_ID } from '../request/ids.ts'
import { type ApiContext, route } from '../route/route.ts'
import { FORWARD, toForwardList } from '../wire/forward-list.ts'
import { iso } from '../wire/iso.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { anything, closed, flag, indexedText, instant, noContent, nullable } from '../wire/schema.ts'

const PATH = '/dead-letters'
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const LetterId = Type.String({ pattern: '^dlt_[0-9a-fA-F-]{36}$', description: 'dlt_ and a uuid.' })

const members = {
  id: Type.String(),
  definitionId: Type.String(),
  source: Type.String({ description: 'Where it came from: rabbitmq: and the queue.' }),
  code: Type.String({ description: 'Why it can never start the workflow as it stands.' }),
  reason: Type.String(),
  correlationId: nullable('string'),
  arrivedAt: instant(),
}

const Letter = Type.Object(members)
const WholeLetter = Type.Object({
  ...members,
  input: anything('What the workflow would have got; null where nobody can read what came.'),
  raw: nullable('string', { description: 'What came, in base64, where nobody can read it.' }),
})

const toWire = (letter: DeadLetter) => ({
  ...{ id: toWireId('deadLetter', letter.id), definitionId: letter.definitionId, source: letter.source },
  ...{ code: letter.code, reason: letter.reason, correlationId: letter.correlationId ?? null },
  arrivedAt: iso(letter.arrivedAt),
})

function lettersOf({ deadLetters }: ApiContext): DeadLetters {
  if (deadLetters === undefined) throw new RouteNotFound({ method: 'requests to', path: PATH })
  return deadLetters
}

export const listDeadLetters = route({
  method: 'GET',
  path: PATH,
  name: 'listDeadLetters',
  permission: 'incidents:read',
  summary: 'Lists what came from outside and could not start its workflow, newest first.',
  query: closed({
    definition: Type.Optional(Type.String({ pattern: DEFINITION_ID })),
    source: Type.Optional(indexedText('Where it came from: rabbitmq:orders.')),
    limit: Limit,
    cursor: CursorParameter,
  }),
  replies: { 200: listOf(Letter, FORWARD) },
  problems: ['INVALID_CURSOR'],
  async handle(context, { query: { definition: definitionId, source, limit = DEFAULT_ITEMS, cursor: text } }) {
    const cursor = fromCursor(text, '', UUID)
    const place = { tenant: context.tenant, definitionId, source, before: cursor?.key, limit: limit + 1 }
    const rows = await lettersOf(context).list(place)
    return { status: 200, body: toForwardList(rows, toWire, { cursor, limit, key: (row) => row.id }) }
  },
})

export const getDeadLetter = route({
  method: 'GET',
  path: `${PATH}/:id`,
  name: 'getDeadLetter',
  permission: 'incidents:read',
  summary: 'Shows a dead letter with what is in it.',
  id: LetterId,
  replies: { 200: WholeLetter },
  problems: ['DEAD_LETTER_NOT_FOUND', 'INVALID_ID'],
  async handle(context, { params }) {
    const letter = await lettersOf(context).read(context.tenant, fromWireId('deadLetter', params.id))
    const raw = letter.raw === undefined ? null : Buffer.from(letter.raw).toString('base64')
    return { status: 200, body: { ...toWire(letter), input: letter.input ?? null, raw } }
  },
})

export const retryDeadLetter = route({
  method: 'POST',
  path: `${PATH}/:id/retry`,
  name: 'retryDeadLetter',
  permission: 'incidents:resolve',
  summary:
    'Starts its workflow, with another input where one is sent. It is gone then; when it cannot start still, it stays.',
  id: LetterId,
  body: closed({ input: Type.Optional(anything('In the place of what is in the letter.')) }),
  bodyOptional: true,
  replies: {
    200: Type.Object({
      instanceId: Type.String(),
      created: flag('false: the message had started it already, or somebody else tried the letter again.'),
    }),
  },
  problems: [
    'DEAD_LETTER_NOT_FOUND',
    'DEAD_LETTER_UNREADABLE',
    'DEFINITION_NOT_FOUND',
    'INPUT_INVALID',
    'PAYLOAD_TOO_LARGE',
    'SINGLETON_BUSY',
    'START_THROTTLED',
    'FLOW_KEY_FAILED',
    'INVALID_ID',
  ],
  async handle(context, { params, body }) {
    const id = fromWireId('deadLetter', params.id)
    const started = await lettersOf(context).retry(context.tenant, id, body.input as Json | undefined)
    return {
      status: 200,
      body: { instanceId: toWireId('instance', started.instanceId), created: started.created },
    }
  },
})

export const discardDeadLetter = route({
  method: 'DELETE',
  path: `${PATH}/:id`,
  name: 'discardDeadLetter',
  permission: 'incidents:resolve',
  summary: 'Throws a dead letter away.',
  id: LetterId,
  replies: { 204: noContent },
  problems: ['DEAD_LETTER_NOT_FOUND', 'INVALID_ID'],
  async handle(context, { params }) {
    await lettersOf(context).discard(context.tenant, fromWireId('deadLetter', params.id))
    return { status: 204, body: undefined }
  },
})

import { fromWireId } from '@lockstep/base'
import type { TimelinePlace } from '@lockstep/engine'
import { fromCursor, toCursor } from '../request/cursor.ts'
import { route } from '../route/route.ts'
import { FORWARD } from '../wire/forward-list.ts'
import { InstanceId } from '../wire/instance.ts'
import { CursorParameter, DEFAULT_ITEMS, Limit, listOf } from '../wire/list.ts'
import { closed } from '../wire/schema.ts'
import { Span, toWireSpan } from '../wire/timeline.ts'

/** Number of a fact, how many of its spans were told, and the step behind which those go on that no fact tells of. */
const PLACE = /^(\d{1,10})\.(\d{1,4})(?::(.{1,1000}))?$/s

export const timelineOfInstance = route({
  method: 'GET',
  path: '/workflow-instances/:id/timeline',
  name: 'getWorkflowInstanceTimeline',
  permission: 'instances:read',
  summary:
    'What it did with its time: attempts, waits, timers, back-offs, children and containers, from when to when and on which nodes, in the order in which the journal tells of them.',
  id: InstanceId,
  query: closed({ limit: Limit, cursor: CursorParameter }),
  replies: { 200: listOf(Span, FORWARD) },
  problems: ['INVALID_ID', 'INSTANCE_NOT_FOUND', 'INVALID_CURSOR', 'DEFINITION_NOT_FOUND'],
  async handle({ engine, tenant }, { params, query: { limit = DEFAULT_ITEMS, cursor } }) {
    const from = fromCursor(cursor, params.id, PLACE)
    const after = from && placeOf(from.key)
    const { spans, next } = await engine.timeline(fromWireId('instance', params.id), {
      ...{ limit, tenant },
      ...(after === undefined ? {} : { after }),
    })
    const seen = (from?.seen ?? 0) + spans.length
    const on = next && toCursor({ key: keyOf(next), seen, back: false }, params.id)
    return {
      status: 200,
      body: {
        items: spans.map(toWireSpan),
        page: { next: on ?? null, prev: null, limit },
        count: { value: on === undefined ? seen : seen + 1, exact: on === undefined },
      },
    }
  },
})

const keyOf = ({ seq, n, step }: TimelinePlace): string => `${seq}.${n}${step === undefined ? '' : `:${step}`}`

function placeOf(key: string): TimelinePlace {
  const [, seq, n, step] = PLACE.exec(key)!
  return { seq: Number(seq), n: Number(n), ...(step === undefined ? {} : { step }) }
}

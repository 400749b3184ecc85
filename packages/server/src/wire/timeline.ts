import { toWireId } from '@lockstep/base'
import { spanKinds, type TimelineSpan } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { anything, instant, nullable, oneOf } from './schema.ts'

const SPAN_STATUSES = ['running', 'suspended', 'retrying', 'completed', 'faulted', 'cancelled', 'unknown'] as const

export const Span = Type.Object({
  kind: oneOf(
    spanKinds,
    'step: one attempt. container: from its first part to its last. wait: for an event, a signal, a person or a worker. retry: the time between two attempts. paused: the whole instance, by an operator.',
  ),
  step: nullable('string', { description: 'Key of the run; null for the whole instance.' }),
  activity: nullable('string', { description: 'Its id in the document; the name of the step in a function.' }),
  name: nullable('string', { description: 'Of the activity, as people read it.' }),
  waitsFor: nullable('string', { description: 'Name of the event, lock, task or signal; null where there is none.' }),
  childId: nullable('string', { description: 'Instance that it waits for, or started.' }),
  attempt: Type.Integer({ description: 'From 1. Of a retry: the attempt that failed.' }),
  status: oneOf(
    SPAN_STATUSES,
    'cancelled: given up, with its branch or with the instance. unknown: it ends farther on than one answer looks.',
  ),
  startedAt: instant('When what led to it had ended, where no fact tells its beginning.'),
  endedAt: instant('null: it goes on.'),
  dueAt: instant('When it was to be over at the latest; null where nothing said so.'),
  durationMs: nullable('integer', { description: 'null: it goes on.' }),
  fromSeq: nullable('integer', { description: 'First fact that tells of it; null: none does yet.' }),
  toSeq: nullable('integer', { description: 'Last fact of it; null: it goes on.' }),
  nodeId: nullable('string', { description: 'Node that wrote the last of its facts.' }),
  nodeIds: Type.Array(Type.String(), {
    description: 'Nodes that wrote its facts, in order: more than one, and it moved. At most 20.',
  }),
  outcome: nullable('string', { description: 'How it completed.' }),
  error: anything('code, message and step of what went wrong; else null.'),
})

export function toWireSpan(span: TimelineSpan) {
  const nodeIds = span.nodeIds.map((id) => toWireId('node', id))
  return {
    kind: span.kind,
    step: span.step ?? null,
    activity: span.activity ?? null,
    name: span.name ?? null,
    waitsFor: span.waitsFor ?? null,
    childId: span.childId === undefined ? null : toWireId('instance', span.childId),
    attempt: span.attempt,
    status: span.status,
    startedAt: iso(span.startedAt),
    endedAt: iso(span.endedAt),
    dueAt: iso(span.dueAt),
    durationMs: span.endedAt === undefined ? null : Math.round(span.endedAt - span.startedAt),
    fromSeq: span.fromSeq ?? null,
    toSeq: span.toSeq ?? null,
    nodeId: nodeIds.at(-1) ?? null,
    nodeIds,
    outcome: span.outcome ?? null,
    error: span.error ?? null,
  }
}

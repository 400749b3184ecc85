import { toWireId } from '@lockstep/base'
import type { WaitsFor, Why } from '@lockstep/engine'
import Type from 'typebox'
import { IncidentItem, toWireIncident } from './instance.ts'
import { iso } from './iso.ts'
import { instant, nullable, oneOf } from './schema.ts'
import { Count } from './version.ts'

const Wait = Type.Object(
  {
    kind: oneOf(['timer', 'retry', 'event', 'signal', 'child']),
    step: Type.String(),
    since: instant(),
  },
  {
    additionalProperties: true,
    description: 'dueAt, name, correlationId, bookmarkId, expiresAt, instanceId: by its kind.',
  },
)

export const WhyReply = Type.Object({
  instanceId: Type.String(),
  definitionId: Type.String(),
  version: Type.Integer(),
  status: Type.String(),
  state: oneOf(['ended', 'queued', 'held', 'waiting', 'due', 'paused', 'quarantined', 'orphaned', 'stranded']),
  since: instant('Since when it stands so.'),
  text: Type.String({ description: 'All of it in a sentence or two.' }),
  waitsFor: Type.Array(Wait),
  heldBy: Type.Unsafe<unknown>({
    type: ['object', 'null'],
    properties: {
      nodeId: { type: 'string' },
      name: { type: ['string', 'null'] },
      claimNo: { type: 'integer' },
      alive: { type: 'boolean' },
      silentMs: { type: ['integer', 'null'] },
    },
  }),
  queue: Type.Unsafe<unknown>({
    type: ['object', 'null'],
    properties: { name: { type: 'string' }, ahead: Count, lateMs: { type: 'number' } },
    description: 'When it is due and nobody has it.',
  }),
  movesAt: instant('When it moves by itself, at the latest.'),
  blockers: Type.Array(
    Type.Object({
      kind: Type.String(),
      text: Type.String(),
      untilAt: nullable('string', { format: 'date-time' }),
      step: nullable('string', { description: 'The step that it holds back; null: all of it.' }),
      key: nullable('string', { description: 'Name of the limit, lock, breaker or node.' }),
    }),
  ),
  incidents: Type.Array(IncidentItem),
  advice: Type.Array(Type.String(), { description: 'What a person can do.' }),
})

export const toWireWhy = (why: Why) => ({
  instanceId: toWireId('instance', why.instanceId),
  definitionId: why.definitionId,
  version: why.version,
  status: why.status,
  state: why.state,
  since: iso(why.since),
  text: withWireIds(why),
  waitsFor: why.waitsFor.map(toWireWait),
  heldBy:
    why.heldBy === undefined
      ? null
      : {
          ...why.heldBy,
          nodeId: toWireId('node', why.heldBy.nodeId),
          name: why.heldBy.name ?? null,
          silentMs: why.heldBy.silentMs === undefined ? null : Math.round(why.heldBy.silentMs),
        },
  queue: why.queue ?? null,
  movesAt: iso(why.movesAt),
  blockers: why.blockers.map(({ kind, text, untilAt, step, key }) => ({
    ...{ kind, text, untilAt: iso(untilAt) },
    ...{ step: step ?? null, key: key ?? null },
  })),
  incidents: why.incidents.map(toWireIncident),
  advice: why.advice,
})

function toWireWait(wait: WaitsFor) {
  return {
    ...wait,
    since: iso(wait.since),
    ...('dueAt' in wait ? { dueAt: iso(wait.dueAt) } : {}),
    ...('expiresAt' in wait ? { expiresAt: iso(wait.expiresAt) } : {}),
    ...('bookmarkId' in wait ? { bookmarkId: toWireId('bookmark', wait.bookmarkId) } : {}),
    ...('instanceId' in wait ? { instanceId: toWireId('instance', wait.instanceId) } : {}),
  }
}

/** The sentence names children as the store does. */
function withWireIds({ text, waitsFor }: Why): string {
  return waitsFor.reduce(
    (told, wait) =>
      wait.kind === 'child' ? told.replaceAll(wait.instanceId, toWireId('instance', wait.instanceId)) : told,
    text,
  )
}

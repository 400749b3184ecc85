import { toWireId } from '@lockstep/base'
import type { StateAt } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { anything, instant, nullable } from './schema.ts'

export const State = Type.Object({
  instanceId: Type.String(),
  seq: Type.Integer({ description: 'The last fact that is part of it.' }),
  at: instant('When that fact was committed.'),
  lastSeq: Type.Integer({ description: 'The newest fact there is.' }),
  version: Type.Integer({ description: 'Of its definition, then.' }),
  status: Type.String(),
  input: anything('What it was started with.'),
  variables: anything('null for functions.'),
  output: anything('So far; null without any.'),
  error: anything('code, message, step; else null.'),
  steps: Type.Array(
    Type.Object({
      step: Type.String(),
      activity: Type.String(),
      phase: Type.String({ description: 'active, waiting, retrying, open (a container) or failed.' }),
      attempt: Type.Integer(),
    }),
    { description: 'Steps that have begun and not ended.' },
  ),
  waits: Type.Array(
    Type.Object({
      step: Type.String(),
      kind: Type.String(),
      name: nullable('string'),
      seq: Type.Integer({ description: 'Fact that opened it.' }),
      dueAt: instant(),
    }),
  ),
})

export const toWireState = (state: StateAt) => ({
  ...state,
  instanceId: toWireId('instance', state.instanceId),
  at: iso(state.at),
  variables: state.variables ?? null,
  output: state.output ?? null,
  waits: state.waits.map((wait) => ({ ...wait, name: wait.name ?? null, dueAt: iso(wait.dueAt) })),
})

import { toWireId } from '@lockstep/base'
import type { ActivitiesAt } from '@lockstep/engine'
import Type from 'typebox'
import { iso } from './iso.ts'
import { anything, instant, oneOf } from './schema.ts'

const ACTIVITY_STATUSES = ['running', 'suspended', 'retrying', 'completed', 'faulted', 'cancelled'] as const

export const Activities = Type.Object({
  instanceId: Type.String(),
  seq: Type.Integer({ description: 'The last fact that is part of it.' }),
  lastSeq: Type.Integer({ description: 'The newest fact there is.' }),
  items: Type.Array(
    Type.Object({
      activity: Type.String({ description: 'Its id in the document; the name of the step in a function.' }),
      status: oneOf(ACTIVITY_STATUSES, 'Of its live run, else of its last one.'),
      step: Type.String({ description: 'Key of the run that the journal spoke of last.' }),
      runs: Type.Integer({ description: 'How often it has begun.' }),
      failures: Type.Integer({ description: 'Runs that failed for good.' }),
      retries: Type.Integer({ description: 'Attempts that failed and were made again.' }),
      outcomes: Type.Record(Type.String(), Type.Integer(), { description: 'How often it left by each outcome.' }),
      firstAt: instant('Of the first fact about it; null before there is one.'),
      lastAt: instant('Of the last fact about it.'),
      lastError: anything(
        'code, message and step of what went wrong last, also when it was made good since; else null.',
      ),
    }),
    { description: 'Those that have begun, in the order in which the journal came to them.' },
  ),
})

export const toWireActivities = ({ instanceId, seq, lastSeq, activities }: ActivitiesAt) => ({
  instanceId: toWireId('instance', instanceId),
  seq,
  lastSeq,
  items: activities.map((each) => ({
    ...each,
    firstAt: iso(each.firstAt),
    lastAt: iso(each.lastAt),
    lastError: each.lastError ?? null,
  })),
})

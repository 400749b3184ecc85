import type { Part } from '@lockstep/engine'
import Type from 'typebox'
import { INSTANCE_STATUSES } from './instance-status.ts'
import { iso } from './iso.ts'
import { anything, instant, oneOf } from './schema.ts'

export const PartReply = Type.Object({
  number: Type.Integer({ description: 'From 1, without gaps, over all steps of the instance.' }),
  step: Type.String(),
  stepNumber: Type.Integer({ description: 'From 1, without gaps, in its step.' }),
  value: anything('What the step handed out.'),
  at: instant('When it was kept.'),
})

export const PartsReply = Type.Object({
  items: Type.Array(PartReply),
  next: Type.Integer({ description: 'What to send as `after` for those behind.' }),
  status: oneOf(INSTANCE_STATUSES),
  ended: Type.Boolean({ description: 'Nothing comes any more behind these.' }),
})

export const toWirePart = ({ number, step, stepNumber, value, at }: Part) => ({
  ...{ number, step, stepNumber, value },
  at: iso(at),
})

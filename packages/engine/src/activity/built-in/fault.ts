import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema, name, text } from '../input-schema.ts'

export const faultActivity: ActivityType = {
  type: 'fault',
  kind: 'control',
  title: 'Fault',
  description: 'Fails on purpose: an enclosing try catches it, otherwise the workflow is faulted.',
  inputs: inputSchema({
    message: text('What went wrong.'),
    code: Type.Optional(name('Code that a catch can tell apart; WORKFLOW_FAULT by default.')),
  }),
  outcomes: [],
}

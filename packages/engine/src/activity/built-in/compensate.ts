import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema, name } from '../input-schema.ts'

export const compensateActivity: ActivityType = {
  type: 'compensate',
  kind: 'container',
  title: 'Compensate',
  description:
    'Undoes steps that have completed, newest first, by the `compensate` of each, and goes on when that is done. Inside a catch it is about ' +
    'the steps of the body that failed, elsewhere about those of the graph it stands in. Its output is { undone }, a number.',
  inputs: inputSchema({
    scope: Type.Optional(name('Id of an activity: only that step, or the steps inside that container.')),
  }),
  outcomes: ['done'],
  container: 'compensate',
}

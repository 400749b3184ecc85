import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema } from '../input-schema.ts'

export const finishActivity: ActivityType = {
  type: 'finish',
  kind: 'control',
  title: 'Finish',
  description: 'Ends the whole workflow as completed, at once. Whatever else runs is cancelled, and no `finally` runs.',
  inputs: inputSchema({
    output: Type.Optional(
      Type.Object({}, { additionalProperties: true, description: 'Members of the output of the workflow.' }),
    ),
  }),
  outcomes: [],
  jump: 'finish',
}

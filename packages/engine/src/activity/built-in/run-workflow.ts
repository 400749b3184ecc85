import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, name, text } from '../input-schema.ts'

export const runWorkflowActivity: ActivityType = {
  type: 'run-workflow',
  kind: 'action',
  title: 'Run workflow',
  description:
    'Starts another workflow and, unless told otherwise, waits for its end. Its output is the output of the child.',
  inputs: inputSchema({
    definitionId: name('Which workflow.'),
    input: Type.Optional(anything('Its input.')),
    wait: Type.Optional(Type.Boolean({ description: 'false: goes on as soon as the child has started.' })),
    version: Type.Optional(Type.Integer({ minimum: 1, description: 'Instead of the published version.' })),
    correlationId: Type.Optional(text('Correlation id of the child; that of the parent by default.')),
  }),
  outcomes: ['done', 'faulted', 'cancelled'],
}

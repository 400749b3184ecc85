import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { choice, inputSchema, name, text } from '../input-schema.ts'

const MOST_CHILDREN = 100_000

export const bulkRunActivity: ActivityType = {
  type: 'bulk-run',
  kind: 'action',
  title: 'Bulk run',
  description:
    'Starts a workflow per item and waits for all of them. Its output is { total, completed, faulted, cancelled, results }. ' +
    'Where children failed it leaves through some-failed, or fails where that is not connected.',
  inputs: inputSchema({
    definitionId: name('Which workflow.'),
    items: Type.Array(Type.Unknown(), { maxItems: MOST_CHILDREN, description: 'One input per child.' }),
    concurrency: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1_000, description: 'Children side by side; 100 by default.' }),
    ),
    onChildFailure: Type.Optional(
      choice('continue (default): the others go on. fail-fast: the first failure cancels the others.', [
        'continue',
        'fail-fast',
      ]),
    ),
    collect: Type.Optional(
      choice('Whose results the output names: all (default), failed, or none.', ['all', 'failed', 'none']),
    ),
    version: Type.Optional(Type.Integer({ minimum: 1, description: 'Instead of the published version.' })),
    correlationId: Type.Optional(text('Correlation id of the children; that of the parent by default.')),
  }),
  outcomes: ['done', 'some-failed'],
}

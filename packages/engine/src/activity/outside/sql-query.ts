import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { inputSchema, name, text } from '../input-schema.ts'
import { outputSchema } from '../output-schema.ts'
import { CATEGORY } from './outside-step.ts'

export const DEFAULT_MAX_ROWS = 1_000

export const sqlQueryActivity: ActivityType = {
  type: 'sql-query',
  kind: 'action',
  title: 'SQL query',
  description:
    'Runs one statement: on a named connection of the node, or, where the operator allows it, on the database of the engine, in one commit with the step.',
  category: CATEGORY,
  icon: 'database',
  inputs: inputSchema({
    query: text('One statement with $1, $2 … for its values. A literal: values never become part of it.', {
      minLength: 1,
      maxLength: 100_000,
    }),
    parameters: Type.Optional(
      Type.Array(Type.Unknown(), { maxItems: 1_000, description: 'Values of $1, $2 …; objects are sent as JSON.' }),
    ),
    connection: Type.Optional(name('Name of another database that an operator has set up.')),
    maxRows: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 10_000, description: 'More rows are a failure; 1000 by default.' }),
    ),
  }),
  literalInputs: ['query', 'connection'],
  output: outputSchema({
    rows: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      description: 'Objects by column. Numbers that JSON cannot hold exactly (bigint, numeric) are texts.',
    }),
    count: Type.Integer({ description: 'How many rows came back.' }),
  }),
  outcomes: ['done'],
  runs: 'transaction',
}

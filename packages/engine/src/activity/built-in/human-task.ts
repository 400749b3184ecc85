import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { duration, inputSchema, name, text } from '../input-schema.ts'

const MOST_CANDIDATES = 100
const MOST_OUTCOMES = 20

export const humanTaskActivity: ActivityType = {
  type: 'human-task',
  kind: 'wait',
  title: 'Human task',
  description:
    'Asks a person and leaves through the outcome that the person chooses. Its output is { outcome, data, completedBy }.',
  inputs: inputSchema({
    title: text('What is to be done, in a line.', { minLength: 1, maxLength: 500 }),
    description: Type.Optional(text('What the person should know.', { maxLength: 10_000 })),
    form: Type.Optional(
      Type.Unsafe({
        type: ['object', 'boolean'],
        description: 'JSON schema of what is handed in; anything by default.',
      }),
    ),
    outcomes: Type.Optional(
      Type.Array(Type.String({ pattern: '^[A-Za-z][A-Za-z0-9_-]{0,63}$' }), {
        minItems: 1,
        maxItems: MOST_OUTCOMES,
        uniqueItems: true,
        description: 'What the person can choose, such as approve and reject; done by default.',
      }),
    ),
    assignee: Type.Optional(name('Who is to do it.')),
    candidates: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 200 }), {
        maxItems: MOST_CANDIDATES,
        description: 'Who may do it: persons or groups.',
      }),
    ),
    dueIn: Type.Optional(duration('When it should be done; only shown.')),
    timeout: Type.Optional(duration('Then it leaves through timeout, or fails where that is not connected.')),
  }),
  outcomes: ['done', 'timeout'],
  outcomesFrom: 'outcomes',
}

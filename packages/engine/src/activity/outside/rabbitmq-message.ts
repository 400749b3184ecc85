import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { choice, inputSchema, text } from '../input-schema.ts'
import { CATEGORY } from './outside-step.ts'

export const rabbitmqMessageActivity: ActivityType = {
  type: 'rabbitmq-message',
  kind: 'trigger',
  title: 'RabbitMQ message',
  description:
    'Starts the workflow for each message of a queue. The message is acknowledged when the start is durable; one with the same message id starts nothing again.',
  category: CATEGORY,
  icon: 'inbox',
  inputs: inputSchema({
    queue: text('Name of the queue, which must exist.', { minLength: 1, maxLength: 255 }),
    input: Type.Optional(
      choice(
        'What the workflow gets: body (default), or envelope with body, headers, messageId, exchange, routingKey.',
        ['body', 'envelope'],
      ),
    ),
    deadLetterQueue: Type.Optional(
      text('Gets messages that can never start the workflow. Absent: they are kept as dead letters.', {
        minLength: 1,
        maxLength: 255,
      }),
    ),
  }),
  literalInputs: ['queue', 'input', 'deadLetterQueue'],
  outcomes: ['done'],
}

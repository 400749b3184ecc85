import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, text } from '../input-schema.ts'
import { outputSchema } from '../output-schema.ts'
import { CATEGORY } from './outside-step.ts'

/** Short strings of the protocol have 255 bytes. */
const short = (description: string) => text(description, { maxLength: 255 })

export const rabbitmqPublishActivity: ActivityType = {
  type: 'rabbitmq-publish',
  kind: 'action',
  runs: 'effect',
  title: 'Publish to RabbitMQ',
  description: 'Publishes a message and waits until the server has confirmed it. A repetition has the same message id.',
  category: CATEGORY,
  icon: 'send',
  inputs: inputSchema({
    exchange: Type.Optional(short('Absent or empty: the default one, whose routing keys are names of queues.')),
    routingKey: short('Routing key, or name of the queue.'),
    message: anything('A text is sent as it is, anything else as JSON.'),
    contentType: Type.Optional(short('application/json or text/plain by default.')),
    headers: Type.Optional(
      Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean()]), {
        description: 'Headers of the message.',
      }),
    ),
    persistent: Type.Optional(Type.Boolean({ description: 'Survives a restart of the server; true by default.' })),
    mandatory: Type.Optional(
      Type.Boolean({
        description: 'Whether a message that no queue takes is a failure; true by default on the default exchange.',
      }),
    ),
  }),
  output: outputSchema({ messageId: Type.String() }),
  outcomes: ['done'],
}

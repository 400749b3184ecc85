import Type from 'typebox'
import type { ActivityType } from '../activity-type.ts'
import { anything, inputSchema, text } from '../input-schema.ts'
import { outputSchema } from '../output-schema.ts'
import { CATEGORY } from './outside-step.ts'

export const redisPublishActivity: ActivityType = {
  type: 'redis-publish',
  kind: 'action',
  runs: 'effect',
  title: 'Publish to Redis',
  description: 'Publishes to a channel of Redis. Only those who listen at this moment get it.',
  category: CATEGORY,
  icon: 'radio',
  inputs: inputSchema({
    channel: text('Name of the channel.', { minLength: 1, maxLength: 500 }),
    message: anything('A text is sent as it is, anything else as JSON.'),
  }),
  output: outputSchema({ receivers: Type.Integer({ description: 'How many listened.' }) }),
  outcomes: ['done'],
}

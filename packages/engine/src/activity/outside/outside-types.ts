import type { ActivityType } from '../activity-type.ts'
import { httpRequestActivity } from './http-request.ts'
import { rabbitmqMessageActivity } from './rabbitmq-message.ts'
import { rabbitmqPublishActivity } from './rabbitmq-publish.ts'
import { redisPublishActivity } from './redis-publish.ts'
import { sendEmailActivity } from './send-email.ts'
import { sqlQueryActivity } from './sql-query.ts'
import { webhookActivity } from './webhook.ts'

/** Every node knows these types; whether it can run one depends on what it was given. */
export const outsideTypes: readonly ActivityType[] = [
  httpRequestActivity,
  webhookActivity,
  sendEmailActivity,
  sqlQueryActivity,
  redisPublishActivity,
  rabbitmqPublishActivity,
  rabbitmqMessageActivity,
]

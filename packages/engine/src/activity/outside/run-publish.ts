import { isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { ChannelPublisher } from '../../outbound/channel-publisher.ts'
import { BrokerRefused, BrokerUnavailable, OutboundNotConfigured } from '../../outbound/errors.ts'
import type { ExchangePublisher } from '../../outbound/exchange-publisher.ts'
import type { ActivityContext, CompletedResult } from '../activity-handler.ts'
import { digestOf, done, notConfigured, onItsWay, textOf } from './outside-step.ts'

const REDIS = 'Redis'
const RABBITMQ = 'RabbitMQ'
/** Bytes of a short string of the protocol. */
const LONGEST_ID = 255

export async function runRedisPublish(
  redis: ChannelPublisher | undefined,
  { channel, message }: JsonObject,
  { tenant, signal }: ActivityContext,
): Promise<CompletedResult> {
  if (redis === undefined) throw notConfigured(tenant, REDIS, 'set redisUrl (LOCKSTEP_REDIS_URL)')
  const result = await redis.publish(String(channel), written(message), onItsWay(signal))
  if (result.status === 'unavailable') throw new BrokerUnavailable({ broker: REDIS, reason: result.reason })
  return done({ receivers: result.receivers })
}

export async function runRabbitmqPublish(
  rabbitmq: ExchangePublisher | undefined,
  inputs: JsonObject,
  { idempotencyKey, correlationId, signal }: ActivityContext,
): Promise<CompletedResult> {
  if (rabbitmq === undefined)
    throw new OutboundNotConfigured({ what: RABBITMQ, fix: 'set rabbitmqUrl (LOCKSTEP_RABBITMQ_URL)' })
  const { message, headers, persistent, mandatory } = inputs
  const exchange = textOf(inputs.exchange) ?? ''
  const routingKey = String(inputs.routingKey)
  const messageId = Buffer.byteLength(idempotencyKey) <= LONGEST_ID ? idempotencyKey : digestOf(idempotencyKey, 64)
  const result = await rabbitmq.publish(
    {
      ...{ exchange, routingKey, messageId },
      correlationId: Buffer.byteLength(correlationId ?? '') <= LONGEST_ID ? correlationId : undefined,
      body: Buffer.from(written(message)),
      contentType: textOf(inputs.contentType) ?? (typeof message === 'string' ? 'text/plain' : 'application/json'),
      headers: isJsonObject(headers) ? headers : {},
      persistent: persistent !== false,
      mandatory: typeof mandatory === 'boolean' ? mandatory : exchange === '',
    },
    onItsWay(signal),
  )
  switch (result.status) {
    case 'confirmed':
      return done({ messageId })
    case 'unroutable':
      throw new BrokerRefused({ broker: RABBITMQ, reason: `no queue takes "${routingKey}" of exchange "${exchange}"` })
    case 'refused':
      throw new BrokerRefused({ broker: RABBITMQ, reason: result.reason })
    case 'unavailable':
      throw new BrokerUnavailable({ broker: RABBITMQ, reason: result.reason })
  }
}

function written(message: Json | undefined): string {
  return typeof message === 'string' ? message : JSON.stringify(message ?? null)
}

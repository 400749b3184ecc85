import { errorMessage, type JsonObject, toJson } from '@lockstep/base'
import { type AsyncMessage, ConsumerStatus } from 'rabbitmq-client'
import type { LazyConnection } from './connection.ts'
import type { ResolvedRabbitmq } from './rabbitmq-options.ts'
import { type ReceivedBody, receivedBody } from './received-body.ts'

export interface ReceivedMessage {
  readonly queue: string
  readonly exchange: string
  readonly routingKey: string
  readonly messageId: string | undefined
  readonly correlationId: string | undefined
  readonly contentType: string | undefined
  readonly headers: JsonObject
  /** Whether it was handed out before; nobody knows what became of it then. */
  readonly redelivered: boolean
  readonly body: ReceivedBody
  /** As it came, to pass it on. */
  readonly bytes: Uint8Array
}

/** `ack`: done. `requeue`: somebody tries again, at once. `reject`: it goes to the dead letters of the queue, or is dropped where there are none. */
export type Disposition = 'ack' | 'requeue' | 'reject'

export interface ConsumeOptions {
  readonly queue: string
  /** Messages in work at once. @default 20 */
  readonly prefetch?: number
}

export interface Consumption {
  /** Lets those in work finish; what was fetched beyond them goes back to the queue. */
  close(): Promise<void>
}

const STATUS: Readonly<Record<Disposition, ConsumerStatus>> = {
  ack: ConsumerStatus.ACK,
  requeue: ConsumerStatus.REQUEUE,
  reject: ConsumerStatus.DROP,
}

/**
 * Hands out the messages of a queue that exists; one that does not is looked for again and again. A message is acknowledged after
 * `handle` has settled, on the channel that it came by: when that is gone, the server hands the message out again.
 */
export function consume(
  connection: LazyConnection,
  { logger }: ResolvedRabbitmq,
  { queue, prefetch = 20 }: ConsumeOptions,
  handle: (message: ReceivedMessage) => Promise<Disposition>,
): Consumption {
  const consumer = connection.open().createConsumer(
    {
      queue,
      queueOptions: { passive: true },
      qos: { prefetchCount: prefetch },
      concurrency: prefetch,
      requeue: true,
    },
    async (message) => STATUS[await handle(received(queue, message))],
  )
  consumer.on('error', (error) => logger.warn('cannot read a queue, trying on', { queue, reason: errorMessage(error) }))
  consumer.on('ready', () => logger.info('reading a queue', { queue }))
  return { close: () => consumer.close() }
}

function received(queue: string, message: AsyncMessage): ReceivedMessage {
  const { exchange, routingKey, messageId, correlationId, contentType, contentEncoding, redelivered, body } = message
  return {
    ...{ queue, exchange, routingKey, correlationId, contentType },
    messageId: messageId === '' ? undefined : messageId,
    headers: headersOf(message.headers),
    redelivered: redelivered === true,
    body: receivedBody(body, contentType, contentEncoding),
    bytes: bytesOf(body, contentType),
  }
}

function headersOf(headers: unknown): JsonObject {
  try {
    return toJson(headers ?? {}) as JsonObject
  } catch {
    return {}
  }
}

/** The client has made text of plain text, and a value of JSON: a string there was in quotes. */
function bytesOf(body: unknown, contentType: string | undefined): Uint8Array {
  if (body instanceof Uint8Array) return body
  return Buffer.from(contentType === 'text/plain' ? String(body) : JSON.stringify(body ?? null))
}

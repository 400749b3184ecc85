import { LazyConnection } from './connection.ts'
import { type ConsumeOptions, type Consumption, consume, type Disposition, type ReceivedMessage } from './consumer.ts'
import { type OutgoingMessage, Publishers, type PublishResult } from './publisher.ts'
import { type RabbitmqOptions, resolveRabbitmqOptions } from './rabbitmq-options.ts'

export interface Rabbitmq extends AsyncDisposable {
  /** Settles when the server has confirmed the message, or will not. */
  publish(message: OutgoingMessage, signal?: AbortSignal): Promise<PublishResult>
  consume(options: ConsumeOptions, handle: (message: ReceivedMessage) => Promise<Disposition>): Consumption
  /** Settles when the server has answered. */
  ping(): Promise<void>
  close(): Promise<void>
}

const CLOSE_GRACE_MS = 2_000

/**
 * Messages out and in over RabbitMQ. Opening always succeeds: it connects when it is first used, and again whenever that is lost. What
 * goes out and what comes in have a connection each, because a server in need holds back those who publish.
 */
export function rabbitmq(options: RabbitmqOptions): Rabbitmq {
  const resolved = resolveRabbitmqOptions(options)
  const outgoing = new LazyConnection(resolved, 'out')
  const incoming = new LazyConnection(resolved, 'in')
  const publishers = new Publishers(outgoing, resolved)
  const consumptions = new Set<Consumption>()
  let closing: Promise<void> | undefined
  const close = async (): Promise<void> => {
    await Promise.all([...consumptions].map((each) => each.close()))
    await incoming.close(CLOSE_GRACE_MS)
    await publishers.close()
    await outgoing.close(CLOSE_GRACE_MS)
  }
  const closeOnce = (): Promise<void> => {
    closing ??= close()
    return closing
  }
  return {
    publish: (message, signal) => publishers.publish(message, signal),
    consume: (asked, handle) => {
      const consumption = consume(incoming, resolved, asked, handle)
      const own: Consumption = {
        close: async () => {
          consumptions.delete(own)
          await consumption.close()
        },
      }
      consumptions.add(own)
      return own
    },
    ping: async () => {
      await incoming.open().exchangeDeclare({ exchange: 'amq.fanout', type: 'fanout', passive: true })
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  }
}

import { errorMessage, withTimeout } from '@lockstep/base'
import { gatheredBus, type OpenWakeBus } from '@lockstep/coordination'
import { LazyConnection } from '../connection.ts'
import { type RabbitmqOptions, resolveRabbitmqOptions } from '../rabbitmq-options.ts'

export interface RabbitmqBusOptions extends RabbitmqOptions {
  /** The exchange is called `<prefix>.wake`; two prefixes never hear each other. @default 'lockstep' */
  readonly prefix?: string
}

/** A wake-up that nobody took in this time has been overtaken by the poll. */
const MESSAGE_TTL_MS = 10_000
/** Of a process that stands still; the oldest go first. */
const MOST_MESSAGES = 1_000
const CLOSE_GRACE_MS = 1_000
/** How long opening waits for a server that is there. */
const FIRST_GRACE_MS = 1_000

/**
 * Wake-ups through a fan-out exchange. Every process has a queue of its own that goes with its connection, so nothing is left behind.
 * Opening always succeeds: a server that is away is looked for until it is there.
 */
export function rabbitmqBus({ prefix = 'lockstep', ...options }: RabbitmqBusOptions): Promise<OpenWakeBus> {
  const resolved = resolveRabbitmqOptions({ name: 'lockstep wake-ups', ...options })
  const { clock, logger } = resolved
  const exchange = `${prefix}.wake`
  const exchanges = [{ exchange, type: 'fanout', durable: false, autoDelete: false }]
  const outgoing = new LazyConnection(resolved, 'wake-ups out')
  const incoming = new LazyConnection(resolved, 'wake-ups in')
  return gatheredBus({
    clock,
    logger,
    open: async ({ hear, gap }) => {
      const publisher = outgoing.open().createPublisher({ confirm: false, maxAttempts: 1, exchanges })
      const consumer = incoming.open().createConsumer(
        {
          queue: '',
          noAck: true,
          exchanges,
          queueOptions: {
            exclusive: true,
            autoDelete: true,
            arguments: { 'x-message-ttl': MESSAGE_TTL_MS, 'x-max-length': MOST_MESSAGES, 'x-overflow': 'drop-head' },
          },
          queueBindings: [{ exchange }],
        },
        (message) => hear(String(message.body)),
      )
      consumer.on('error', (error) => logger.debug('not listening for wake-ups', { reason: errorMessage(error) }))
      let isOpened = false
      const ready = new Promise<void>((resolve) => {
        consumer.on('ready', () => {
          if (isOpened) gap() // late, or again
          resolve()
        })
      })
      await withTimeout(clock, FIRST_GRACE_MS, 'listening', ready).catch(() => undefined)
      isOpened = true
      return {
        send: (message) => publisher.send({ exchange, contentType: 'text/plain', durable: false }, message),
        close: async () => {
          const ends = Promise.allSettled([consumer.close(), publisher.close()])
          await withTimeout(clock, CLOSE_GRACE_MS, 'closing', ends).catch(() => undefined)
          await Promise.all([incoming.close(CLOSE_GRACE_MS), outgoing.close(CLOSE_GRACE_MS)])
        },
      }
    },
  })
}

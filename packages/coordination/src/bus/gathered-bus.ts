/**
 * What every bus does, whatever carries it: topics of one process leave together, one message at a time, and what gathers meanwhile
 * leaves with the next, as does what could not be sent. So a server that hangs costs one waiting message and a bounded set of topics, never a queue.
 */
import { type Clock, errorMessage, type Logger, withTimeout } from '@lockstep/base'
import type { OpenWakeBus } from './wake-bus.ts'

/** Between two messages: for PostgreSQL, a commit that notifies holds a lock of the whole server. The first one leaves at once. */
const GATHER_MS = 10
const MOST_TOPICS = 100
/** What PostgreSQL takes is below 8,000 bytes. */
const MOST_BYTES = 7_000
/** The longest that one message keeps the next ones waiting. */
const LONGEST_SEND_MS = 5_000
/** What could not be sent is sent when the server is back: then somebody may be waiting for it. */
const AGAIN_MS = 500
/** A node that stops has told the others that its work is free. */
const LAST_SEND_MS = 1_000

export interface BusWire {
  /** To everybody who listens. Its failure costs the others latency and nothing else. */
  send(message: string): Promise<unknown>
  /** Whether nothing can be heard for now. Absent: it is not known. */
  isDeaf?(): boolean
  close(): Promise<void>
}

/** The ends of a bus that its wire calls. */
export interface BusEars {
  /** A message came. */
  hear(message: string): void
  /** Messages may have been missed. */
  gap(): void
}

export interface GatheredBusOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly open: (ears: BusEars) => BusWire | Promise<BusWire>
}

export async function gatheredBus({ clock, logger, open }: GatheredBusOptions): Promise<OpenWakeBus> {
  const listeners = new Set<(topic: string) => void>()
  let topics = new Set<string>()
  let sending: Promise<void> | undefined
  let isPlanned = false
  let isFailing = false
  let sentAt = Number.NEGATIVE_INFINITY
  let closing: Promise<void> | undefined

  const tell = (topic: string): void => {
    for (const listener of listeners) {
      try {
        listener(topic)
      } catch (error) {
        logger.error('a listener of wake-ups threw', { topic, reason: errorMessage(error) })
      }
    }
  }
  const wire = await open({
    hear: (message) => {
      if (closing === undefined) for (const topic of message.split(',')) if (topic !== '') tell(topic)
    },
    gap: () => {
      if (closing === undefined) tell('due')
    },
  })

  const send = (limitMs: number): Promise<void> => {
    isPlanned = false
    sentAt = clock.monotonic()
    if (topics.size === 0) return Promise.resolve()
    const named = [...topics]
    const isTooMuch = named.length > MOST_TOPICS || Buffer.byteLength(named.join()) > MOST_BYTES
    const leaving = isTooMuch ? coarse(topics) : named
    topics = new Set()
    const sent = Promise.resolve().then(() => wire.send(leaving.join(',')))
    sent.catch(() => undefined) // it may fail after we have stopped to wait
    sending = withTimeout(clock, limitMs, 'a wake-up', sent).then(
      () => {
        isFailing = false
        sendingIsOver(0)
      },
      (error: unknown) => {
        logger.debug('wake-up not sent, trying on', { reason: errorMessage(error) })
        isFailing = true
        for (const topic of leaving) topics.add(topic)
        sendingIsOver(AGAIN_MS)
      },
    )
    return sending
  }
  const sendingIsOver = (nextMs: number): void => {
    sending = undefined
    if (topics.size > 0) plan(nextMs)
  }
  const plan = (leastMs: number): void => {
    if (isPlanned || sending !== undefined || closing !== undefined) return
    isPlanned = true
    const leave = (): void => {
      if (closing === undefined) void send(LONGEST_SEND_MS)
    }
    const delayMs = Math.max(leastMs, sentAt + GATHER_MS - clock.monotonic())
    if (delayMs > 0) clock.schedule(delayMs, leave)
    else clock.soon(leave) // with what else is published in this turn
  }
  const close = async (): Promise<void> => {
    listeners.clear()
    await send(LAST_SEND_MS)
    await wire.close()
  }
  return {
    publish: (topic) => {
      if (closing !== undefined) return
      topics.add(topics.size > MOST_TOPICS && topic.includes(':') ? 'due' : topic)
      plan(0)
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    isFailing: () => isFailing || wire.isDeaf?.() === true,
    close: () => {
      closing ??= close()
      return closing
    },
  }
}

/** Too many to name: everybody looks for work, and what is not about one instance is told all the same. */
function coarse(topics: ReadonlySet<string>): readonly string[] {
  return ['due', ...[...topics].filter((topic) => topic !== 'due' && !topic.includes(':')).slice(0, MOST_TOPICS)]
}

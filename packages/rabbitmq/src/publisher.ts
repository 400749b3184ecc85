import { abortable, errorCode, errorMessage, type JsonObject, withTimeout } from '@lockstep/base'
import type { Publisher } from 'rabbitmq-client'
import type { LazyConnection } from './connection.ts'
import type { ResolvedRabbitmq } from './rabbitmq-options.ts'

export interface OutgoingMessage {
  /** Empty: the default exchange, whose routing keys are names of queues. */
  readonly exchange: string
  readonly routingKey: string
  readonly body: Uint8Array
  readonly contentType?: string | undefined
  readonly headers?: JsonObject
  /** Survives a restart of the server, in queues that do. */
  readonly persistent: boolean
  readonly messageId?: string | undefined
  readonly correlationId?: string | undefined
  /** Whether a message that no queue takes is told from one that was taken. */
  readonly mandatory: boolean
}

export type PublishResult =
  /** The server has taken it over. */
  | { readonly status: 'confirmed' }
  | { readonly status: 'unroutable' }
  /** No such exchange, no right to it: repeating changes nothing. */
  | { readonly status: 'refused'; readonly reason: string }
  /** Not confirmed; it may have arrived nevertheless. */
  | { readonly status: 'unavailable'; readonly reason: string }

const REFUSALS: ReadonlySet<string> = new Set(['NOT_FOUND', 'ACCESS_REFUSED', 'PRECONDITION_FAILED', 'NOT_ALLOWED'])
/** Channels that are kept; the one that was used longest ago goes first. */
const MOST_CHANNELS = 64

interface Lane {
  readonly publisher: Publisher
  /** How often messages of an id came back that is under way. */
  readonly returned: Map<string, number>
  /** Message ids whose return would matter, and how many have each: two messages may have one id. */
  readonly watched: Map<string, number>
  underWay: number
}

/** A channel per exchange: the server closes a channel when its exchange is missing, and everything under way on it with it. */
export class Publishers {
  readonly #connection: LazyConnection
  readonly #options: ResolvedRabbitmq
  readonly #lanes = new Map<string, Lane>()

  constructor(connection: LazyConnection, options: ResolvedRabbitmq) {
    this.#connection = connection
    this.#options = options
  }

  async publish(message: OutgoingMessage, signal?: AbortSignal): Promise<PublishResult> {
    const { exchange, routingKey, body, contentType, headers, persistent, messageId, correlationId } = message
    const { clock, patienceMs } = this.#options
    const mandatory = message.mandatory && messageId !== undefined
    try {
      signal?.throwIfAborted()
      const lane = this.#lane(exchange)
      lane.underWay += 1
      if (mandatory) add(lane.watched, messageId, 1)
      try {
        const sent = lane.publisher.send(
          {
            ...{ exchange, routingKey, mandatory, durable: persistent },
            ...(contentType === undefined ? {} : { contentType }),
            ...(headers === undefined ? {} : { headers }),
            ...(messageId === undefined ? {} : { messageId }),
            ...(correlationId === undefined ? {} : { correlationId }),
          },
          Buffer.from(body),
        )
        await abortable(withTimeout(clock, 2 * patienceMs, 'The confirmation', sent), signal)
        if (!mandatory) return { status: 'confirmed' }
        // The server returns a message before it confirms it, but the client tells of a return a turn later.
        await new Promise<void>((resolve) => clock.soon(resolve))
        if (!lane.returned.has(messageId)) return { status: 'confirmed' }
        add(lane.returned, messageId, -1)
        if (this.#connection.isBack)
          return { status: 'unavailable', reason: 'no queue takes it yet: the server has only just come back' }
        return { status: 'unroutable' }
      } finally {
        lane.underWay -= 1
        if (mandatory) add(lane.watched, messageId, -1)
        // What comes back of an attempt that was given up says nothing of the next one.
        if (mandatory && !lane.watched.has(messageId)) lane.returned.delete(messageId)
      }
    } catch (error) {
      signal?.throwIfAborted()
      return failed(error, this.#connection.lastError)
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#lanes.values()].map(({ publisher }) => publisher.close().catch(() => undefined)))
    this.#lanes.clear()
  }

  #lane(exchange: string): Lane {
    const present = this.#lanes.get(exchange)
    if (present !== undefined) {
      this.#lanes.delete(exchange)
      this.#lanes.set(exchange, present)
      return present
    }
    const publisher = this.#connection.open().createPublisher({ confirm: true, maxAttempts: 1 })
    const lane: Lane = { publisher, returned: new Map(), watched: new Map(), underWay: 0 }
    publisher.on('basic.return', ({ messageId }) => {
      if (messageId !== undefined && lane.watched.has(messageId)) add(lane.returned, messageId, 1)
    })
    this.#lanes.set(exchange, lane)
    this.#weed()
    return lane
  }

  #weed(): void {
    if (this.#lanes.size <= MOST_CHANNELS) return
    const idle = [...this.#lanes].find(([, { underWay }]) => underWay === 0)
    if (idle === undefined) return
    this.#lanes.delete(idle[0])
    void idle[1].publisher.close().catch(() => undefined)
  }
}

function failed(error: unknown, lastError: unknown): PublishResult {
  const reason = errorMessage(error)
  if (REFUSALS.has(errorCode(error) ?? '')) return { status: 'refused', reason }
  return { status: 'unavailable', reason: lastError === undefined ? reason : `${reason} (${errorMessage(lastError)})` }
}

function add(counts: Map<string, number>, key: string, more: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + more
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}

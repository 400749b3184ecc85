import { type Clock, errorMessage, type Logger, type Timer, withTimeout } from '@lockstep/base'
import { ProviderUnavailable } from '@lockstep/coordination'
import type { Connection } from './connection.ts'
import type { Link } from './link.ts'

export interface Subscriber {
  onMessage(message: string): void
  /** Messages may have been missed. */
  onGap(): void
}

export interface SubscriptionsOptions {
  readonly link: Link
  readonly clock: Clock
  readonly logger: Logger
  readonly silenceMs: number
}

/** A connection that only listens says nothing of its own accord: this finds one that is open but dead. */
const PROBE_EVERY_MS = 5_000

/** All subscriptions of a provider over one connection of its own, opened with the first. After every reconnect each subscriber is told of the gap. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions
  readonly #channels = new Map<string, Set<Subscriber>>()
  readonly #subscribed = new WeakMap<Connection, Map<string, Promise<void>>>()
  #probe: Timer | undefined
  #hadConnection = false
  #closed = false

  constructor(options: SubscriptionsOptions) {
    this.#options = options
    options.link.onOpen = (connection) => this.#resume(connection)
  }

  /** `idle`: nobody listens. */
  get state(): 'idle' | 'open' | 'lost' {
    if (this.#channels.size === 0) return 'idle'
    return this.#options.link.connection === undefined ? 'lost' : 'open'
  }

  async add(channel: string, subscriber: Subscriber): Promise<() => Promise<void>> {
    const { link } = this.#options
    if (this.#closed) throw unavailable(undefined)
    const present = this.#channels.get(channel)
    if (present === undefined) this.#channels.set(channel, new Set([subscriber]))
    else present.add(subscriber)
    link.start()
    try {
      const connection = await link.whenOpen()
      if (connection === undefined) throw link.lastError
      // Also when the connection has just come: it may have asked for the channels before this one was added.
      await this.#subscribe(connection, channel)
    } catch (error) {
      await this.#remove(channel, subscriber)
      throw unavailable(error)
    }
    return () => this.#remove(channel, subscriber)
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#probe?.cancel()
    this.#channels.clear()
    await this.#options.link.close()
  }

  async #remove(channel: string, subscriber: Subscriber): Promise<void> {
    const present = this.#channels.get(channel)
    if (present?.delete(subscriber) !== true || present.size > 0) return
    this.#channels.delete(channel)
    const { connection } = this.#options.link
    if (connection === undefined) return
    this.#subscribed.get(connection)?.delete(channel)
    // A connection that breaks meanwhile has forgotten the channel anyway.
    await connection.unsubscribe(channel).catch(() => {})
  }

  /** Once for each connection and channel, however many ask for it. */
  #subscribe(connection: Connection, channel: string): Promise<void> {
    const { clock, silenceMs } = this.#options
    const subscribed = this.#subscribed.get(connection) ?? new Map<string, Promise<void>>()
    this.#subscribed.set(connection, subscribed)
    const present = subscribed.get(channel)
    if (present !== undefined) return present
    const deliver = (message: string): void => this.#deliver(channel, message)
    const asked = withTimeout(clock, silenceMs, 'subscribing', connection.subscribe(channel, deliver))
    subscribed.set(channel, asked)
    asked.catch(() => subscribed.delete(channel))
    return asked
  }

  async #resume(connection: Connection): Promise<void> {
    await Promise.all([...this.#channels.keys()].map((channel) => this.#subscribe(connection, channel)))
    this.#schedule(connection)
    if (this.#hadConnection) {
      this.#options.clock.soon(() => {
        for (const subscribers of this.#channels.values())
          for (const subscriber of subscribers) this.#guarded(() => subscriber.onGap())
      })
    }
    this.#hadConnection = true
  }

  #deliver(channel: string, message: string): void {
    for (const subscriber of this.#channels.get(channel) ?? []) this.#guarded(() => subscriber.onMessage(message))
  }

  #guarded(call: () => void): void {
    try {
      call()
    } catch (error) {
      this.#options.logger.error('a listener threw', { reason: errorMessage(error) })
    }
  }

  #schedule(connection: Connection): void {
    const { clock, silenceMs, link } = this.#options
    this.#probe?.cancel()
    this.#probe = clock.schedule(PROBE_EVERY_MS, () => {
      withTimeout(clock, silenceMs, 'the probe of the listening connection', connection.send(['PING'])).then(
        () => this.#schedule(connection),
        (error) => link.drop(connection, error),
      )
    })
  }
}

function unavailable(cause: unknown): Error {
  return new ProviderUnavailable({ provider: 'Redis', doing: 'listen' }, cause === undefined ? {} : { cause })
}

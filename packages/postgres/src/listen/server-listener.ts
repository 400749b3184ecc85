import { type Clock, type Logger, type Random, sleep, type Timer, Trouble } from '@lockstep/base'
import { backoffMs } from '../connection/backoff.ts'
import { Broken } from '../connection/broken.ts'
import type { Connection } from '../connection/connection.ts'
import { outcomeOf } from '../connection/outcome.ts'
import type { Subscriber, Subscription } from '../db/db.ts'
import { DatabaseClosed } from '../db/errors.ts'
import { type Listener, listenOn, unlistenText } from './listener.ts'
import { Subscriptions } from './subscriptions.ts'

export interface ServerListenerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** Opens the connection that only listens. */
  readonly open: () => Promise<Connection>
}

/** Finds a connection that is open but dead: the server says nothing to a listener of its own accord. */
const PROBE_EVERY_MS = 15_000
/** What is not heard costs others latency: it comes back sooner than a connection that somebody only waits for. */
const LONGEST_PAUSE_MS = 500

/**
 * All subscriptions of a process over one connection, opened with the first. Messages sent while it is away are lost,
 * so after every (re)connect each subscriber is told to read everything anew.
 */
export class ServerListener implements Listener {
  readonly #options: ServerListenerOptions
  readonly #subscriptions: Subscriptions
  readonly #stop = new AbortController()
  #connecting: Promise<Connection> | undefined
  #connection: Connection | undefined
  #probe: Timer | undefined
  readonly #trouble: Trouble

  constructor(options: ServerListenerOptions) {
    this.#options = options
    this.#trouble = new Trouble(options.logger, 'cannot listen yet', 'listening again')
    this.#subscriptions = new Subscriptions(options.logger)
  }

  async subscribe(channel: string, subscriber: Subscriber): Promise<Subscription> {
    if (this.#stop.signal.aborted) throw new DatabaseClosed({ statement: 'listen' })
    this.#subscriptions.add(channel, subscriber)
    const close = (): Promise<void> => this.#unsubscribe(channel, subscriber)
    try {
      // Also when a connection is just being made: it may have asked for the channels before this one came.
      const connection = await this.#connect()
      await listenOn(connection, [channel])
      this.#subscriptions.resync(subscriber)
    } catch (error) {
      await close()
      throw outcomeOf(error, 'listen', 'rolled-back')
    }
    return { close, [Symbol.asyncDispose]: close }
  }

  async close(): Promise<void> {
    this.#stop.abort(new DatabaseClosed({ statement: 'listen' }))
    this.#probe?.cancel()
    this.#subscriptions.clear()
    this.#connection?.destroy(new Broken('lost', 'the database was closed'))
    await this.#connecting?.catch(() => {})
  }

  async #unsubscribe(channel: string, subscriber: Subscriber): Promise<void> {
    if (!this.#subscriptions.remove(channel, subscriber)) return
    // A connection that breaks meanwhile has forgotten the channel anyway.
    await this.#connection?.send({ name: 'unlisten', text: unlistenText(channel) }).catch(() => {})
  }

  #connect(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection)
    this.#connecting ??= this.#openAndListen().finally(() => {
      this.#connecting = undefined
    })
    return this.#connecting
  }

  async #openAndListen(): Promise<Connection> {
    const connection = await this.#options.open()
    connection.onNotification((channel, payload) => this.#subscriptions.deliver(channel, payload))
    connection.watcher = { onReply: () => {}, onBroken: (_, broken) => this.#onBroken(connection, broken) }
    await listenOn(connection, this.#subscriptions.channels)
    if (this.#stop.signal.aborted) {
      connection.destroy(new Broken('lost', 'the database was closed'))
      throw this.#stop.signal.reason
    }
    this.#connection = connection
    this.#scheduleProbe(connection)
    return connection
  }

  #onBroken(connection: Connection, broken: Broken): void {
    if (this.#connection !== connection) return
    this.#connection = undefined
    this.#probe?.cancel()
    if (this.#stop.signal.aborted) return
    this.#options.logger.warn('lost the listening connection, opening another', { reason: broken.message })
    this.#subscriptions.lost()
    void this.#reconnect()
  }

  async #reconnect(): Promise<void> {
    const { clock, random } = this.#options
    for (let failures = 0; !this.#stop.signal.aborted; failures++) {
      try {
        await this.#connect()
        this.#trouble.over()
        this.#subscriptions.resyncAll()
        return
      } catch (error) {
        this.#trouble.failed(error)
        const pauseMs = Math.min(LONGEST_PAUSE_MS, backoffMs(failures, random))
        await sleep(clock, pauseMs, this.#stop.signal).catch(() => {})
      }
    }
  }

  #scheduleProbe(connection: Connection): void {
    this.#probe = this.#options.clock.schedule(PROBE_EVERY_MS, () => {
      connection.send({ name: 'listen_probe', text: 'select 1 as listening' }).then(
        () => this.#scheduleProbe(connection),
        () => {},
      )
    })
  }
}

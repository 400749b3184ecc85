import type { Logger } from '@lockstep/base'
import type { Connection } from '../connection/connection.ts'
import type { Lane, Subscriber, Subscription } from '../db/db.ts'
import { type Listener, listenOn, listenText, unlistenText } from './listener.ts'
import { Subscriptions } from './subscriptions.ts'

/**
 * Listening over the only session there is. Messages come from that session alone, so while it is away none can be
 * sent; still, a subscriber is told to read anew after each new one, as it would be on a server.
 */
export class SessionListener implements Listener {
  readonly #lane: () => Lane
  readonly #subscriptions: Subscriptions

  constructor(lane: () => Lane, logger: Logger) {
    this.#lane = lane
    this.#subscriptions = new Subscriptions(logger)
  }

  /** To be called with each new session before its first use. */
  async adopt(connection: Connection): Promise<void> {
    connection.onNotification((channel, payload) => this.#subscriptions.deliver(channel, payload))
    await listenOn(connection, this.#subscriptions.channels)
    this.#subscriptions.resyncAll()
  }

  async subscribe(channel: string, subscriber: Subscriber): Promise<Subscription> {
    this.#subscriptions.add(channel, subscriber)
    const close = async (): Promise<void> => {
      if (!this.#subscriptions.remove(channel, subscriber)) return
      await this.#lane()
        .script(unlistenText(channel))
        .catch(() => {})
    }
    try {
      await this.#lane().script(listenText([channel]))
    } catch (error) {
      this.#subscriptions.remove(channel, subscriber)
      throw error
    }
    this.#subscriptions.resync(subscriber)
    return { close, [Symbol.asyncDispose]: close }
  }

  async close(): Promise<void> {
    this.#subscriptions.clear()
  }
}

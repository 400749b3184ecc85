import type { Logger } from '@lockstep/base'
import type { Subscriber } from '../db/db.ts'

/** Who wants the messages of which channel. */
export class Subscriptions {
  readonly #logger: Logger
  readonly #channels = new Map<string, Set<Subscriber>>()

  constructor(logger: Logger) {
    this.#logger = logger
  }

  get channels(): readonly string[] {
    return [...this.#channels.keys()]
  }

  add(channel: string, subscriber: Subscriber): void {
    const subscribers = this.#channels.get(channel) ?? new Set()
    this.#channels.set(channel, subscribers.add(subscriber))
  }

  /** `true`: it was the last one of its channel. */
  remove(channel: string, subscriber: Subscriber): boolean {
    const subscribers = this.#channels.get(channel)
    if (subscribers?.delete(subscriber) !== true || subscribers.size > 0) return false
    return this.#channels.delete(channel)
  }

  clear(): void {
    this.#channels.clear()
  }

  deliver(channel: string, payload: string): void {
    for (const subscriber of this.#channels.get(channel) ?? []) this.#tell(() => subscriber.onMessage(payload))
  }

  resyncAll(): void {
    for (const subscribers of this.#channels.values()) for (const each of subscribers) this.resync(each)
  }

  lost(): void {
    for (const subscribers of this.#channels.values()) for (const each of subscribers) this.#tell(() => each.onLoss?.())
  }

  resync(subscriber: Subscriber): void {
    this.#tell(() => subscriber.onResync())
  }

  /** A subscriber that throws must not take the connection or its neighbours with it. */
  #tell(run: () => void): void {
    try {
      run()
    } catch (error) {
      this.#logger.error('a subscriber threw', { error })
    }
  }
}

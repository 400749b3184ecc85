import { type Clock, type Logger, type Timer, Trouble } from '@lockstep/base'
import type { LeaseListener, LeaseProvider, Listening } from './lease-provider.ts'

const FIRST_RETRY_MS = 200
/** Until they flow a hand-over costs whoever waits up to `askAgainMs`: what stops them is often over in a moment. */
const LONGEST_RETRY_MS = 1_000
const PATIENCE_MS = 1_000

/** The messages to one coordinator. Without them everything still works, later: so it only ever tries, and never fails a caller. */
export class Subscription {
  readonly #clock: Clock
  readonly #trouble: Trouble
  readonly #leases: LeaseProvider
  readonly #address: string
  readonly #listener: LeaseListener
  #state: 'new' | 'open' | 'closed' = 'new'
  #opening: Promise<void> = Promise.resolve()
  #listening: Listening | undefined
  #timer: Timer | undefined

  constructor(clock: Clock, logger: Logger, leases: LeaseProvider, address: string, listener: LeaseListener) {
    this.#clock = clock
    this.#trouble = new Trouble(
      logger,
      'messages about locks do not flow; waiting for one takes longer',
      'messages about locks flow again',
    )
    this.#leases = leases
    this.#address = address
    this.#listener = listener
  }

  /**
   * Begins to listen. Resolves when messages flow, and anyway after a while: a lease that is held before they flow would not
   * hear that it was broken or asked for.
   */
  open(): Promise<void> {
    this.#state = 'open'
    this.#opening = this.#listen(FIRST_RETRY_MS)
    return new Promise((resolve) => {
      const patience = this.#clock.schedule(PATIENCE_MS, resolve, { keepAlive: true })
      void this.#opening.finally(() => {
        patience.cancel()
        resolve()
      })
    })
  }

  async close(): Promise<void> {
    this.#state = 'closed'
    this.#timer?.cancel()
    await this.#opening
    await this.#listening?.close()
    this.#listening = undefined
  }

  async #listen(retryMs: number): Promise<void> {
    try {
      this.#listening = await this.#leases.listen(this.#address, this.#listener)
      this.#trouble.over()
      if (this.#state === 'open') this.#listener.onGap()
    } catch (error) {
      if (this.#state === 'closed') return
      this.#trouble.failed(error)
      this.#timer = this.#clock.schedule(retryMs, () => {
        this.#opening = this.#listen(Math.min(retryMs * 2, LONGEST_RETRY_MS))
      })
    }
  }
}

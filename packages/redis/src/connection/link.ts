import {
  abortable,
  type Clock,
  errorMessage,
  type Logger,
  linkedAbort,
  type Random,
  sleep,
  TimedOut,
  type Timer,
} from '@lockstep/base'
import { backoffMs } from './backoff.ts'
import type { Connection, OpenConnection } from './connection.ts'

export interface LinkOptions {
  readonly open: OpenConnection
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  /** How long callers are kept waiting for a connection that was just asked for or just lost. */
  readonly graceMs: number
  /** How long the server may take until a new connection can be used. */
  readonly openMs: number
}

/** Keeps one connection open: opens the next one when it is lost, with back-off and jitter, for ever, until `close`. */
export class Link {
  readonly #options: LinkOptions
  readonly #stop = new AbortController()
  readonly #waiting = new Set<{ resolve(connection: Connection | undefined): void; readonly timer: Timer }>()
  #connection: Connection | undefined
  #downSince: number
  #lastError: unknown
  #running: Promise<void> | undefined
  #onLost = (): void => {}
  /** Called with each new connection before anybody else gets it. Rejecting gives it up. */
  onOpen: (connection: Connection) => Promise<void> = async () => {}

  constructor(options: LinkOptions) {
    this.#options = options
    this.#downSince = options.clock.monotonic()
  }

  get connection(): Connection | undefined {
    return this.#connection
  }

  /** Why the last attempt failed or the last connection was lost. */
  get lastError(): unknown {
    return this.#lastError
  }

  /** Begins to connect. Repeating it is harmless. */
  start(): void {
    if (this.#running !== undefined) return
    this.#downSince = this.#options.clock.monotonic()
    this.#running = this.#run()
  }

  /** The connection; waits for it while the grace lasts, which begins when it was lost. `undefined`: there is none. */
  whenOpen(): Promise<Connection | undefined> {
    const { clock, graceMs } = this.#options
    const leftMs = this.#downSince + graceMs - clock.monotonic()
    if (this.#connection !== undefined || leftMs <= 0 || this.#stop.signal.aborted)
      return Promise.resolve(this.#connection)
    return new Promise((resolve) => {
      const waiter = { resolve, timer: clock.schedule(leftMs, () => this.#answer(waiter, undefined)) }
      this.#waiting.add(waiter)
    })
  }

  /** Gives up a connection that does not answer any more. */
  drop(connection: Connection, cause: unknown): void {
    if (this.#connection !== connection) return
    connection.close()
    this.#lost(cause)
  }

  async close(): Promise<void> {
    this.#stop.abort()
    for (const waiter of this.#waiting) this.#answer(waiter, undefined)
    const connection = this.#connection
    this.#connection = undefined
    connection?.close()
    this.#onLost()
    await this.#running
  }

  async #run(): Promise<void> {
    const { clock, random, logger } = this.#options
    for (let failures = 0; !this.#stop.signal.aborted; ) {
      try {
        await this.#openOne()
        failures = 0
      } catch (error) {
        this.#lastError = error
        if (failures === 0) logger.warn('cannot reach Redis, trying on', { reason: errorMessage(error) })
        failures += 1
      }
      await sleep(clock, backoffMs(failures, random), this.#stop.signal).catch(() => {})
    }
  }

  /** Resolves when the connection was lost again. */
  async #openOne(): Promise<void> {
    const lost = new Promise<void>((resolve) => {
      this.#onLost = resolve
    })
    const connection = await this.#openInTime()
    this.#connection = connection
    for (const waiter of this.#waiting) this.#answer(waiter, connection)
    await lost
  }

  async #openInTime(): Promise<Connection> {
    const { clock, openMs, open } = this.#options
    using giveUp = linkedAbort(this.#stop.signal)
    const timer = clock.schedule(openMs, () =>
      giveUp.abort(new TimedOut({ what: 'a connection to Redis', afterMs: openMs })),
    )
    let gone: { readonly cause: unknown } | undefined
    let opened: Connection | undefined
    try {
      opened = await open((cause) => {
        gone = { cause }
        if (opened !== undefined && this.#connection === opened) this.#lost(cause)
      }, giveUp.signal)
      await abortable(this.onOpen(opened), giveUp.signal)
      if (gone !== undefined) throw (gone as { readonly cause: unknown }).cause
      this.#stop.signal.throwIfAborted()
      return opened
    } catch (error) {
      opened?.close()
      throw error
    } finally {
      timer.cancel()
    }
  }

  #lost(cause: unknown): void {
    this.#connection = undefined
    this.#lastError = cause
    this.#downSince = this.#options.clock.monotonic()
    this.#options.logger.warn('lost the connection to Redis', { reason: errorMessage(cause) })
    this.#onLost()
  }

  #answer(
    waiter: { resolve(connection: Connection | undefined): void; readonly timer: Timer },
    connection: Connection | undefined,
  ): void {
    this.#waiting.delete(waiter)
    waiter.timer.cancel()
    waiter.resolve(connection)
  }
}

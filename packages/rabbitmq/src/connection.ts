import { errorMessage } from '@lockstep/base'
import { Connection } from 'rabbitmq-client'
import type { ResolvedRabbitmq } from './rabbitmq-options.ts'

/** Within it a server that was killed has its durable queues again, also on a machine that is busy with other things. */
const RECOVERY_MS = 60_000

/** One connection that is opened when it is first needed, and opened again when it is lost. */
export class LazyConnection {
  readonly #options: ResolvedRabbitmq
  readonly #use: string
  #connection: Connection | undefined
  #lastError: unknown
  #closed = false
  #opened = 0
  #openedAt = 0

  constructor(options: ResolvedRabbitmq, use: string) {
    this.#options = options
    this.#use = use
  }

  /** Why it is not there, as far as that is known. */
  get lastError(): unknown {
    return this.#lastError
  }

  /** Whether the server was away a moment ago: it takes messages before all of its queues are there again. */
  get isBack(): boolean {
    return this.#opened > 1 && this.#options.clock.monotonic() - this.#openedAt < RECOVERY_MS
  }

  open(): Connection {
    if (this.#closed) throw new Error('it was closed')
    this.#connection ??= this.#make()
    return this.#connection
  }

  /** Whatever is still under way is given up after `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#closed = true
    const connection = this.#connection
    if (connection === undefined) return
    const timer = this.#options.clock.schedule(graceMs, () => connection.unsafeDestroy(), { keepAlive: true })
    try {
      await connection.close()
    } catch {
      connection.unsafeDestroy()
    } finally {
      timer.cancel()
    }
  }

  #make(): Connection {
    const { url, name, clock, logger, patienceMs, retryMs } = this.#options
    const connection = new Connection({
      url,
      connectionName: `${name} (${this.#use})`,
      acquireTimeout: patienceMs,
      connectionTimeout: patienceMs,
      retryLow: retryMs,
      retryHigh: 30 * retryMs,
      heartbeat: 20,
    })
    // The client reports the first of a row of failures only.
    connection.on('error', (error) => {
      this.#lastError = error
      logger.warn('no connection to RabbitMQ, trying on', { use: this.#use, reason: errorMessage(error) })
    })
    connection.on('connection', () => {
      this.#lastError = undefined
      this.#opened += 1
      this.#openedAt = clock.monotonic()
      logger.info('connected to RabbitMQ', { use: this.#use })
    })
    return connection
  }
}

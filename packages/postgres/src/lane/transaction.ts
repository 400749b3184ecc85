import { type Clock, deferred, errorMessage, type Timer } from '@lockstep/base'
import { Broken } from '../connection/broken.ts'
import type { Connection } from '../connection/connection.ts'
import { outcomeOf } from '../connection/outcome.ts'
import type { Reply, Request } from '../connection/request.ts'
import { CLIENT_MARGIN_MS } from '../connection/session.ts'
import type { TransactionOptions } from '../db/db.ts'
import { DatabaseRefused } from '../db/errors.ts'
import type { Queries } from '../db/queries.ts'
import { type Preparation, queriesOver } from './requests.ts'

export interface TransactionSettings {
  readonly clock: Clock
  readonly preparation: Preparation
  /** How long the closure may do nothing while it holds its locks. */
  readonly idleInTransactionMs: number
}

const ABORTED = '25P02'

/**
 * One attempt at a transaction on a connection that nobody else uses. Until COMMIT is sent a lost connection means
 * rolled back; from then on nobody can know. The closure cannot be stopped, so when the connection breaks or idles too
 * long the caller gets the error at once and whatever the closure still sends is refused.
 */
export class Transaction {
  readonly #connection: Connection
  readonly #settings: TransactionSettings
  readonly #limitMs: number | undefined
  #failure: unknown
  #isOver = false
  #idleSince = 0
  #watchdog: Timer | undefined

  constructor(connection: Connection, settings: TransactionSettings, options: TransactionOptions) {
    this.#connection = connection
    this.#settings = settings
    const { statementTimeoutMs } = options
    if (statementTimeoutMs !== undefined)
      this.#limitMs = statementTimeoutMs === 0 ? 0 : statementTimeoutMs + CLIENT_MARGIN_MS
  }

  get queries(): Queries {
    return queriesOver((request) => this.#send(request), this.#settings.preparation)
  }

  async begin(options: TransactionOptions): Promise<void> {
    // Answered before anything else is sent: behind a BEGIN that failed, a pipelined statement would commit by itself.
    await this.#ask({ name: 'begin', text: beginText(options) })
    this.#touch()
  }

  /** Settles as the closure does, or rejects as soon as the connection is gone. */
  async perform<T>(work: (tx: Queries) => Promise<T>): Promise<T> {
    try {
      return await this.#connection.whileWhole(work(this.queries))
    } catch (error) {
      throw this.#failed(outcomeOf(error, 'transaction', 'rolled-back'))
    }
  }

  async commit(): Promise<void> {
    this.#finish()
    try {
      this.#requireCommitted(await this.#connection.send(COMMIT, this.#limitMs))
    } catch (error) {
      throw this.#failed(outcomeOf(error, 'commit', 'unknown'))
    }
  }

  /** Sends the last statement and COMMIT in one write. */
  async commitWith(last: Request): Promise<Reply> {
    this.#finish()
    const [reply, committed] = this.#connection.together(() => [
      this.#connection.send(last, this.#limitMs),
      this.#connection.send(COMMIT, this.#limitMs),
    ])
    const ending = deferred<void>()
    committed.then((answer) => ending.resolve(this.#requireCommitted(answer))).catch(ending.reject)
    ending.promise.catch(() => {})
    try {
      const answer = await reply
      await ending.promise
      return answer
    } catch (error) {
      throw this.#failed(outcomeOf(error, last.name, 'unknown'))
    }
  }

  /** Gives the connection back clean, or not at all. Never throws. */
  async rollback(): Promise<void> {
    this.#finish()
    if (this.#connection.broken !== undefined) return
    try {
      await this.#connection.send({ name: 'rollback', text: 'rollback' })
    } catch (error) {
      this.#connection.destroy(new Broken('lost', `rollback failed: ${errorMessage(error)}`))
    }
  }

  /** The first SQL error of this attempt: it decides whether another attempt makes sense, even if the closure hid it. */
  get failure(): unknown {
    return this.#failure
  }

  async #send(request: Request): Promise<Reply> {
    if (this.#isOver)
      throw new DatabaseRefused({ sqlstate: '25P01', statement: request.name, message: 'its transaction is over' })
    return this.#ask(request)
  }

  async #ask(request: Request): Promise<Reply> {
    try {
      return await this.#connection.send(request, this.#limitMs)
    } catch (error) {
      throw this.#failed(outcomeOf(error, request.name, 'rolled-back'))
    } finally {
      this.#touch()
    }
  }

  #failed(error: unknown): unknown {
    this.#failure ??= error
    return error
  }

  #requireCommitted(reply: Reply): void {
    if (reply.command === 'COMMIT') return
    const message = 'the transaction had failed before, so COMMIT rolled it back'
    throw new DatabaseRefused({ sqlstate: ABORTED, statement: 'commit', message }, { cause: this.#failure })
  }

  #finish(): void {
    this.#isOver = true
    this.#watchdog?.cancel()
  }

  #touch(): void {
    this.#idleSince = this.#settings.clock.monotonic()
    if (!this.#isOver) this.#watchdog ??= this.#watch(this.#settings.idleInTransactionMs)
  }

  #watch(delayMs: number): Timer | undefined {
    if (delayMs === 0) return undefined
    return this.#settings.clock.schedule(delayMs, () => {
      const { clock, idleInTransactionMs } = this.#settings
      this.#watchdog = undefined
      if (this.#isOver) return
      const idleMs = this.#connection.inFlightCount > 0 ? 0 : clock.monotonic() - this.#idleSince
      if (idleMs < idleInTransactionMs) this.#watchdog = this.#watch(idleInTransactionMs - idleMs)
      else
        this.#connection.destroy(
          new Broken('idle-in-transaction', `the transaction was idle for ${idleInTransactionMs} ms`),
        )
    })
  }
}

const COMMIT: Request = { name: 'commit', text: 'commit' }

function beginText({ isolation = 'read committed', readOnly = false, statementTimeoutMs }: TransactionOptions): string {
  const begin = `begin isolation level ${isolation} ${readOnly ? 'read only' : 'read write'}`
  return statementTimeoutMs === undefined
    ? begin
    : `${begin}; set local statement_timeout = ${Math.ceil(statementTimeoutMs)}`
}

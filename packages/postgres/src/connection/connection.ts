import { type Clock, errorMessage, type Timer } from '@lockstep/base'
import type { Client, QueryResult } from 'pg'
import { decoderOf } from '../values/decode.ts'
import { Broken, endsConnection } from './broken.ts'
import { isStalePlan } from './outcome.ts'
import { type Columns, type Prepared, PreparedQuery } from './prepared-query.ts'
import { type Reply, type Request, replyOf } from './request.ts'

interface Pending {
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: unknown) => void
  readonly limitMs: number
}

/** Who wants to know what becomes of a connection. */
export interface ConnectionWatcher {
  /** A reply came: there may be room, or the connection may be idle now. */
  onReply(connection: Connection): void
  onBroken(connection: Connection, broken: Broken): void
}

/**
 * One session. Statements are pipelined: each is written at once and answered in order. Only the oldest unanswered
 * statement can be late, so one timer watches it; when it is late the connection is destroyed, never reused,
 * because its session may still be at work. Whatever was sent and not answered then has an unknown outcome.
 */
export class Connection {
  readonly #client: Client
  readonly #clock: Clock
  readonly #pending: Pending[] = []
  readonly #onBroken = new Set<(broken: Broken) => void>()
  readonly #prepared: Prepared = { columns: new Map<string, Columns>(), decoderOf }
  #headSince = 0
  #alarm: Timer | undefined
  #alarmAt = 0
  #broken: Broken | undefined
  #isStale = false
  watcher: ConnectionWatcher | undefined
  /** How long the server may be silent about one statement. 0: for ever. */
  limitMs = 0

  constructor(client: Client, clock: Clock) {
    this.#client = client
    this.#clock = clock
    client.on('error', (error) => this.#break(new Broken('lost', errorMessage(error), error)))
    client.on('end', () => this.#break(new Broken('lost', 'the connection ended')))
  }

  get inFlightCount(): number {
    return this.#pending.length
  }

  get broken(): Broken | undefined {
    return this.#broken
  }

  /** One of its plans no longer fits the tables: it should answer what it was asked and then be replaced. */
  get isStale(): boolean {
    return this.#isStale
  }

  /** Settles as `work` does, or rejects as soon as the connection breaks. Leaves nothing behind on the connection. */
  whileWhole<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#broken !== undefined) reject(this.#broken)
      this.#onBroken.add(reject)
      work.then(resolve, reject).finally(() => this.#onBroken.delete(reject))
    })
  }

  /** Whether the session is outside any transaction, as the server last said. */
  get isOutsideTransaction(): boolean {
    return this.#client.getTransactionStatus() === 'I'
  }

  onNotification(handle: (channel: string, payload: string) => void): void {
    this.#client.on('notification', (message) => handle(message.channel, message.payload ?? ''))
  }

  /** Rejects with the server's own error, or with `Broken`. */
  send(request: Request, limitMs = this.limitMs): Promise<Reply> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken)
    return new Promise<Reply>((resolve, reject) => {
      const pending: Pending = { resolve, reject, limitMs }
      if (this.#pending.push(pending) === 1) this.#watchHead()
      const { name, text, prepareAs, values } = request
      if (prepareAs !== undefined && values !== undefined) {
        const settle = (error: Error | null, reply: Reply): void => this.#settle(pending, name, error, reply)
        this.#client.query(new PreparedQuery({ name: prepareAs, text, values }, this.#prepared, settle))
      } else
        this.#client.query({ text, values } as { text: string }, (error: Error | null, result: QueryResult) =>
          this.#settle(pending, name, error, replyOf(result)),
        )
    })
  }

  /** Everything sent during `write` leaves in one piece. */
  together<T>(write: () => T): T {
    const stream = this.#client.connection.stream
    stream.cork()
    try {
      return write()
    } finally {
      stream.uncork()
    }
  }

  /** Ends the session now, whatever it is doing. */
  destroy(broken: Broken): void {
    this.#break(broken)
  }

  /** Says good-bye when the server has answered everything. */
  async end(): Promise<void> {
    if (this.#broken === undefined) await this.#client.end()
  }

  #settle(pending: Pending, name: string, error: Error | null, reply: Reply): void {
    if (this.#broken !== undefined) return
    const place = this.#pending.indexOf(pending)
    if (place === -1) return
    if (error !== null && endsConnection(error)) {
      this.#break(new Broken('lost', `${errorMessage(error)} at "${name}"`, error))
      return
    }
    this.#pending.splice(place, 1)
    if (place === 0) this.#watchHead()
    if (error === null) pending.resolve(reply)
    else {
      this.#isStale ||= isStalePlan(error)
      pending.reject(error)
    }
    this.watcher?.onReply(this)
  }

  #watchHead(): void {
    const head = this.#pending[0]
    if (head === undefined || head.limitMs === 0) return
    this.#headSince = this.#clock.monotonic()
    // The alarm is not set again for each statement: when it rings it looks how long the present head has waited.
    if (this.#alarm === undefined || this.#alarmAt > this.#headSince + head.limitMs) this.#setAlarm(head.limitMs)
  }

  #setAlarm(delayMs: number): void {
    this.#alarm?.cancel()
    this.#alarmAt = this.#clock.monotonic() + delayMs
    this.#alarm = this.#clock.schedule(delayMs, () => this.#onAlarm())
  }

  #onAlarm(): void {
    this.#alarm = undefined
    const head = this.#pending[0]
    if (head === undefined || head.limitMs === 0) return
    const leftMs = head.limitMs - (this.#clock.monotonic() - this.#headSince)
    if (leftMs > 0) this.#setAlarm(leftMs)
    else this.#break(new Broken('timeout', `no answer for ${head.limitMs} ms`))
  }

  #break(broken: Broken): void {
    if (this.#broken !== undefined) return
    this.#broken = broken
    this.#alarm?.cancel()
    this.#client.connection.stream.destroy()
    for (const pending of this.#pending.splice(0)) pending.reject(broken)
    for (const tell of this.#onBroken) tell(broken)
    this.watcher?.onBroken(this, broken)
  }
}

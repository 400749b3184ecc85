import { type Clock, type Random, sleep, type Timer } from '@lockstep/base'
import { backoffMs } from '../connection/backoff.ts'
import { Broken } from '../connection/broken.ts'
import type { Connection } from '../connection/connection.ts'
import type { Reply, Request } from '../connection/request.ts'
import type { LaneStats } from '../db/db.ts'
import { DatabaseBusy, DatabaseClosed } from '../db/errors.ts'

export interface PoolOptions {
  readonly name: string
  readonly size: number
  readonly acquireTimeoutMs: number
  /** How long a connection may take to open: those who come before there is any wait for it. @default `acquireTimeoutMs` */
  readonly connectTimeoutMs?: number
  readonly clock: Clock
  readonly random: Random
  /** Opens a connection that is ready for use. Throws an error of the catalogue. */
  readonly open: () => Promise<Connection>
  /** Whether a failed opening should reach those who wait at once, instead of being tried again while they wait. */
  readonly isHopeless: (error: unknown) => boolean
}

/** A statement behind this many unanswered ones on every connection waits in our queue, where it can be refused. */
const DEEPEST_PIPELINE = 128
/** How long `close` lets running work finish. */
const CLOSE_PATIENCE_MS = 5_000
const CLOSE_STEP_MS = 5

interface Waiter {
  readonly since: number
  readonly statement: string
  /** Takes the connection when it fits; `false`: this waiter needs an idle one. */
  readonly isExclusive: boolean
  grant(connection: Connection): void
  refuse(error: unknown): void
}

/**
 * The connections of one lane. Single statements share connections and are pipelined; a transaction owns one that has
 * answered everything before. First come, first served: a transaction that finds no idle connection reserves the
 * least busy one, which takes no more statements and is handed over when it has drained.
 */
export class Pool {
  readonly #options: PoolOptions
  readonly #shared = new Set<Connection>()
  readonly #owned = new Set<Connection>()
  readonly #reserved = new Map<Connection, Waiter>()
  readonly #retired = new Set<Connection>()
  readonly #waiting: Waiter[] = []
  #openingCount = 0
  #failureCount = 0
  #lastFailure: unknown
  /** When the first of the connections that are open was there. */
  #servingSince = Number.NEGATIVE_INFINITY
  #retry: Timer | undefined
  #expiry: Timer | undefined
  #closing: Promise<void> | undefined
  #isClosed = false

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Sends one statement over whichever connection is least busy. */
  submit(request: Request): Promise<Reply> {
    if (this.#closing !== undefined) return Promise.reject(new DatabaseClosed({ statement: request.name }))
    const connection = this.#waiting.length === 0 ? this.#leastBusy() : undefined
    if (connection !== undefined) {
      if (connection.inFlightCount > 0) this.#openAnother()
      return connection.send(request)
    }
    return new Promise((resolve, reject) => {
      this.#enqueue({
        since: this.#options.clock.monotonic(),
        statement: request.name,
        isExclusive: false,
        grant: (granted) => resolve(granted.send(request)),
        refuse: reject,
      })
    })
  }

  /** An idle connection for one caller alone, until `release`. */
  acquire(statement: string): Promise<Connection> {
    if (this.#closing !== undefined) return Promise.reject(new DatabaseClosed({ statement }))
    return new Promise((resolve, reject) => {
      this.#enqueue({
        since: this.#options.clock.monotonic(),
        statement,
        isExclusive: true,
        grant: (connection) => {
          this.#owned.add(connection)
          resolve(connection)
        },
        refuse: reject,
      })
    })
  }

  /** Opens a connection now, and throws what kept it from opening. */
  async warm(): Promise<void> {
    this.#openingCount++
    const opening = this.#options.open()
    opening.then(
      (connection) => this.#onOpened(connection),
      (error: unknown) => this.#onOpenFailed(error),
    )
    await opening
  }

  release(connection: Connection): void {
    if (!this.#owned.delete(connection) || connection.broken !== undefined) return
    this.#shared.add(connection)
    this.#onReply(connection)
    this.#pump()
  }

  stats(): LaneStats {
    const open = [...this.#shared, ...this.#owned, ...this.#reserved.keys(), ...this.#retired]
    return {
      name: this.#options.name,
      openCount: open.length,
      ownedCount: this.#owned.size,
      inFlightCount: open.reduce((sum, connection) => sum + connection.inFlightCount, 0),
      waitingCount: this.#waiting.length + this.#reserved.size,
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  get #openCount(): number {
    return this.#shared.size + this.#owned.size + this.#reserved.size + this.#retired.size
  }

  #leastBusy(): Connection | undefined {
    let best: Connection | undefined
    let fewest = DEEPEST_PIPELINE
    for (const connection of this.#shared) {
      if (connection.inFlightCount < fewest) {
        best = connection
        fewest = connection.inFlightCount
        if (fewest === 0) break
      }
    }
    return best
  }

  #enqueue(waiter: Waiter): void {
    this.#waiting.push(waiter)
    this.#pump()
    if (this.#waiting.length > 0) this.#watchExpiry()
  }

  #pump(): void {
    for (let waiter = this.#waiting[0]; waiter !== undefined; waiter = this.#waiting[0]) {
      const connection = this.#leastBusy()
      if (connection === undefined || (waiter.isExclusive && connection.inFlightCount > 0)) {
        this.#openAnother()
        if (connection === undefined || this.#openingCount > 0) return
        this.#reserve(connection, waiter)
        continue
      }
      this.#waiting.shift()
      if (waiter.isExclusive) this.#shared.delete(connection)
      waiter.grant(connection)
    }
  }

  #reserve(connection: Connection, waiter: Waiter): void {
    this.#waiting.shift()
    this.#shared.delete(connection)
    this.#reserved.set(connection, waiter)
    this.#watchExpiry()
  }

  #openAnother(): void {
    if (this.#isClosed || this.#retry !== undefined || this.#openCount + this.#openingCount >= this.#options.size)
      return
    this.warm().catch(() => {})
  }

  #onOpened(connection: Connection): void {
    this.#openingCount--
    this.#failureCount = 0
    this.#lastFailure = undefined
    if (this.#isClosed) {
      connection.destroy(new Broken('lost', 'the database was closed'))
      return
    }
    connection.watcher = {
      onReply: () => this.#onReply(connection),
      onBroken: () => this.#onBroken(connection),
    }
    if (connection.broken === undefined) {
      if (this.#openCount === 0) this.#servingSince = this.#options.clock.monotonic()
      this.#shared.add(connection)
    }
    this.#pump()
    this.#watchExpiryAnew()
  }

  #onOpenFailed(error: unknown): void {
    this.#openingCount--
    this.#lastFailure = error
    if (this.#options.isHopeless(error)) for (const waiter of this.#waiting.splice(0)) waiter.refuse(error)
    this.#watchExpiryAnew()
    if (this.#isClosed || this.#retry !== undefined) return
    const delayMs = backoffMs(this.#failureCount++, this.#options.random)
    this.#retry = this.#options.clock.schedule(delayMs, () => {
      this.#retry = undefined
      this.#pump()
    })
  }

  #onReply(connection: Connection): void {
    if (connection.isStale && this.#shared.delete(connection)) this.#retired.add(connection)
    if (connection.inFlightCount === 0) {
      this.#settleRetired(connection)
      const waiter = this.#reserved.get(connection)
      if (waiter !== undefined) {
        this.#reserved.delete(connection)
        waiter.grant(connection)
      }
    }
    if (this.#waiting.length > 0) this.#pump()
  }

  #settleRetired(connection: Connection): void {
    if (connection.inFlightCount > 0 || !this.#retired.delete(connection)) return
    connection.end().catch(() => {})
    this.#pump()
  }

  #onBroken(connection: Connection): void {
    this.#shared.delete(connection)
    this.#owned.delete(connection)
    this.#retired.delete(connection)
    const waiter = this.#reserved.get(connection)
    if (this.#reserved.delete(connection) && waiter !== undefined) this.#waiting.unshift(waiter)
    if (this.#waiting.length > 0) {
      this.#pump()
      this.#watchExpiry()
    }
  }

  /** Everybody waits equally long, so one timer for whoever came first serves them all. */
  #watchExpiry(): void {
    const first = [...this.#waiting.slice(0, 1), ...this.#reserved.values()]
    if (first.length === 0 || this.#expiry !== undefined) return
    const { clock } = this.#options
    const leftMs = this.#patienceMs() - Math.max(...first.map((waiter) => this.#waitedMs(waiter)))
    this.#expiry = clock.schedule(Math.max(0, leftMs), () => this.#expire(), { keepAlive: true })
  }

  /** What is waited for has changed, and with it how long. */
  #watchExpiryAnew(): void {
    this.#expiry?.cancel()
    this.#expiry = undefined
    if (!this.#isClosed) this.#watchExpiry()
  }

  /** A pool whose first connection is on its way is not busy: a slow server is given the time that a connection may take. */
  #patienceMs(): number {
    const { acquireTimeoutMs, connectTimeoutMs = acquireTimeoutMs } = this.#options
    const isFirstOnItsWay = this.#openingCount > 0 && this.#lastFailure === undefined && this.#openCount === 0
    return isFirstOnItsWay ? Math.max(acquireTimeoutMs, connectTimeoutMs) : acquireTimeoutMs
  }

  /** Whoever came before there was a connection has waited for a free one only since then. */
  #waitedMs(waiter: Waiter): number {
    return this.#options.clock.monotonic() - Math.max(waiter.since, this.#servingSince)
  }

  #expire(): void {
    this.#expiry = undefined
    const { name, size } = this.#options
    const patienceMs = this.#patienceMs()
    const isLate = (waiter: Waiter): boolean => this.#waitedMs(waiter) >= patienceMs
    const late: Waiter[] = []
    for (const [connection, waiter] of this.#reserved) {
      if (!isLate(waiter)) continue
      late.push(waiter)
      this.#reserved.delete(connection)
      this.#shared.add(connection)
    }
    while (this.#waiting[0] !== undefined && isLate(this.#waiting[0])) late.push(...this.#waiting.splice(0, 1))
    for (const waiter of late) {
      waiter.refuse(
        this.#lastFailure ?? new DatabaseBusy({ lane: name, waitedMs: patienceMs, size, openCount: this.#openCount }),
      )
    }
    this.#pump()
    this.#watchExpiry()
  }

  /** What was accepted before is still served; what has not come to its end in time is given up. */
  async #close(): Promise<void> {
    const { clock } = this.#options
    const deadline = clock.monotonic() + CLOSE_PATIENCE_MS
    const isBusy = (): boolean => {
      const { ownedCount, inFlightCount, waitingCount } = this.stats()
      return ownedCount + inFlightCount + waitingCount > 0
    }
    while (isBusy() && clock.monotonic() < deadline) await sleep(clock, CLOSE_STEP_MS)
    this.#isClosed = true
    this.#retry?.cancel()
    this.#expiry?.cancel()
    for (const waiter of [...this.#waiting.splice(0), ...this.#reserved.values()]) {
      waiter.refuse(new DatabaseClosed({ statement: waiter.statement }))
    }
    const rest = [...this.#shared, ...this.#owned, ...this.#reserved.keys(), ...this.#retired]
    await Promise.all(rest.map((connection) => endWithin(clock, connection)))
  }
}

async function endWithin(clock: Clock, connection: Connection): Promise<void> {
  if (connection.inFlightCount === 0) await Promise.race([connection.end(), sleep(clock, CLIENT_GOODBYE_MS)])
  connection.destroy(new Broken('lost', 'the database was closed'))
}

const CLIENT_GOODBYE_MS = 500

/**
 * Which requests are worked on now, which wait for room, and which are refused.
 *
 * There is room for so many at once. Each rank leaves a part of it to the ranks above: starts fill the node up to a
 * point, and resumes and heartbeats still get in. Each rank has a bounded queue of its own, served in order of rank.
 * A queue is judged by the age of its oldest, not only by its length: when that has waited long, work comes in faster
 * than it is done, and who joined now would only be refused later. Such a request is refused at once (429). One that
 * has waited too long is refused too (503); nothing of it was done, so it can be repeated anywhere.
 */
import type { Clock, Timer } from '@lockstep/base'
import { ShuttingDown } from '../problem/request-errors.ts'
import { settling } from '../route/settling.ts'
import { Overloaded, TooManyRequests } from './overload-errors.ts'
import { type OverloadOptions, resolveOverloadOptions } from './overload-options.ts'
import { RANKS, type Rank } from './rank.ts'

/** The room that one request has. */
export interface Room {
  /** Gives the room away while `wait` only waits for something, and takes it again for what follows. */
  rest<T>(wait: () => Promise<T>): Promise<T>
}

interface Waiter {
  readonly since: number
  enter(): void
  refuse(error: Error): void
}

const SHORTEST_RETRY_MS = 1_000

export class Admission {
  readonly #clock: Clock
  readonly #options: Required<OverloadOptions>
  /** How much may be in use for a request of this rank to come in. */
  readonly #limits: Readonly<Record<Rank, number>>
  readonly #queues: Readonly<Record<Rank, Waiter[]>> = { vital: [], resume: [], ordinary: [], start: [] }
  /** Those who have rested: they were let in before, and are not refused now. */
  readonly #returning: (() => void)[] = []
  readonly #room: Room = { rest: (wait) => this.#rest(wait) }
  #inUse = 0
  #closed = false

  constructor(clock: Clock, options: OverloadOptions = {}) {
    this.#clock = clock
    this.#options = resolveOverloadOptions(options)
    const { atOnce, reserved } = this.#options
    const step = Math.ceil(atOnce * reserved)
    const limits = RANKS.map((rank, above) => [rank, Math.max(1, atOnce - above * step)] as const)
    this.#limits = Object.fromEntries(limits) as Record<Rank, number>
  }

  /** Does `work` when there is room for its rank. `gone`: the caller hung up, and needs no place in the queue. */
  run<T>(rank: Rank, gone: () => AbortSignal, work: (room: Room) => Promise<T>): Promise<T>
  run<T>(rank: Rank, gone: () => AbortSignal, work: (room: Room) => T | Promise<T>): T | Promise<T>
  run<T>(rank: Rank, gone: () => AbortSignal, work: (room: Room) => T | Promise<T>): T | Promise<T> {
    if (this.#closed) return Promise.reject(new ShuttingDown({}))
    if (this.#queues[rank].length > 0 || this.#inUse >= this.#limits[rank])
      return this.#queue(rank, gone()).then(() => this.#within(work))
    this.#inUse += 1
    return this.#within(work)
  }

  #within<T>(work: (room: Room) => T | Promise<T>): T | Promise<T> {
    return settling(
      () => work(this.#room),
      () => this.#leave(),
    )
  }

  /** Those who wait for room are told to ask another node. Those who have it go on. */
  close(): void {
    this.#closed = true
    for (const rank of RANKS) for (const waiter of [...this.#queues[rank]]) waiter.refuse(new ShuttingDown({}))
  }

  async #rest<T>(wait: () => Promise<T>): Promise<T> {
    this.#leave()
    try {
      return await wait()
    } finally {
      if (this.#inUse < this.#limits.vital) this.#inUse += 1
      else await new Promise<void>((resolve) => this.#returning.push(resolve))
    }
  }

  async #queue(rank: Rank, gone: AbortSignal): Promise<void> {
    const { queued, turnAwayAfterMs, giveUpAfterMs } = this.#options
    const queue = this.#queues[rank]
    const since = this.#clock.monotonic()
    const age = since - (queue[0]?.since ?? since)
    if (queue.length >= queued || age > turnAwayAfterMs)
      throw new TooManyRequests({ waiting: queue.length, retryAfterMs: Math.max(SHORTEST_RETRY_MS, age) })
    return new Promise((resolve, reject) => {
      let timer: Timer | undefined
      const end = (): void => {
        timer?.cancel()
        gone.removeEventListener('abort', giveUp)
        const place = queue.indexOf(waiter)
        if (place >= 0) queue.splice(place, 1)
      }
      const waiter: Waiter = {
        since,
        enter: () => {
          end()
          resolve()
        },
        refuse: (error) => {
          end()
          reject(error)
        },
      }
      const giveUp = (): void => {
        const waitedMs = Math.round(this.#clock.monotonic() - since)
        waiter.refuse(new Overloaded({ waitedMs, retryAfterMs: Math.max(SHORTEST_RETRY_MS, waitedMs) }))
      }
      queue.push(waiter)
      timer = this.#clock.schedule(giveUpAfterMs, giveUp)
      gone.addEventListener('abort', giveUp, { once: true })
    })
  }

  /** Hands the room to whoever is next; `#inUse` falls only when nobody is. */
  #leave(): void {
    const returning = this.#returning.shift()
    if (returning !== undefined) return returning()
    this.#inUse -= 1
    for (const rank of RANKS) {
      const next = this.#queues[rank][0]
      if (next === undefined) continue
      // Ranks below have less room still.
      if (this.#inUse >= this.#limits[rank]) return
      this.#inUse += 1
      return next.enter()
    }
  }
}

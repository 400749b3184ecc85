import { type Clock, deferred, errorMessage, type Logger, type Random, type Timer } from '@lockstep/base'
import type { Lane } from '../db/db.ts'
import * as sql from './lease.sql.ts'

/** Pause at the end of the names, and between two turns. */
const ROUND_MS = 30_000
const TURN_MS = 100
/** Names looked at in one turn. */
const MOST_NAMES = 1_000
/** Patience and turns of the last round. */
const LAST_ROUND_MS = 500
const MOST_LAST_TURNS = 10
/** How long a free row is kept for whoever takes it again. */
const IDLE_MS = 10_000
/** History kept, over all names. */
const MOST_EVENTS = 100_000

export interface SweeperParts {
  readonly lane: Lane
  readonly namespace: string
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
}

/**
 * Removes what nobody uses any more: rows of names that are free, leases that ended and nobody asked for since, old
 * history, members long gone. Small statements, a round every half minute. Nothing waits for it: whoever asks for a lease
 * that ended settles it by itself.
 */
export class Sweeper {
  readonly #parts: SweeperParts
  #timer: Timer | undefined
  #after = ''
  #isStopped = false
  #stopping: Promise<void> | undefined
  #turn: Promise<void> = Promise.resolve()

  constructor(parts: SweeperParts) {
    this.#parts = parts
    this.#schedule(ROUND_MS)
  }

  /** Leaves no timer, and no free row of its own if the database lets it. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#turn
    const patience = deferred<void>()
    const timer = this.#parts.clock.schedule(LAST_ROUND_MS, patience.resolve)
    await Promise.race([this.#lastRound(), patience.promise])
    timer.cancel()
  }

  async #lastRound(): Promise<void> {
    const { lane, namespace } = this.#parts
    try {
      let after = ''
      for (let turn = 0; turn < MOST_LAST_TURNS && (turn === 0 || after !== ''); turn++)
        after = await sweepOnce(lane, namespace, after, { idleMs: 0 })
    } catch {
      // Another process, or the next one, will come by.
    }
  }

  #schedule(pauseMs: number): void {
    const { clock, random } = this.#parts
    if (this.#isStopped) return
    // Many processes do not come at once.
    this.#timer = clock.schedule(pauseMs * (0.5 + random.next()), () => {
      this.#turn = this.#sweep()
    })
  }

  async #sweep(): Promise<void> {
    const { lane, namespace, logger } = this.#parts
    try {
      this.#after = await sweepOnce(lane, namespace, this.#after)
    } catch (error) {
      this.#after = ''
      logger.debug('sweeping leases failed', { reason: errorMessage(error) })
    }
    this.#schedule(this.#after === '' ? ROUND_MS : TURN_MS)
  }
}

/** Looks at the next names and answers where to go on; empty at the end. */
export async function sweepOnce(
  lane: Lane,
  namespace: string,
  after: string,
  { idleMs = IDLE_MS, events = MOST_EVENTS } = {},
): Promise<string> {
  const { next } = await lane.one(sql.sweep, { namespace, after, limit: MOST_NAMES, idleMs, events })
  return next ?? ''
}

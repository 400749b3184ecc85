/**
 * Where people see what leases and fences do: a browser plays the workers, and every move of theirs is a call of the real toolkit, on one of a
 * few keys below `lab/`. A node keeps nothing between two calls (a lease goes back and forth as its token), so whichever node is asked can
 * answer. What a worker leaves behind ends with its lease, after ten seconds at most. Only `lockstep dev` and `lockstep cluster dev` hand it
 * to their nodes.
 */
import type { Clock } from '@lockstep/base'
import { RateLimited } from '../auth/errors.ts'

/** What the lock protects: it takes a write only under the newest fence that it has seen. */
export interface FencedResource {
  write(name: string, fence: bigint): Promise<FencedWrite>
}

export type FencedWrite =
  | { readonly status: 'written' }
  /** `seen`: the fence of a later holder. */
  | { readonly status: 'refused'; readonly seen: bigint | undefined }

export interface LockLabOptions {
  readonly resource: FencedResource
  /** Whether the node is one for development; a supervisor of such may come and go. */
  readonly isOffered: () => boolean
}

/** Races that can go on beside each other. */
export const LAB_TRACKS = 8
export const LAB_TTL_MS = { least: 500, most: 10_000 } as const
export const LAB_WAIT_MS = 5_000
export const labKey = (track: number): string => `lab/race-${track}`

const WINDOW_MS = 1_000
const MOST_CALLS = 100
/** Five workers on each track. */
const MOST_WAITING = 5 * LAB_TRACKS

export class LockLab {
  readonly resource: FencedResource
  readonly isOffered: () => boolean
  readonly #clock: Clock
  #windowAt = Number.NEGATIVE_INFINITY
  #calls = 0
  #waiting = 0

  constructor({ resource, isOffered }: LockLabOptions, clock: Clock) {
    this.resource = resource
    this.isOffered = isOffered
    this.#clock = clock
  }

  /** Throws `RATE_LIMITED` for what no page of ours does. */
  pass(): void {
    const now = this.#clock.monotonic()
    if (now - this.#windowAt >= WINDOW_MS) [this.#windowAt, this.#calls] = [now, 0]
    this.#calls += 1
    if (this.#calls > MOST_CALLS) throw tooMany(this.#windowAt + WINDOW_MS - now)
  }

  /** As `pass`, around what waits for a lock. */
  async wait<T>(acquire: () => Promise<T>): Promise<T> {
    this.pass()
    if (this.#waiting >= MOST_WAITING) throw tooMany(WINDOW_MS)
    this.#waiting += 1
    try {
      return await acquire()
    } finally {
      this.#waiting -= 1
    }
  }
}

const tooMany = (retryAfterMs: number) => new RateLimited({ what: 'moves in the lock lab', retryAfterMs })

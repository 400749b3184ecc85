import type { Readable } from 'node:stream'
import { RateLimited } from '../auth/errors.ts'
import type { Principal } from '../auth/principal.ts'

/** Each may hold a megabyte that waits for its reader. */
export const MOST_STREAMS = 100
const COME_BACK_MS = 15_000

/** How many streams each principal has open on this node. Where nobody is asked who they are, nobody is counted. */
export class StreamSeats {
  readonly #taken = new Map<string, number>()
  readonly #most: number

  constructor(most: number = MOST_STREAMS) {
    this.#most = most
  }

  /** Opens a stream that is counted until it closes. Throws `RATE_LIMITED` when there are too many already. */
  seat<Stream extends Readable>({ kind, id }: Principal, open: () => Stream): Stream {
    if (kind === 'anonymous') return open()
    const taken = this.#taken.get(id) ?? 0
    if (taken >= this.#most)
      throw new RateLimited({ what: `open streams (${this.#most} at once)`, retryAfterMs: COME_BACK_MS })
    const stream = open()
    this.#taken.set(id, taken + 1)
    stream.once('close', () => this.#leave(id))
    return stream
  }

  #leave(id: string): void {
    const left = this.#taken.get(id)! - 1
    if (left === 0) this.#taken.delete(id)
    else this.#taken.set(id, left)
  }
}

import type { Clock, Timer } from '@lockstep/base'
import type { LiveCursor, LiveFeed } from '@lockstep/engine'
import { EventStream } from './event-stream.ts'
import type { StreamFilter } from './stream-filter.ts'

/** Headers of the request that opened a stream. */
export type StreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Whether whoever sent this may still be told things. Asked with every heartbeat: keys are revoked and sessions end. */
export type StreamGuard = (headers: StreamHeaders) => boolean | Promise<boolean>

export interface LiveStreamsOptions {
  readonly feed: LiveFeed
  readonly clock: Clock
  readonly guard?: StreamGuard | undefined
  /** @default 15_000 */
  readonly heartbeatMs?: number
  /** Bytes that may wait for one reader. @default 1 MiB */
  readonly mostWaiting?: number
}

export interface StreamRequest {
  readonly filter: StreamFilter
  readonly after: LiveCursor | undefined
  readonly once: boolean
  readonly headers: StreamHeaders
}

/** All open streams of this server, with one heartbeat for all of them. */
export class LiveStreams {
  readonly #o: LiveStreamsOptions
  readonly #open = new Map<EventStream, StreamHeaders>()
  #timer: Timer | undefined
  #closed = false

  constructor(options: LiveStreamsOptions) {
    this.#o = options
  }

  get count(): number {
    return this.#open.size
  }

  open({ filter, after, once, headers }: StreamRequest): EventStream {
    const { clock, feed, mostWaiting = 1_048_576 } = this.#o
    const stream = new EventStream({ filter, once, clock, mostWaiting, onClose: (each) => this.#left(each) })
    this.#open.set(stream, headers)
    stream.attach(feed.follow(after, stream))
    if (this.#closed) stream.finish('this node is stopping')
    else this.#timer ??= this.#nextBeat()
    return stream
  }

  /** Lets everybody go: they come again on another node, with the place where they were. */
  close(): void {
    this.#closed = true
    this.#timer?.cancel()
    for (const stream of this.#open.keys()) stream.finish('this node is stopping')
  }

  #left(stream: EventStream): void {
    this.#open.delete(stream)
    if (this.#open.size > 0) return
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #nextBeat(): Timer {
    return this.#o.clock.schedule(this.#o.heartbeatMs ?? 15_000, () => {
      this.#timer = this.#nextBeat()
      for (const [stream, headers] of this.#open) void this.#beat(stream, headers)
    })
  }

  async #beat(stream: EventStream, headers: StreamHeaders): Promise<void> {
    const { guard } = this.#o
    // A guard that cannot tell is no reason to send anybody away: the next beat asks again.
    const mayStay = guard === undefined || (await Promise.resolve(guard(headers)).catch(() => true))
    if (mayStay) stream.beat()
    else stream.finish('no longer allowed')
  }
}

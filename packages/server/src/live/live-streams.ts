import type { Clock, Timer } from '@lockstep/base'
import type { LiveCursor, LiveFeed } from '@lockstep/engine'
import { EventStream } from './event-stream.ts'
import type { StreamFilter } from './stream-filter.ts'

/** Headers of the request that opened a stream. */
export type StreamHeaders = Readonly<Record<string, string | string[] | undefined>>

/** Who opened a stream, and what it tells them. */
export interface StreamReader {
  readonly headers: StreamHeaders
  readonly address: string
  readonly filter: StreamFilter
}

/** Whether whoever opened this may still be told it. Asked with every heartbeat: keys are revoked, sessions end and roles change. */
export type StreamGuard = (reader: StreamReader) => boolean | Promise<boolean>

export interface LiveStreamsOptions {
  readonly feed: LiveFeed
  readonly clock: Clock
  readonly guard?: StreamGuard | undefined
  /** @default 15_000 */
  readonly heartbeatMs?: number
  /** Bytes that may wait for one reader. @default 1 MiB */
  readonly mostWaiting?: number
}

export interface StreamRequest extends StreamReader {
  readonly after: LiveCursor | undefined
  readonly once: boolean
}

/** All open streams of this server, with one heartbeat for all of them. */
export class LiveStreams {
  readonly #o: LiveStreamsOptions
  readonly #open = new Map<EventStream, StreamReader>()
  #timer: Timer | undefined
  #closed = false

  constructor(options: LiveStreamsOptions) {
    this.#o = options
  }

  get count(): number {
    return this.#open.size
  }

  open({ after, once, ...reader }: StreamRequest): EventStream {
    const { clock, feed, mostWaiting = 1_048_576 } = this.#o
    const { filter } = reader
    const stream = new EventStream({ filter, once, clock, mostWaiting, onClose: (each) => this.#left(each) })
    this.#open.set(stream, reader)
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
      for (const [stream, reader] of this.#open) void this.#beat(stream, reader)
    })
  }

  async #beat(stream: EventStream, reader: StreamReader): Promise<void> {
    const { guard } = this.#o
    // A guard that cannot tell is no reason to send anybody away: the next beat asks again.
    const mayStay = guard === undefined || (await Promise.resolve(guard(reader)).catch(() => true))
    if (mayStay) stream.beat()
    else stream.finish('no longer allowed')
  }
}

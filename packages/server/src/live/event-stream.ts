/** One open stream: what its follower hears becomes text, and a reader who does not keep up is let go before he costs memory. */
import { Readable } from 'node:stream'
import type { Clock, Timer } from '@lockstep/base'
import { cursorText, type LiveCursor, type LiveEvent, type LiveFollower, type LiveFollowing } from '@lockstep/engine'
import { blockText, commentText, eventsText, heartbeatText } from './event-text.ts'
import type { StreamFilter } from './stream-filter.ts'

export interface EventStreamOptions {
  readonly filter: StreamFilter
  /** Ends when everything committed before it began was sent. */
  readonly once: boolean
  readonly clock: Clock
  /** Bytes that may wait for a reader who is up to date. */
  readonly mostWaiting: number
  readonly onClose: (stream: EventStream) => void
}

/** What waits above this is taken as a reader who does not keep up; he then reads at his own pace. */
const ROOM = 64 * 1_024
/** For the last words to arrive. */
const LINGER_MS = 30_000

export class EventStream extends Readable implements LiveFollower {
  readonly #o: EventStreamOptions
  #following: LiveFollowing | undefined
  #waiting: (() => void)[] = []
  #taken = true
  #idleBeats = 0
  #isUpToDate = false
  #isEnding = false
  #linger: Timer | undefined

  constructor(options: EventStreamOptions) {
    super({ highWaterMark: ROOM })
    this.#o = options
    this.push('retry: 2000\n\n')
  }

  /** Called once: the feed and the stream know each other from here on. */
  attach(following: LiveFollowing): void {
    this.#following = following
    if (this.#isEnding || this.destroyed) following.close()
  }

  get wantsFacts(): boolean {
    const { topics } = this.#o.filter
    return topics === undefined || topics.has('instances') || topics.has('locks')
  }

  begins(at: LiveCursor, reset: boolean): void {
    const data = { position: cursorText(at), ...(reset && { reason: 'the place to go on from is not kept any more' }) }
    this.#write(blockText(at, reset ? 'reset' : 'ready', data))
  }

  hear(events: readonly LiveEvent[]): void {
    const text = eventsText(events, this.#o.filter)
    if (text !== undefined) this.#write(text)
  }

  caughtUp(): void {
    this.#isUpToDate = true
    if (this.#o.once) this.finish('that is all so far')
  }

  room(): Promise<void> {
    if (this.readableLength < ROOM) return Promise.resolve()
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Says that the line is alive, and notes where it stands. A reader who took nothing between two beats is gone. */
  beat(): void {
    this.#idleBeats = this.#taken ? 0 : this.#idleBeats + 1
    if (this.#idleBeats > 1 && this.readableLength > ROOM) return this.#cut()
    this.#taken = false
    this.#write(heartbeatText(this.#following?.at))
  }

  /** Last words, and the end. */
  finish(comment: string): void {
    if (this.#isEnding || this.destroyed) return
    this.#isEnding = true
    this.#following?.close()
    this.push(commentText(comment))
    this.push(null)
    this.#linger = this.#o.clock.schedule(LINGER_MS, () => this.destroy())
  }

  override _read(): void {
    this.#taken = true
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#linger?.cancel()
    this.#following?.close()
    for (const resolve of this.#waiting) resolve()
    this.#o.onClose(this)
    done(error)
  }

  #write(text: string | Buffer): void {
    if (this.#isEnding || this.destroyed) return
    this.push(text)
    // Before that it is given a page at a time, and asked for room in between.
    if (this.#isUpToDate && this.readableLength > this.#o.mostWaiting) this.#cut()
  }

  #cut(): void {
    this.finish('too slow: come again with Last-Event-ID')
  }
}

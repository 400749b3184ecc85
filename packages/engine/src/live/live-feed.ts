/**
 * Everything that is committed, as it happens, for many followers at once. One reader of the store serves all who are up to date; whoever
 * comes with an older place reads his own way there first. Without followers nothing is read and no timer runs.
 */
import { type Clock, type Logger, sleep, type Timer, Trouble } from '@lockstep/base'
import type { WakeBus } from '../worker/wake-bus.ts'
import { isBehind, type LiveCursor, type LiveEvent } from './live-event.ts'
import type { LivePage, LiveSpan, LiveStore } from './live-store.ts'
import { LiveWakeUps } from './live-wake-ups.ts'

export interface LiveFollower {
  /** Whether it wants facts of instances. Where nobody does they are not read. */
  readonly wantsFacts: boolean
  /** The place from which on it is told everything. `reset`: it is not the one that was asked for, and something may lie between. */
  begins(at: LiveCursor, reset: boolean): void
  /** In the order of commits, each once. The same array for all who are told the same. */
  hear(events: readonly LiveEvent[], next: LiveCursor): void
  /** What was committed before it came has been told. */
  caughtUp(): void
  /** Settles when it can take more; asked while it reads its own way. */
  room(): Promise<void>
}

/** One follower, as the feed knows it. */
export interface LiveFollowing {
  /** Where it stands: everything before was told. `undefined`: it has not begun. */
  readonly at: LiveCursor | undefined
  close(): void
}

export interface LiveFeedOptions {
  readonly store: LiveStore
  readonly bus: WakeBus
  /** Tells this process from the others on the bus. */
  readonly id: string
  readonly clock: Clock
  readonly logger: Logger
  /** How often it is looked for what nobody told of. @default 1_000 */
  readonly pollMs?: number
  /** Events of one read. @default 500 */
  readonly pageSize?: number
}

interface Standing {
  readonly follower: LiveFollower
  cursor: LiveCursor
  over: boolean
}

const NOWHERE: LiveCursor = { pos: 0n, n: 0 }
/** Wake-ups that come within this time are one look. */
const GATHER_MS = 25
/** The same where nobody wants facts: a busy node commits all the time, and hardly ever is there anything else to be found. */
const GATHER_CHANGES_MS = 100
const RETRY_MS = 1_000
/** Followers that read their own way at once; the others wait for their turn. */
const MOST_READING = 4

export class LiveFeed {
  readonly #o: Required<LiveFeedOptions>
  readonly #wakeUps: LiveWakeUps
  readonly #all = new Set<Standing>()
  readonly #upToDate = new Set<Standing>()
  /** Of those who are up to date. */
  #wantingFacts = 0
  readonly #turns: (() => void)[] = []
  #readers = 0
  #tail: LiveCursor | undefined
  #asking: Promise<LiveSpan> | undefined
  #timer: { readonly at: number; readonly timer: Timer } | undefined
  #looking = false
  #again = false

  readonly #trouble: Trouble

  constructor(options: LiveFeedOptions) {
    this.#trouble = new Trouble(options.logger, 'live events could not be read', 'live events are read again')
    this.#o = { pollMs: 1_000, pageSize: 500, ...options }
    this.#wakeUps = new LiveWakeUps({ ...options, onWake: () => this.#wake() })
  }

  get followerCount(): number {
    return this.#all.size
  }

  /** This node has written something. */
  committed(): void {
    this.#wakeUps.committed()
  }

  /** `after` absent: from now on. */
  follow(after: LiveCursor | undefined, follower: LiveFollower): LiveFollowing {
    const standing: Standing = { follower, cursor: after ?? NOWHERE, over: false }
    this.#all.add(standing)
    if (this.#all.size === 1) this.#wakeUps.listen()
    void this.#join(standing, after)
    return {
      get at() {
        return standing.cursor === NOWHERE ? undefined : standing.cursor
      },
      close: () => this.#leave(standing),
    }
  }

  close(): void {
    for (const standing of this.#all) this.#leave(standing)
    this.#wakeUps.close()
  }

  #leave(standing: Standing): void {
    standing.over = true
    this.#all.delete(standing)
    this.#fallBehind(standing)
    if (this.#upToDate.size === 0) this.#rest()
    if (this.#all.size === 0) this.#wakeUps.unlisten()
  }

  async #join(standing: Standing, after: LiveCursor | undefined): Promise<void> {
    if (after === undefined) return this.#joinNow(standing)
    await this.#patiently(standing, async () => {
      const { horizon, oldest } = await this.#span()
      if (standing.over) return
      const reset = isBehind(horizon, after) || isBehind(after, oldest)
      standing.cursor = reset ? horizon : after
      standing.follower.begins(standing.cursor, reset)
    })
    await this.#catchUp(standing)
  }

  /** Who wants nothing of the past needs no reading of his own: he begins where the others are, or where everything is decided. */
  async #joinNow(standing: Standing): Promise<void> {
    const at = this.#tail ?? (await this.#patiently(standing, async () => (await this.#span()).horizon))
    if (at === undefined || standing.over) return
    this.#tail ??= at
    standing.cursor = this.#tail
    standing.follower.begins(standing.cursor, false)
    this.#enter(standing)
    this.#wake()
  }

  /** One question for all who come at once. */
  #span(): Promise<LiveSpan> {
    this.#asking ??= this.#o.store.span().finally(() => {
      this.#asking = undefined
    })
    return this.#asking
  }

  /** From here on it is told with the others. */
  #enter(standing: Standing): void {
    this.#upToDate.add(standing)
    if (standing.follower.wantsFacts) this.#wantingFacts += 1
    standing.follower.caughtUp()
  }

  #fallBehind(standing: Standing): void {
    if (this.#upToDate.delete(standing) && standing.follower.wantsFacts) this.#wantingFacts -= 1
  }

  async #catchUp(standing: Standing): Promise<void> {
    const { follower } = standing
    while (!standing.over) {
      await follower.room()
      const page = await this.#patiently(standing, () =>
        this.#inTurn(async () => (standing.over ? undefined : this.#read(standing.cursor, follower.wantsFacts))),
      )
      if (page === undefined || standing.over) return
      this.#tell(standing, page)
      if (page.more || (this.#tail !== undefined && isBehind(standing.cursor, this.#tail))) continue
      this.#enter(standing)
      if (standing.over) return
      this.#tail ??= standing.cursor
      this.#look()
      return
    }
  }

  /** Tries until it works or nobody wants it any more. */
  async #patiently<T>(standing: Standing, work: () => Promise<T>): Promise<T | undefined> {
    while (!standing.over) {
      try {
        const answer = await work()
        this.#trouble.over()
        return answer
      } catch (error) {
        this.#trouble.failed(error)
        await sleep(this.#o.clock, RETRY_MS)
      }
    }
    return undefined
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#readers >= MOST_READING) await new Promise<void>((resolve) => this.#turns.push(resolve))
    else this.#readers += 1
    try {
      return await work()
    } finally {
      const next = this.#turns.shift()
      if (next === undefined) this.#readers -= 1
      else next()
    }
  }

  #read(after: LiveCursor, withFacts: boolean): Promise<LivePage> {
    return this.#o.store.read(after, this.#o.pageSize, withFacts)
  }

  #tell(standing: Standing, { events, next }: LivePage): void {
    const { cursor } = standing
    const isAhead = events.length > 0 && !isBehind(cursor, events[0]!)
    const unheard = isAhead ? events.filter((event) => isBehind(cursor, event)) : events
    if (isBehind(cursor, next)) standing.cursor = next
    if (unheard.length > 0) standing.follower.hear(unheard, standing.cursor)
  }

  /** One that came while the page was read may want more than is on it. */
  #pass(standing: Standing, page: LivePage, withFacts: boolean): void {
    if (withFacts || !standing.follower.wantsFacts) return this.#tell(standing, page)
    this.#fallBehind(standing)
    void this.#catchUp(standing)
  }

  #wake(): void {
    if (this.#tail !== undefined) this.#lookIn(this.#gatherMs)
  }

  get #gatherMs(): number {
    return this.#wantingFacts > 0 ? GATHER_MS : GATHER_CHANGES_MS
  }

  #lookIn(delayMs: number): void {
    if (this.#looking) {
      this.#again = true
      return
    }
    const at = this.#o.clock.monotonic() + delayMs
    if (this.#timer !== undefined && this.#timer.at <= at) return
    this.#timer?.timer.cancel()
    this.#timer = { at, timer: this.#o.clock.schedule(delayMs, () => this.#look()) }
  }

  #look(): void {
    this.#timer?.timer.cancel()
    this.#timer = undefined
    if (this.#looking) this.#again = true
    else void this.#lookOnce()
  }

  async #lookOnce(): Promise<void> {
    const from = this.#tail
    if (from === undefined) return
    this.#looking = true
    this.#again = false
    let nextMs = this.#o.pollMs
    try {
      const withFacts = this.#wantingFacts > 0
      const page = await this.#read(from, withFacts)
      this.#trouble.over()
      if (this.#tail === from) {
        this.#tail = page.next
        for (const standing of this.#upToDate) this.#pass(standing, page, withFacts)
      }
      if (page.more) nextMs = 0
      else if (this.#again || page.events.length > 0) nextMs = this.#gatherMs
    } catch (error) {
      this.#trouble.failed(error)
      nextMs = RETRY_MS
    }
    this.#looking = false
    if (this.#tail !== undefined) this.#lookIn(nextMs)
  }

  /** Nobody is up to date, so nobody has to stay so. */
  #rest(): void {
    this.#tail = undefined
    this.#timer?.timer.cancel()
    this.#timer = undefined
  }
}

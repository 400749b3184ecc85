/**
 * Asks the agenda for due instances: when somebody says that there may be some, and at a poll in case nobody does, which is quick after
 * something was found and slows down while nothing is. As long as a claim comes back full it asks again at once; it takes no more at a
 * time than its part of a crowd, by the room that the other nodes have. Timers due soon are claimed ahead, so that they can fire from
 * memory, on time.
 */
import { type Clock, errorCode, errorMessage, type Logger, sleep, type Timer, Trouble } from '@lockstep/base'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { AgendaStore, Claim } from '../store/agenda-store.ts'
import type { Taker } from '../store/stimulus-store.ts'

export interface ClaimerOptions {
  readonly nodeId: string
  readonly agenda: Pick<AgendaStore, 'claim' | 'claims'>
  readonly clock: Clock
  readonly logger: Logger
  readonly queues: () => readonly string[]
  /** How far ahead timers are claimed; must be longer than the idle poll. */
  readonly aheadMs: number
  readonly idlePollMs: number
  /** How many more instances this node can take. */
  readonly room: () => number
  /** How many of them may be new. */
  readonly newRoom: () => number
  /** How many the other nodes can take, as far as is known. */
  readonly roomElsewhere: () => number
  /** Whether this node knows that it has claimed the instance. */
  readonly isKnown: (instanceId: string) => boolean
  /** Called whenever the store is looked at: there may be news for instances in hand too. */
  readonly onLook: () => void
  readonly metrics?: EngineMetrics | undefined
  /** Runs what was claimed. When it rejects, claims may be left in the store that nobody here knows of. */
  readonly takeOver: (claims: readonly Claim[]) => Promise<void>
}

const CLAIM_BATCH = 200
/** Of a crowd that is shared with others: fewer at a time would cost more than they bring. */
const LEAST_BATCH = 20
/** The next look after something was found. Each look that finds nothing doubles the pause, up to the idle poll. */
const FIRST_POLL_MS = 150
/** What is only due later is taken in small portions with a pause between them: what is due now must not wait behind it. */
const AHEAD_BATCH = 50
const AHEAD_PAUSE_MS = 10
/** Nearer than this is as good as due. */
const AHEAD_MS = 250
/** Claims that look past dead index entries before the next one that looks at everything. */
const FLOORED_CLAIMS = 20
const FLOOR_MARGIN_MS = 200
/** A claim whose answer was lost may be carried out long after we looked for it: so long it is looked for again, and so often. */
const DOUBT_MS = 60_000
const LOOK_AGAIN_MS = 10_000
const MOST_RIDES = 2
const RIDE_LOOK_MS = 5

export class Claimer {
  readonly #o: ClaimerOptions
  #poll: Timer | undefined
  #claiming = false
  #again = false
  #floorMs: number | undefined
  #flooredClaims = 0
  #aheadOnly = false
  #pollMs: number
  #starved = false
  #unsure = false
  /** Monotonic. */
  #doubtUntil = Number.NEGATIVE_INFINITY
  #lookAgainAt = 0
  /** Claims that ride on other writes and are not in hand yet. */
  #riding = 0
  #stopped = false

  readonly #trouble: Trouble

  constructor(options: ClaimerOptions) {
    this.#o = options
    this.#trouble = new Trouble(options.logger, 'could not claim', 'claims are answered again')
    this.#pollMs = options.idlePollMs
  }

  /** Whether claims may be on their way into hand. */
  get isTaking(): boolean {
    return this.#claiming || this.#riding > 0
  }

  /** Whether the store may hold a claim of this node that nobody here knows of. */
  get isUnsure(): boolean {
    return this.#unsure
  }

  /** There may be something to claim. */
  wake(): void {
    if (this.#stopped) return
    this.#floorMs = undefined
    if (this.#claiming) this.#again = true
    else void this.#claim()
  }

  /**
   * Lets a write that makes instances due claim them in its own transaction, for this node: they begin here at once, without a look. Only where
   * little is going on; a crowd is claimed better together. What `work` is answered with says what it has claimed.
   */
  async ride<T>(
    work: (taker: Taker | undefined) => Promise<T>,
    claimsOf: (answer: T) => readonly Claim[] | undefined,
  ): Promise<T> {
    const queues = this.#o.queues()
    const isFree = !this.#stopped && !this.#claiming && !this.#unsure && this.#riding < MOST_RIDES
    if (!isFree || queues.length === 0 || this.#o.room() <= 0) return work(undefined)
    this.#riding += 1
    let answer: T
    try {
      answer = await work({ nodeId: this.#o.nodeId, queues })
    } catch (error) {
      this.#riding -= 1
      this.doubt()
      this.wake()
      throw error
    }
    void this.#board(claimsOf(answer) ?? [])
    return answer
  }

  async #board(claims: readonly Claim[]): Promise<void> {
    try {
      if (claims.length > 0) await this.#o.takeOver(claims)
    } catch (error) {
      this.#o.logger.warn('could not take over', { code: errorCode(error), reason: errorMessage(error) })
      this.doubt()
      this.wake()
    } finally {
      this.#riding -= 1
    }
  }

  /** Where there was more to claim than room for it, it is claimed now. */
  roomMade(): void {
    if (!this.#starved) return
    this.#starved = false
    this.wake()
  }

  /** The store may hold a claim of this node that nobody here knows of. */
  doubt(): void {
    this.#unsure = true
    this.#doubtUntil = this.#o.clock.monotonic() + DOUBT_MS
  }

  /** All claims in the store were looked at. */
  trust(): void {
    this.#unsure = false
  }

  stop(): void {
    this.#stopped = true
    this.#poll?.cancel()
  }

  async #claim(): Promise<void> {
    this.#claiming = true
    this.#poll?.cancel()
    this.#o.onLook()
    let full = false
    try {
      do {
        this.#again = false
        full = await this.#claimOnce()
        if (full && this.#aheadOnly) await sleep(this.#o.clock, AHEAD_PAUSE_MS)
      } while ((full || this.#again) && !this.#stopped)
      this.#trouble.over()
    } catch (error) {
      this.#trouble.failed(error)
      this.doubt()
    } finally {
      this.#claiming = false
      if (!this.#stopped) this.#poll = this.#o.clock.schedule(this.#pollMs, () => this.wake())
      this.#pollMs = Math.min(2 * this.#pollMs, this.#o.idlePollMs)
    }
  }

  /** `true`: there is probably more, and room for it. */
  async #claimOnce(): Promise<boolean> {
    const { agenda, nodeId, aheadMs } = this.#o
    const room = this.#o.room()
    const limit = Math.min(this.#aheadOnly ? AHEAD_BATCH : shareOf(room, this.#o.roomElsewhere()), room)
    const queues = this.#o.queues()
    if (queues.length === 0) return false
    if (limit <= 0) {
      this.#starved = true
      return false
    }
    if (this.#unsure || this.#isInDoubt()) await this.#recoverClaims()
    const floored = this.#floorMs !== undefined
    // Whatever fails from here on may leave claims in the store that nobody here knows of.
    this.#unsure = true
    const newLimit = Math.min(limit, Math.max(0, this.#o.newRoom()))
    const claims = await agenda.claim({ nodeId, queues, limit, newLimit, aheadMs, floorMs: this.#floorMs })
    // New ones may be left that will be taken when there is room for them.
    if (newLimit < limit && claims.length >= newLimit) this.#starved = true
    const { metrics } = this.#o
    if (metrics !== undefined) for (const { dueInMs } of claims) if (dueInMs <= 0) metrics.claimed(-dueInMs)
    if (claims.length > 0) this.#pollMs = Math.min(FIRST_POLL_MS, this.#o.idlePollMs)
    const full = claims.length >= limit
    this.#aheadOnly = claims.length > 0 && claims.every((claim) => claim.dueInMs > AHEAD_MS)
    this.#moveFloor(claims, full)
    await this.#o.takeOver(claims)
    this.#unsure = false
    // A look above the floor that found little says nothing about what lies below it.
    return full || floored
  }

  #isInDoubt(): boolean {
    const now = this.#o.clock.monotonic()
    return now < this.#doubtUntil && now >= this.#lookAgainAt
  }

  /** Takes over what an earlier claim got although its answer, or the load after it, was lost. */
  async #recoverClaims(): Promise<void> {
    this.#lookAgainAt = this.#o.clock.monotonic() + LOOK_AGAIN_MS
    // What rides is not known here yet, and is no lost claim.
    while (this.#riding > 0) await sleep(this.#o.clock, RIDE_LOOK_MS)
    const claims = await this.#o.agenda.claims(this.#o.nodeId)
    await this.#o.takeOver(claims.filter(({ instanceId }) => !this.#o.isKnown(instanceId)))
  }

  #moveFloor(claims: readonly Claim[], full: boolean): void {
    this.#flooredClaims += 1
    if (!full || this.#flooredClaims >= FLOORED_CLAIMS) {
      this.#floorMs = undefined
      this.#flooredClaims = 0
    } else this.#floorMs = Math.max(0, ...claims.map((claim) => -claim.dueInMs)) + FLOOR_MARGIN_MS
  }
}

/** How much of a crowd to take at a time. */
function shareOf(room: number, elsewhere: number): number {
  return Math.max(LEAST_BATCH, Math.ceil((CLAIM_BATCH * room) / Math.max(1, room + elsewhere)))
}

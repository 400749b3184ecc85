/**
 * Asks the agenda for due instances: when somebody says that there may be some, and at a slow poll in case nobody does. As long as
 * a claim comes back full it asks again at once. Timers due soon are claimed ahead, so that they can fire from memory, on time.
 */
import { type Clock, errorCode, errorMessage, type Logger, sleep, type Timer } from '@lockstep/base'
import type { AgendaStore, Claim } from '../store/agenda-store.ts'

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
  /** Whether this node knows that it has claimed the instance. */
  readonly isKnown: (instanceId: string) => boolean
  /** Runs what was claimed. When it rejects, claims may be left in the store that nobody here knows of. */
  /** Called whenever the store is looked at: there may be news for instances in hand too. */
  readonly onLook: () => void
  readonly takeOver: (claims: readonly Claim[]) => Promise<void>
}

const CLAIM_BATCH = 200
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

export class Claimer {
  readonly #o: ClaimerOptions
  #poll: Timer | undefined
  #claiming = false
  #again = false
  #floorMs: number | undefined
  #flooredClaims = 0
  #aheadOnly = false
  #starved = false
  #unsure = false
  /** Monotonic. */
  #doubtUntil = Number.NEGATIVE_INFINITY
  #lookAgainAt = 0
  #stopped = false

  constructor(options: ClaimerOptions) {
    this.#o = options
  }

  /** There may be something to claim. */
  wake(): void {
    if (this.#stopped) return
    this.#floorMs = undefined
    if (this.#claiming) this.#again = true
    else void this.#claim()
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
    } catch (error) {
      this.#o.logger.warn('could not claim', { code: errorCode(error), reason: errorMessage(error) })
      this.doubt()
    } finally {
      this.#claiming = false
      if (!this.#stopped) this.#poll = this.#o.clock.schedule(this.#o.idlePollMs, () => this.wake())
    }
  }

  /** `true`: there is probably more, and room for it. */
  async #claimOnce(): Promise<boolean> {
    const { agenda, nodeId, aheadMs } = this.#o
    const limit = Math.min(this.#aheadOnly ? AHEAD_BATCH : CLAIM_BATCH, this.#o.room())
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
    const claims = await agenda.claim({ nodeId, queues, limit, aheadMs, floorMs: this.#floorMs })
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

/**
 * Lets in what waits: when an instance of a definition with a queue ends here, when somebody says that something waits, and when something
 * comes due by time. Any node may do it at any time; the store decides. Beneath runs a poll, in case nobody says anything.
 */
import { type Clock, isJsonObject, type Json, type Logger, type Timer, Trouble } from '@lockstep/base'
import { arrivedStart } from './arrived-start.ts'
import { FlowKeyFailed } from './errors.ts'
import type { Arrival, FlowStore, PumpAnswer } from './flow-store.ts'
import type { PolicyCache } from './policy-cache.ts'

export interface FlowPumpOptions {
  readonly store: Pick<FlowStore, 'pump' | 'start'>
  readonly policies: PolicyCache
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
  readonly pollMs: number
  /** There is something to claim. */
  readonly onAdmitted: () => void
  /** Cancels an instance whose place cannot be computed. */
  readonly cancel: (tenant: string, instanceId: string, reason: string) => Promise<unknown>
}

/** When nobody waits. Long: an idle node asks the store little. */
const IDLE_MS = 10_000
/** When somebody waits: ends on other nodes are noticed within this time. */
const WAITING_MS = 500
/** Others are at it: they see what is to be done, or we do a moment later. */
const AGAIN_MS = 25
/** Ends of one moment are one look. */
const GATHER_MS = 2

export class FlowPump {
  readonly #o: FlowPumpOptions
  #waiting: ReadonlySet<string> = new Set()
  #timer: { readonly at: number; readonly timer: Timer } | undefined
  #pumping = false
  #again = false
  #stopped = true
  readonly #trouble: Trouble

  constructor(options: FlowPumpOptions) {
    this.#o = options
    this.#trouble = new Trouble(options.logger, 'could not let waiting starts in', 'waiting starts are let in again')
  }

  run(): void {
    this.#stopped = false
    this.#lookIn(0)
  }

  stop(): void {
    this.#stopped = true
    this.#timer?.timer.cancel()
  }

  /** Something may have come due. */
  wake(): void {
    this.#lookIn(GATHER_MS)
  }

  /** An instance of this definition has ended here: it may have been in somebody's way. */
  ended(tenant: string, definitionId: string): void {
    if (this.#waiting.size > 0 && this.#waiting.has(keyOf(tenant, definitionId))) this.wake()
  }

  /** An instance was told something: where one waits, it may have been that one. */
  stimulated(): void {
    if (this.#waiting.size > 0) this.wake()
  }

  #lookIn(ms: number): void {
    if (this.#stopped) return
    if (this.#pumping) {
      this.#again = true
      return
    }
    const at = this.#o.clock.monotonic() + ms
    if (this.#timer !== undefined && this.#timer.at <= at) return
    this.#timer?.timer.cancel()
    this.#timer = { at, timer: this.#o.clock.schedule(ms, () => void this.#look()) }
  }

  async #look(): Promise<void> {
    this.#timer = undefined
    this.#pumping = true
    this.#again = false
    let nextMs = WAITING_MS
    try {
      nextMs = this.#nextAfter(await this.#pumpOnce())
      this.#trouble.over()
    } catch (error) {
      this.#trouble.failed(error)
    } finally {
      this.#pumping = false
      this.#lookIn(this.#again ? Math.min(nextMs, GATHER_MS) : nextMs)
    }
  }

  async #pumpOnce(): Promise<PumpAnswer> {
    const answer = await this.#o.store.pump(this.#o.nodeId())
    this.#waiting = new Set(answer.waiting.map((each) => keyOf(each.tenant, each.definitionId)))
    for (const arrival of answer.arrived) await this.#place(arrival)
    if (answer.admitted > 0 || answer.arrived.length > 0) this.#o.onAdmitted()
    return answer
  }

  #nextAfter({ more, nextInMs, waiting, arrived }: PumpAnswer): number {
    if (more || arrived.length > 0) return AGAIN_MS
    const poll = waiting.length > 0 ? WAITING_MS : Math.max(IDLE_MS, this.#o.pollMs)
    return nextInMs === undefined ? poll : Math.max(0, Math.min(poll, nextInMs))
  }

  /** Computes the keys of an instance that was made without them. Where that fails, nobody could ever let it in. */
  async #place({ tenant, instanceId, definitionId, queue, data }: Arrival): Promise<void> {
    const { policies, store, nodeId, cancel, logger } = this.#o
    const policy = await policies.learn(tenant, definitionId)
    if (policy === undefined) return // gone since: the next look lets it in
    const input: Json = isJsonObject(data) ? (data.input ?? null) : null
    try {
      const place = { revision: policy.revision, ...(await policy.place(input, undefined)) }
      await store.start(nodeId(), [arrivedStart({ tenant, instanceId, definitionId, queue }, place)])
    } catch (error) {
      if (!FlowKeyFailed.is(error)) throw error
      logger.error('a start is cancelled: its place cannot be computed', { instanceId, reason: error.message })
      await cancel(tenant, instanceId, error.message)
    }
  }
}

const keyOf = (tenant: string, definitionId: string): string => `${tenant}\n${definitionId}`

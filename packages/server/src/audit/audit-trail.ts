/**
 * Who changed what. Entries of one moment leave in one statement. A request that waits for its entry (`written`) pays for that statement; the
 * busy ones (starts, resumes, events, tasks) hand theirs over and go on: it is written within a tenth of a second, and before a clean
 * stop ends. What a process that is killed had not written yet is lost; the journal of the instance has the fact itself.
 */
import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import type { AuditStore, NewAuditEntry } from '@lockstep/engine/ports'

const GATHER_MS = 50
const AGAIN_MS = 1_000
const MOST_AT_ONCE = 500
/** Beyond this the store has been away for long: the oldest ones go to the log instead. */
const MOST_KEPT = 20_000

export interface AuditTrailOptions {
  readonly store: AuditStore
  readonly clock: Clock
  readonly logger: Logger
}

interface Waiting {
  readonly entry: NewAuditEntry
  /** Of a request that waits for it. */
  readonly settled?: () => void
}

export class AuditTrail {
  readonly #o: AuditTrailOptions
  #waiting: Waiting[] = []
  #writing: Promise<boolean> | undefined
  #timer: { cancel(): void } | undefined
  #closed = false

  constructor(options: AuditTrailOptions) {
    this.#o = options
  }

  /** Settles when it is durable, or when the store could not take it: then it is tried again later, and logged. */
  written(entry: NewAuditEntry): Promise<void> {
    return new Promise((settled) => {
      this.#add({ entry, settled })
      void this.#flush()
    })
  }

  /** Written soon. */
  note(entry: NewAuditEntry): void {
    this.#add({ entry })
    this.#later(GATHER_MS)
  }

  /** Writes what waits. */
  async close(): Promise<void> {
    this.#closed = true
    this.#timer?.cancel()
    await this.#writing // a failure of what was under way is no answer to what follows
    while (this.#waiting.length > 0 && (await this.#flush()));
    if (this.#waiting.length > 0) this.#giveUp('audit entries could not be written before the stop', this.#waiting)
  }

  #add(waiting: Waiting): void {
    this.#waiting.push(waiting)
    if (this.#waiting.length <= MOST_KEPT) return
    this.#giveUp(
      'audit entries are given up: the store has been away for too long',
      this.#waiting.splice(0, MOST_KEPT / 10),
    )
  }

  /** The log is the last place that can keep them. */
  #giveUp(message: string, lost: readonly Waiting[]): void {
    this.#o.logger.error(message, { entries: lost.map(({ entry }) => entry) })
  }

  #later(ms: number): void {
    if (this.#timer !== undefined || this.#closed) return
    this.#timer = this.#o.clock.schedule(ms, () => {
      this.#timer = undefined
      void this.#flush()
    })
  }

  /** `false`: the store would not take them. */
  #flush(): Promise<boolean> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      // Some came while the others were being written, and somebody waits for them.
      if (this.#waiting.some(({ settled }) => settled !== undefined)) void this.#flush()
    })
    return this.#writing
  }

  async #write(): Promise<boolean> {
    const batch = this.#waiting.splice(0, MOST_AT_ONCE)
    if (batch.length === 0) return true
    try {
      await this.#o.store.append(batch.map(({ entry }) => entry))
      if (this.#waiting.length > 0) this.#later(0)
      return true
    } catch (error) {
      this.#waiting = [...batch.map(({ entry }) => ({ entry })), ...this.#waiting]
      const reason = errorMessage(error)
      this.#o.logger.warn('audit entries are kept to be tried again', { count: batch.length, reason })
      this.#later(AGAIN_MS)
      return false
    } finally {
      for (const { settled } of batch) settled?.()
    }
  }
}

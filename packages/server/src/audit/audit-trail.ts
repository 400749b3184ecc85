/**
 * Who changed what. Entries of one moment leave in one statement, and those that say the same (the same caller started, a hundred times) are
 * one that tells how many: a busy program would otherwise fill the log with one line. A request that waits for its entry (`written`) pays for that statement; the
 * busy ones (starts, resumes, events, tasks) hand theirs over and go on: it is written within a tenth of a second, and before a clean
 * stop ends, which a store that is away holds up for some seconds and no longer. What a process that is killed had not written yet is lost; the
 * journal of the instance has the fact itself. Strangers who are turned away (no credentials, another site, too often) are
 * counted for a minute: whoever never stops asking fills no disk.
 */
import { type Clock, errorMessage, isRetryable, type Logger, sleep, withTimeout } from '@lockstep/base'
import type { AuditStore, NewAuditEntry } from '@lockstep/engine/ports'

const GATHER_MS = 50
const AGAIN_MS = 1_000
/** A stop tries again sooner, and gives up in the end: what then still waits goes to the log. */
const CLOSE_AGAIN_MS = 100
const LONGEST_CLOSE_MS = 5_000
const TALLY_MS = 60_000
/** Addresses that are told apart in one minute. */
const MOST_TALLIES = 1_000
/** Ids of what came to be that one entry names. */
const MOST_MADE = 200
const MOST_AT_ONCE = 500
/** How often the store may refuse one by itself, while it answers: then that one is what it refuses. */
const MOST_REFUSALS = 3
/** And where it takes nothing else meanwhile, for want of anything or because it refuses all: for some ten minutes. */
const MOST_REFUSALS_IN_ALL = 600
/** Beyond this the store has been away for long: the oldest ones go to the log instead. */
const MOST_KEPT = 20_000
const KEPT = 'audit entries are kept to be tried again'

export interface AuditTrailOptions {
  readonly store: AuditStore
  readonly clock: Clock
  readonly logger: Logger
}

interface Waiting {
  entry: NewAuditEntry
  /** How often it was noted. */
  times: number
  /** Ids of what came to be by it. */
  readonly made: string[]
  /** How often the store would not take it, alone; and how often it had taken others before the first time. */
  refused?: { readonly times: number; readonly taken: number }
  /** Of a request that waits for it. */
  readonly settled?: () => void
}

/** By what two requests say the same, before any of it is made fit to be kept. */
export interface NoteSign {
  readonly principal: object
  readonly tenant: string
  readonly operation: string
  readonly outcome: string
  readonly status: number
  readonly target: string
  readonly address: string
  readonly agent: string
}

export class AuditTrail {
  readonly #o: AuditTrailOptions
  /** The last one that was noted, while it may still be added to. */
  #last: { readonly sign: NoteSign; readonly waiting: Waiting } | undefined
  #waiting: Waiting[] = []
  /** Sent to the store, which has not answered. */
  #sent: readonly Waiting[] = []
  /** Of those that wait, what may still be added to, by all that they say. */
  readonly #noted = new Map<string, Waiting>()
  /** Of strangers who were turned away, by what they tried and from where. */
  readonly #tallies = new Map<string, Waiting>()
  #tallyTimer: { cancel(): void } | undefined
  #writing: Promise<boolean> | undefined
  #timer: { cancel(): void } | undefined
  /** So many are written one at a time: among them is what the store refuses, and the others do not go down with it. */
  #singly = 0
  /** How often the store took something. */
  #taken = 0
  #closed = false

  constructor(options: AuditTrailOptions) {
    this.#o = options
  }

  /** Settles when it is durable, or when the store could not take it: then it is tried again later, and logged. */
  written(entry: NewAuditEntry, made?: string): Promise<void> {
    return new Promise((settled) => {
      this.#add({ entry, times: 1, made: made === undefined ? [] : [made], settled })
      void this.#flush()
    })
  }

  /** Counts what says the same as the last one that was noted: nearly all of a busy program does, and an entry is not even made for it. `false`: it does not. */
  noteAgain(sign: NoteSign, made: string | undefined): boolean {
    if (this.#last === undefined || !isSame(this.#last.sign, sign)) return false
    return countOnce(this.#last.waiting, made)
  }

  /** Written soon. */
  note(entry: NewAuditEntry, made?: string, sign?: NoteSign): void {
    const said = entry.detail === undefined ? allOf(entry) : undefined
    const same = said === undefined ? undefined : this.#noted.get(said)
    if (same !== undefined && countOnce(same, made)) {
      if (sign !== undefined) this.#last = { sign, waiting: same }
      return
    }
    const waiting: Waiting = { entry, times: 1, made: made === undefined ? [] : [made] }
    if (said !== undefined) this.#noted.set(said, waiting)
    if (said !== undefined && sign !== undefined) this.#last = { sign, waiting }
    this.#add(waiting)
    this.#later(GATHER_MS)
  }

  /** Counted, and written once a minute: one line for all that came from one address meanwhile, whatever it called itself. */
  tally(entry: NewAuditEntry): void {
    const own = `${entry.operation}\n${entry.outcome}\n${entry.address}`
    const others = `${entry.operation}\n${entry.outcome}`
    const key = this.#tallies.has(own) || this.#tallies.size < MOST_TALLIES ? own : others
    const same = this.#tallies.get(key)
    if (same !== undefined) countAnyway(same, entry)
    else this.#tallies.set(key, { entry: key === own ? entry : { ...entry, address: 'others' }, times: 1, made: [] })
    if (this.#closed) this.#takeTallies()
    else this.#tallyTimer ??= this.#o.clock.schedule(TALLY_MS, () => this.#takeTallies())
  }

  /** Writes what waits, and tries for some seconds where the store does not take it. */
  async close(): Promise<void> {
    this.#closed = true
    this.#takeTallies()
    this.#timer?.cancel()
    const endsAt = this.#o.clock.monotonic() + LONGEST_CLOSE_MS
    await this.#within(endsAt, this.#writing) // a failure of what was under way is no answer to what follows
    for (let pauseMs = CLOSE_AGAIN_MS; this.#waiting.length > 0; ) {
      if (await this.#within(endsAt, this.#flush())) continue
      const leftMs = endsAt - this.#o.clock.monotonic()
      if (leftMs <= 0) break
      await sleep(this.#o.clock, Math.min(pauseMs, leftMs))
      pauseMs = Math.min(pauseMs * 2, AGAIN_MS)
    }
    const lost = [...this.#sent, ...this.#waiting]
    if (lost.length > 0) this.#giveUp('audit entries could not be written before the stop', lost)
  }

  /** `false`: the store would not take them, or did not say so in time. */
  async #within(endsAt: number, written: Promise<boolean> | undefined): Promise<boolean> {
    if (written === undefined) return true
    const { clock } = this.#o
    return withTimeout(clock, Math.max(0, endsAt - clock.monotonic()), 'the audit log', written).catch(() => false)
  }

  #takeTallies(): void {
    this.#tallyTimer?.cancel()
    this.#tallyTimer = undefined
    for (const each of this.#tallies.values()) this.#add(each)
    this.#tallies.clear()
    this.#later(0)
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
  #giveUp(message: string, lost: readonly Waiting[], reason?: string): void {
    this.#o.logger.error(message, { ...(reason === undefined ? {} : { reason }), entries: lost.map(counted) })
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

  /** `true`: the others can be written at once. */
  #keep(batch: readonly Waiting[], error: unknown): boolean {
    const reason = errorMessage(error)
    const again: Waiting[] = batch.map(({ settled: _, ...each }) => each)
    const [first, ...others] = again
    if (first !== undefined && others.length === 0 && !isRetryable(error)) return this.#refused(first, reason)
    this.#waiting = [...again, ...this.#waiting]
    // One more than they are: the end of this attempt counts as the first of them.
    if (!isRetryable(error) && others.length > 0) this.#singly = again.length + 1
    this.#o.logger.warn(KEPT, { count: batch.length, reason })
    this.#later(AGAIN_MS)
    return false
  }

  /** `true`: there are others. */
  #refused(one: Waiting, reason: string): boolean {
    const { times, taken } = one.refused ?? { times: 0, taken: this.#taken }
    one.refused = { times: times + 1, taken }
    const most = this.#taken > taken ? MOST_REFUSALS : MOST_REFUSALS_IN_ALL
    if (times + 1 >= most) this.#giveUp('an audit entry is given up: the store refuses it', [one], reason)
    else if (this.#singly > 0) this.#waiting.push(one)
    else this.#waiting.unshift(one)
    if (times === 0 && this.#singly === 0) this.#o.logger.warn(KEPT, { count: 1, reason })
    const hasOthers = this.#waiting.length > 1
    this.#later(hasOthers ? 0 : AGAIN_MS)
    return hasOthers
  }

  async #write(): Promise<boolean> {
    const batch = this.#waiting.splice(0, this.#singly > 0 ? 1 : MOST_AT_ONCE)
    this.#noted.clear()
    this.#last = undefined
    if (batch.length === 0) return true
    this.#sent = batch
    try {
      await this.#o.store.append(batch.map(counted))
      this.#taken += 1
      if (this.#waiting.length > 0) this.#later(0)
      return true
    } catch (error) {
      return this.#keep(batch, error)
    } finally {
      this.#singly = Math.max(0, this.#singly - 1)
      this.#sent = []
      for (const { settled } of batch) settled?.()
    }
  }
}

/** What was tried in turn on many things was not tried so often on the first of them. */
function countAnyway(waiting: Waiting, { target }: NewAuditEntry): void {
  waiting.times += 1
  if (waiting.entry.target !== target) waiting.entry = { ...waiting.entry, target: '' }
}

/** `false`: it names as many as it can. */
function countOnce(waiting: Waiting, made: string | undefined): boolean {
  if (waiting.made.length >= MOST_MADE) return false
  waiting.times += 1
  if (made !== undefined) waiting.made.push(made)
  return true
}

const isSame = (a: NoteSign, b: NoteSign): boolean =>
  a.principal === b.principal &&
  a.target === b.target &&
  a.operation === b.operation &&
  a.outcome === b.outcome &&
  a.status === b.status &&
  a.tenant === b.tenant &&
  a.address === b.address &&
  a.agent === b.agent

function counted({ entry, times, made }: Waiting): NewAuditEntry {
  if (times === 1 && made.length === 0) return entry
  const detail = { ...entry.detail, ...(times > 1 && { times }), ...(made.length > 0 && { made }) }
  return { ...entry, detail }
}

/** Everything but when. Two that agree in it are told apart by nobody. */
const allOf = ({
  tenant,
  actorKind,
  actor,
  operation,
  target,
  outcome,
  status,
  address,
  agent,
}: NewAuditEntry): string =>
  `${operation}\n${outcome}\n${status}\n${target}\n${tenant}\n${actorKind}\n${actor}\n${address}\n${agent}`

/**
 * What running steps say of themselves, on its way into the store: the newest word of each, all of a node in one statement, a few times a
 * second at most. Calling it costs next to nothing, so that code may do it in a loop.
 */
import { type Clock, defineError, errorMessage, type Json, type Logger } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import type { ProgressName, ProgressRow, ProgressStore } from '../store/progress-store.ts'
import { toPayload } from './payload.ts'

export const InvalidProgress = defineError(
  'INVALID_PROGRESS',
  { retryable: false },
  (d: { field: string; rule: string }) => `Progress cannot be reported: "${d.field}" must be ${d.rule}`,
)

/** A fraction from 0 to 1, or a count with a note. */
export type Progress = number | { readonly done?: number; readonly total?: number; readonly note?: string }

/** What the code of an attempt may say. */
export interface AttemptReport {
  progress(progress: Progress): void
  /** `details` are handed to the next attempt, should this one fail. */
  heartbeat(details?: unknown): void
}

export const silentReport: AttemptReport = { progress: () => {}, heartbeat: () => {} }

/** The instance of a step. */
type Owner = Pick<ProgressName, 'tenant' | 'instanceId'>

const WRITE_EVERY_MS = 500
const LONGEST_NOTE = 1_000
const MOST_BEATS = 10_000
const MOST_BEAT_BYTES = 65_536

export interface ProgressReportsOptions {
  readonly store: ProgressStore
  readonly clock: Clock
  readonly logger: Logger
}

export class ProgressReports {
  readonly #o: ProgressReportsOptions
  readonly #dirty = new Map<string, ProgressRow>()
  readonly #gone = new Map<string, ProgressName>()
  /** Steps that said something and have not ended, with their last beat. */
  readonly #open = new Map<string, { beat: Json | undefined }>()
  #writing = false
  #scheduled = false
  #writtenAt = Number.NEGATIVE_INFINITY

  constructor(options: ProgressReportsOptions) {
    this.#o = options
  }

  /** `onBeat` is called with each heartbeat, at once. */
  report(owner: Owner, step: StepKey, attempt: number, onBeat: () => void): AttemptReport {
    const say = (word: Partial<ProgressRow>): void => {
      const name = nameOf(owner, step)
      const id = idOf(name)
      const before = this.#dirty.get(id) ?? { ...name, attempt, ...NOTHING }
      this.#dirty.set(id, { ...before, ...word, attempt })
      this.#gone.delete(id)
      if (!this.#open.has(id)) this.#remember(id)
      this.#soon()
    }
    return {
      progress: (progress) => say(checked(progress)),
      heartbeat: (details) => {
        onBeat()
        if (details === undefined) return
        const beat = toPayload(details, 'The details of a heartbeat', MOST_BEAT_BYTES)
        say({ beat })
        this.#open.get(idOf(nameOf(owner, step)))!.beat = beat
      },
    }
  }

  /** What the last heartbeat of an earlier attempt carried, on whichever node it ran. */
  async lastBeat(owner: Owner, step: StepKey): Promise<Json | undefined> {
    const name = nameOf(owner, step)
    const here = this.#open.get(idOf(name))?.beat
    if (here !== undefined) return here
    const [found] = await this.#o.store.beats([name]).catch((error: unknown) => {
      this.#o.logger.warn('last heartbeat not read', { step: name.step, reason: errorMessage(error) })
      return []
    })
    return found?.beat
  }

  /** The step has ended: nobody asks any more how far it is. */
  ended(owner: Owner, step: StepKey): void {
    if (this.#open.size === 0) return
    const name = nameOf(owner, step)
    const id = idOf(name)
    if (!this.#open.delete(id)) return
    this.#dirty.delete(id)
    this.#gone.set(id, name)
    this.#soon()
  }

  /** Writes what is left. */
  async flush(): Promise<void> {
    if (!this.#writing) await this.#write()
  }

  #remember(id: string): void {
    if (this.#open.size >= MOST_BEATS) this.#open.delete(this.#open.keys().next().value!)
    this.#open.set(id, { beat: undefined })
  }

  #soon(): void {
    if (this.#scheduled || this.#writing) return
    this.#scheduled = true
    const inMs = Math.max(0, this.#writtenAt + WRITE_EVERY_MS - this.#o.clock.monotonic())
    this.#o.clock.schedule(inMs, () => {
      this.#scheduled = false
      void this.#write()
    })
  }

  async #write(): Promise<void> {
    this.#writing = true
    this.#writtenAt = this.#o.clock.monotonic()
    const rows = [...this.#dirty.values()]
    const names = [...this.#gone.values()]
    this.#dirty.clear()
    this.#gone.clear()
    try {
      if (rows.length > 0) await this.#o.store.write(rows)
      if (names.length > 0) await this.#o.store.drop(names)
    } catch (error) {
      this.#o.logger.debug('progress not written', { reason: errorMessage(error) })
    } finally {
      this.#writing = false
      if (this.#dirty.size > 0 || this.#gone.size > 0) this.#soon()
    }
  }
}

const NOTHING = { fraction: undefined, done: undefined, total: undefined, note: undefined, beat: undefined }

function checked(progress: Progress): Partial<ProgressRow> {
  if (typeof progress === 'number') {
    if (progress >= 0 && progress <= 1) return { fraction: progress }
    throw new InvalidProgress({ field: 'progress', rule: 'a number from 0 to 1, or { done, total, note }' })
  }
  const { done, total, note } = progress
  if (done !== undefined && !(done >= 0 && Number.isFinite(done)))
    throw new InvalidProgress({ field: 'done', rule: 'a number, not negative' })
  if (total !== undefined && !(total > 0 && Number.isFinite(total)))
    throw new InvalidProgress({ field: 'total', rule: 'a number above 0' })
  if (note !== undefined && typeof note !== 'string') throw new InvalidProgress({ field: 'note', rule: 'a text' })
  return {
    ...(done === undefined ? {} : { done }),
    ...(total === undefined ? {} : { total }),
    ...(done === undefined || total === undefined ? {} : { fraction: Math.min(1, done / total) }),
    ...(note === undefined ? {} : { note: note.replaceAll('\0', '').slice(0, LONGEST_NOTE) }),
  }
}

const nameOf = ({ tenant, instanceId }: Owner, step: StepKey): ProgressName => ({ tenant, instanceId, step })
const idOf = ({ tenant, instanceId, step }: ProgressName): string => `${instanceId} ${tenant} ${step}`

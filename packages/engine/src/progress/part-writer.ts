/**
 * Partial results on their way into the store: what gathers while a write is under way leaves with the next one. Each carries the number
 * that its step gave it, so sending it again changes nothing; it is tried until it is kept, refused, or its attempt is over.
 */
import { type Clock, deferred, errorMessage, isRetryable, type Logger } from '@lockstep/base'
import type { StepKey } from '../journal/fact.ts'
import { toPayload } from '../step/payload.ts'
import { Fenced } from '../store/errors.ts'
import type { NewPart, PartStore, PartVerdict } from '../store/part-store.ts'
import { InvalidPart, TooManyParts } from './errors.ts'

export const MOST_PARTS = 100_000
export const MOST_PART_BYTES = 262_144
const MOST_AT_ONCE = 200
const AGAIN_MS = 250

export interface PartWriterOptions {
  readonly store: PartStore
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
  /** These instances have parts that nobody was told of yet. */
  readonly onKept: (instanceIds: readonly string[]) => void
}

interface Owner {
  readonly tenant: string
  readonly instanceId: string
}

/** What the code of one attempt hands out. */
export interface AttemptParts {
  /** Settles when it is durable. */
  emit(value: unknown, number?: number): Promise<void>
  /** How many parts of the step are kept already, by earlier attempts. */
  emitted(): Promise<number>
  /** All is durable that was handed out; throws the first refusal. From here on nothing more is taken. */
  settled(): Promise<void>
}

interface Entry {
  readonly part: NewPart
  /** The incarnation that the attempt runs in: another one may not speak for it. */
  readonly nodeId: string
  readonly signal: AbortSignal
  resolve(): void
  reject(error: unknown): void
}

export class PartWriter {
  readonly #o: PartWriterOptions
  #queue: Entry[] = []
  #writing = false
  #stopped = false

  constructor(options: PartWriterOptions) {
    this.#o = options
  }

  attempt({ tenant, instanceId }: Owner, step: StepKey, signal: AbortSignal): AttemptParts {
    const nodeId = this.#o.nodeId()
    const pending = new Set<Promise<void>>()
    let [last, isOver, refusal] = [0, false, undefined as { readonly error: unknown } | undefined]
    const emit = async (value: unknown, number: number): Promise<void> => {
      if (isOver) throw new InvalidPart({ step, number, rule: 'its attempt is over' })
      if (!Number.isInteger(number) || number < 1)
        throw new InvalidPart({ step, number, rule: 'numbers are whole and begin at 1' })
      last = number
      const json = JSON.stringify(toPayload(value, `Part ${number} of step "${step}"`, MOST_PART_BYTES))
      const part = { tenant, instanceId, step, stepNumber: number, value: json }
      await this.#keep({ part, nodeId, signal })
    }
    return {
      emit: (value, number = last + 1) => {
        const kept = emit(value, number)
        pending.add(kept)
        const done = (): void => void pending.delete(kept)
        // Whoever does not wait for it learns of a refusal when the step ends.
        kept.then(done, (error: unknown) => {
          refusal ??= { error }
          done()
        })
        return kept
      },
      emitted: () => this.#o.store.count(tenant, instanceId, step),
      settled: async () => {
        isOver = true
        await Promise.allSettled(pending)
        if (refusal !== undefined) throw refusal.error
      },
    }
  }

  /** What has not been kept stays with its attempts, which the node has lost. */
  stop(): void {
    this.#stopped = true
  }

  #keep(entry: Omit<Entry, 'resolve' | 'reject'>): Promise<void> {
    const { promise, resolve, reject } = deferred<void>()
    this.#queue.push({ ...entry, resolve, reject })
    if (!this.#writing) void this.#write()
    return promise
  }

  async #write(): Promise<void> {
    this.#writing = true
    // With what else is handed out in this turn.
    await Promise.resolve()
    while (this.#queue.length > 0 && !this.#stopped) {
      const { nodeId } = this.#queue[0]!
      const batch = this.#queue.filter((entry) => entry.nodeId === nodeId).slice(0, MOST_AT_ONCE)
      const taken = new Set(batch)
      this.#queue = this.#queue.filter((entry) => !taken.has(entry))
      const left = await this.#send(nodeId, batch.sort(byInstance))
      if (left.length === 0) continue
      this.#queue.unshift(...left)
      await new Promise<void>((resolve) => void this.#o.clock.schedule(AGAIN_MS, resolve))
    }
    this.#writing = false
  }

  /** Those that have to be sent again. */
  async #send(nodeId: string, batch: readonly Entry[]): Promise<readonly Entry[]> {
    const { store, logger, onKept } = this.#o
    const wanted = batch.filter((entry) => !entry.signal.aborted)
    for (const entry of batch) if (entry.signal.aborted) entry.reject(entry.signal.reason)
    if (wanted.length === 0) return []
    const parts = wanted.map((entry) => entry.part)
    try {
      const verdicts = await store.add(nodeId, parts, MOST_PARTS)
      for (const [index, entry] of wanted.entries()) settle(entry, verdicts[index]!)
      onKept([...new Set(parts.map((part) => part.instanceId))])
      return []
    } catch (error) {
      if (isRetryable(error) || isUnclear(error)) {
        logger.warn('parts not written yet', { count: wanted.length, reason: errorMessage(error) })
        return wanted
      }
      if (wanted.length === 1 || Fenced.is(error)) {
        for (const entry of wanted) entry.reject(error)
        return []
      }
      // One of them is the reason: the others need not suffer.
      for (const entry of wanted) {
        const left = await this.#send(nodeId, [entry])
        if (left.length > 0) return wanted.slice(wanted.indexOf(entry))
      }
      return []
    }
  }
}

/** The connection was lost on the way: the same numbers again are answered either way. */
const isUnclear = (error: unknown): boolean => (error as { readonly code?: unknown }).code === 'COMMIT_UNKNOWN'

/** One order for all, so that two batches do not wait for each other; those of one instance stay in theirs. */
function byInstance(a: Entry, b: Entry): number {
  const [left, right] = [a.part.instanceId, b.part.instanceId]
  return left < right ? -1 : left > right ? 1 : 0
}

function settle({ part, nodeId, resolve, reject }: Entry, verdict: PartVerdict): void {
  const { step, stepNumber: number } = part
  if (verdict === 'gap') reject(new InvalidPart({ step, number, rule: 'the part before it is not there' }))
  else if (verdict === 'full') reject(new TooManyParts({ step, most: MOST_PARTS }))
  else if (verdict === 'lost') reject(new Fenced({ nodeId }))
  else resolve()
}

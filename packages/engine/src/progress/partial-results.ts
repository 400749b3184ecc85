/** What running steps hand out, for readers on any node: partial results in order, each once, and the newest word on progress. */
import { type Clock, errorMessage, InvalidOption, isRetryable, type Json, type Logger, sleep } from '@lockstep/base'
import { InstanceNotFound } from '../definition/errors.ts'
import { DEFAULT_TENANT } from '../start/start-request.ts'
import type { Part, PartMark, PartPage, PartStore } from '../store/part-store.ts'
import type { ProgressRow, ProgressStore } from '../store/progress-store.ts'
import type { TaskVerdict } from '../store/task-store.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import { InvalidPart, TooManyParts } from './errors.ts'
import { InstanceNews } from './instance-news.ts'
import { MOST_PARTS, PartWriter } from './part-writer.ts'
import { readPage } from './read-page.ts'

export interface PartialResultsOptions {
  readonly parts: PartStore
  readonly progress: ProgressStore
  readonly clock: Clock
  readonly logger: Logger
  readonly bus: WakeBus
  readonly nodeId: () => string
}

export interface ReadPartsOptions {
  readonly tenant?: string
  /** Number of the last part that the reader has. @default 0 */
  readonly after?: number
  /** @default 100 */
  readonly limit?: number
  /** How long to wait for the first one. @default 0 */
  readonly waitMs?: number
  /** Words on progress that are newer than this count too. @default they do not */
  readonly spokeAfter?: number
  readonly signal?: AbortSignal
}

export interface ResultPage extends PartPage {
  /** What running steps say now, when some of it is newer than what was asked for. */
  readonly progress: readonly ProgressNow[]
}

export interface FollowOptions {
  readonly tenant?: string
  /** Number of the last part that the reader has. @default 0 */
  readonly after?: number
  readonly signal?: AbortSignal
}

/** How far a running step has come, as it says. */
export type ProgressNow = ProgressRow & { readonly at: number }

export const MOST_READ = 1_000
const PAGE = 100
const AGAIN_MS = 500
/** Behind every part: only the instance is read. */
const NO_PART = 2_147_483_647
const LONGEST_WAIT_MS = 60_000
/** Of the bus: an instance has handed out parts, or ended behind them. */
export const PART_TOPIC = 'part:'
/** Instances that this node remembers to have handed out something. */
const MOST_REMEMBERED = 10_000

export class PartialResults {
  readonly writer: PartWriter
  readonly #o: PartialResultsOptions
  readonly #news: InstanceNews
  readonly #speaking = new Set<string>()
  #unsubscribe: () => void = () => {}

  constructor(options: PartialResultsOptions) {
    this.#o = options
    const { parts: store, clock, logger, nodeId } = options
    this.#news = new InstanceNews(store, clock)
    this.writer = new PartWriter({ store, clock, logger, nodeId, onKept: (ids) => this.#kept(ids) })
  }

  run(): void {
    this.#unsubscribe = this.#o.bus.subscribe((topic) => {
      if (topic.startsWith(PART_TOPIC)) this.#news.tell(topic.slice(PART_TOPIC.length))
    })
  }

  stop(): void {
    this.#unsubscribe()
    this.writer.stop()
    this.#news.stop()
  }

  /** An instance has ended here. */
  ended(instanceId: string): void {
    this.#news.tell(instanceId)
    if (this.#speaking.delete(instanceId)) this.#o.bus.publish(PART_TOPIC + instanceId)
  }

  /** Something was handed out that did not come through this node's steps. */
  told(instanceId: string): void {
    this.#news.tell(instanceId)
    this.#o.bus.publish(PART_TOPIC + instanceId)
  }

  /** Those of a task, numbered from `from` on; says whether the worker still counts. */
  async addOfTask(
    { tenant, id, leaseNo }: { readonly tenant: string; readonly id: string; readonly leaseNo: number },
    from: number,
    values: readonly Json[],
  ): Promise<TaskVerdict> {
    const step = `task ${id}`
    if (!Number.isInteger(from) || from < 1)
      throw new InvalidPart({ step, number: from, rule: 'numbers are whole and begin at 1' })
    const { verdict, part } = await this.#o.parts.addOfTask(tenant, id, leaseNo, from, values, MOST_PARTS)
    if (part === 'gap') throw new InvalidPart({ step, number: from, rule: 'the part before it is not there' })
    if (part === 'full') throw new TooManyParts({ step, most: MOST_PARTS })
    return verdict
  }

  /** Parts behind `after`, at once when there are any, else when the first one comes, the instance ends or the time is over. */
  async read(instanceId: string, options: ReadPartsOptions = {}): Promise<ResultPage> {
    const { tenant = DEFAULT_TENANT, after = 0, limit = PAGE, waitMs = 0, spokeAfter, signal } = options
    checkRead(after, limit)
    const deadline = this.#o.clock.monotonic() + waitMs
    const isNewWord = (at: number | undefined): boolean => spokeAfter !== undefined && (at ?? spokeAfter) > spokeAfter
    for (;;) {
      const isNews = (mark: PartMark): boolean => mark.ended || mark.last > after || isNewWord(mark.spokeAt)
      using reader = this.#news.add(tenant, instanceId, isNews)
      // Words first: a step that has ended between the two has handed out all that it has to.
      const words = spokeAfter === undefined ? [] : await this.#o.progress.read(tenant, instanceId)
      const page = await readPage(this.#o.parts, tenant, instanceId, after, limit)
      if (page === undefined) throw new InstanceNotFound({ instanceId })
      const progress = words.some((word) => isNewWord(word.at)) ? words : []
      const leftMs = deadline - this.#o.clock.monotonic()
      const isOver = leftMs <= 0 || signal?.aborted === true || this.#news.isStopped
      if (page.parts.length > 0 || progress.length > 0 || page.ended || isOver) return { ...page, progress }
      await reader.told(leftMs, signal)
    }
  }

  /** Every part behind `after`, as it comes, until the instance has ended. */
  async *follow(instanceId: string, { after = 0, ...options }: FollowOptions = {}): AsyncGenerator<Part, void, void> {
    const isWanted = (): boolean => options.signal?.aborted !== true && !this.#news.isStopped
    for (let last = after; isWanted(); ) {
      const page = await this.#patiently(() =>
        this.read(instanceId, { ...options, after: last, waitMs: LONGEST_WAIT_MS, limit: MOST_READ }),
      )
      for (const part of page.parts) {
        if (!isWanted()) return
        yield part
        last = part.number
      }
      if (page.ended) return
    }
  }

  /** What running steps say of their progress: the newest words, whenever there are others, until the instance has ended. */
  async *progress(
    instanceId: string,
    { tenant = DEFAULT_TENANT, signal }: Omit<FollowOptions, 'after'> = {},
  ): AsyncGenerator<readonly ProgressNow[], void, void> {
    for (let spokeAt = 0; signal?.aborted !== true && !this.#news.isStopped; ) {
      const { progress, ended } = await this.#patiently(() =>
        this.read(instanceId, {
          ...{ tenant, after: NO_PART, spokeAfter: spokeAt, waitMs: LONGEST_WAIT_MS },
          ...(signal && { signal }),
        }),
      )
      if (progress.length > 0) yield progress
      spokeAt = Math.max(spokeAt, ...progress.map((word) => word.at))
      if (ended) return
    }
  }

  /** A store that is away for a while ends nobody's reading. */
  async #patiently<T>(read: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await read()
      } catch (error) {
        if (!isRetryable(error) || this.#news.isStopped) throw error
        this.#o.logger.debug('results not read yet', { reason: errorMessage(error) })
        await sleep(this.#o.clock, AGAIN_MS)
      }
    }
  }

  #kept(instanceIds: readonly string[]): void {
    for (const id of instanceIds) {
      if (this.#speaking.size >= MOST_REMEMBERED) this.#speaking.delete(this.#speaking.values().next().value!)
      this.#speaking.add(id)
      this.told(id)
    }
  }
}

function checkRead(after: number, limit: number): void {
  if (!Number.isInteger(after) || after < 0)
    throw new InvalidOption({ option: 'after', rule: 'the number of a part, or 0', value: after })
  if (!Number.isInteger(limit) || limit < 1 || limit > MOST_READ)
    throw new InvalidOption({ option: 'limit', rule: `1 to ${MOST_READ}`, value: limit })
}

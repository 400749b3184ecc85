/**
 * What all nodes of the cluster counted. Each node writes a row when a minute is over and it did something in it, and nothing is lost with the
 * process but what came since. Where the store cannot be reached a minute is left out, and never counted twice: the next row begins where
 * the last try ended, whatever became of that.
 */
import { type Clock, errorMessage, type Logger, type Random, type Timer, withTimeout } from '@lockstep/base'
import {
  type MetricParts,
  type MetricStore,
  OTHER_PARTS,
  type PartsRange,
  partOfDefinition,
} from '@lockstep/engine/ports'
import type { DefinitionCounts } from './definition-counts.ts'
import type { MetricsHistory } from './history.ts'
import { addSums } from './part-sums.ts'
import { runningTotals, type Totals } from './running-totals.ts'
import type { Sampled } from './series-table.ts'
import { type PartTotals, splitTotals } from './split-totals.ts'
import { sumsBetween } from './sums-between.ts'

export interface MetricsReadingsOptions {
  readonly history: Pick<MetricsHistory, 'table' | 'take'>
  readonly definitions: Pick<DefinitionCounts, 'peek' | 'take'>
  readonly store: Pick<MetricStore, 'write' | 'read' | 'readParts'>
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly nodeId: () => string
  /** By the store's clock, milliseconds since 1970. */
  readonly storeTime: () => number
}

export interface WantedReadings {
  readonly rangeMs: number
  readonly slotMs: number
  /** Absent: of all nodes. */
  readonly nodeId: string | undefined
}

export interface WantedParts extends WantedReadings {
  readonly by: PartsRange['by']
  /** So many parts by name. */
  readonly most: number
}

const MINUTE_MS = 60_000
/** After the minute: nodes do not write at the same moment. */
const SPREAD_MS = 5_000
/** A store that does not answer keeps nobody from leaving. */
const LONGEST_STOP_MS = 1_000
/** Six hours of minutes of fifty nodes. What is beyond is left out, the oldest first. */
const MOST_ROWS = 20_000
/** Parts that are read by name: what has not been written yet may change the order of the first few. */
const MOST_PARTS = 20

export class MetricsReadings {
  readonly #o: MetricsReadingsOptions
  #last: Sampled
  /** By the store's clock. */
  #since: number
  #writing: Promise<void> = Promise.resolve()
  #timer: Timer | undefined
  #stopped = false

  constructor(options: MetricsReadingsOptions) {
    this.#o = options
    this.#since = options.storeTime()
    this.#last = { at: this.#since, values: new Float64Array(0) }
  }

  run(): void {
    if (this.#stopped) return
    const { clock, random, storeTime } = this.#o
    const delayMs = MINUTE_MS - (storeTime() % MINUTE_MS) + SPREAD_MS * random.next()
    this.#timer = clock.schedule(delayMs, () => void this.write().finally(() => this.run()))
  }

  /** Writes what is left, so that a node that leaves in order takes nothing along. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#timer?.cancel()
    const { clock } = this.#o
    await withTimeout(clock, LONGEST_STOP_MS, 'the last reading', this.write()).catch(() => undefined)
  }

  /** Never fails. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  /** Readings that cover the range up to now. What other nodes have not written yet is not there. */
  async read({ rangeMs, slotMs, nodeId }: WantedReadings): Promise<Totals> {
    const { store, history, storeTime } = this.#o
    for (;;) {
      await this.#writing
      const [since, last] = [this.#since, this.#last]
      const slots = await store.read({ rangeMs, slotMs, nodeId, limit: MOST_ROWS })
      const now = await history.take()
      // A row was written meanwhile: what it says may be in both, or in none.
      if (this.#last !== last) continue
      const isMine = nodeId === undefined || nodeId === this.#o.nodeId()
      const sums = (isMine ? sumsBetween(history.table, last, now) : undefined) ?? {}
      return runningTotals(slots, { sums, since }, slotMs, storeTime())
    }
  }

  /** The same, part by part. */
  async readParts({ rangeMs, slotMs, nodeId, by, most }: WantedParts): Promise<readonly PartTotals[]> {
    const { store, history, storeTime } = this.#o
    for (;;) {
      await this.#writing
      const [since, last] = [this.#since, this.#last]
      const slots = await store.readParts({ rangeMs, slotMs, nodeId, by, most: MOST_PARTS, limit: MOST_ROWS })
      const now = await history.take()
      if (this.#last !== last) continue
      const tail = this.#unwrittenParts(by, nodeId, now)
      return splitTotals(slots, tail, most, { since, slotMs, now: storeTime() })
    }
  }

  #unwrittenParts(by: PartsRange['by'], nodeId: string | undefined, now: Sampled): MetricParts {
    const mine = this.#o.nodeId()
    if (by.kind === 'node') return { [mine]: sumsBetween(this.#o.history.table, this.#last, now) ?? {} }
    if (nodeId !== undefined && nodeId !== mine) return {}
    return ofTenant(this.#o.definitions.peek(), by.tenant)
  }

  async #write(): Promise<void> {
    const { history, definitions, store, logger, nodeId, storeTime } = this.#o
    try {
      const now = await history.take()
      const sums = sumsBetween(history.table, this.#last, now)
      this.#last = now
      this.#since = storeTime()
      if (sums !== undefined) await store.write(nodeId(), sums, definitions.take())
    } catch (error) {
      logger.debug('a minute of metrics was not kept', { reason: errorMessage(error) })
    }
  }
}

/** Workflows of other tenants are counted, and have no name. */
function ofTenant(parts: MetricParts, tenant: string): MetricParts {
  const isTheirs = (part: string): boolean => part === partOfDefinition(tenant, part.slice(part.lastIndexOf('/') + 1))
  const others = Object.entries(parts).filter(([part]) => !isTheirs(part))
  const named = Object.fromEntries(Object.entries(parts).filter(([part]) => isTheirs(part)))
  return { ...named, [OTHER_PARTS]: others.map(([, sums]) => sums).reduce(addSums, {}) }
}

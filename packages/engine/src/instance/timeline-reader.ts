/** A page of the timeline of an instance, read from its facts in short. Reads, and changes nothing. */
import { InstanceNotFound } from '../definition/errors.ts'
import type { Programs } from '../definition/programs.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import type { AgendaStore } from '../store/agenda-store.ts'
import type { InstanceReader, InstanceView } from '../store/instance-reader.ts'
import type { LiveStep } from './activity-tally.ts'
import { standingOf } from './standing.ts'
import { programOf } from './state-at.ts'
import { emptyTimeline, finishTimeline, type Timeline, tellFact } from './timeline.ts'
import type { GrowingSpan, TimelineSpan } from './timeline-span.ts'

/** Behind the spans that facts up to here told of first. */
export interface TimelinePlace {
  readonly seq: number
  /** Of that fact, this many. */
  readonly n: number
  /** And behind this step, of those under way that no fact tells of. */
  readonly step?: string
}

export interface TimelinePage {
  /** In the order in which the journal tells of them first; then what is under way and told by no fact, by step. */
  readonly spans: readonly TimelineSpan[]
  /** Where to read on. Absent: this is the end. */
  readonly next: TimelinePlace | undefined
}

export interface TimelineRequest {
  readonly after?: TimelinePlace
  readonly limit: number
  readonly tenant?: string
}

export interface TimelineContext {
  readonly instances: Pick<InstanceReader, 'get' | 'outline'>
  readonly agenda: Pick<AgendaStore, 'load'>
  readonly programs: Pick<Programs, 'get'>
}

interface Now {
  readonly seq: number
  readonly live: readonly LiveStep[]
  readonly graph: GraphProgram | undefined
}

const BATCH = 2_000
/** How far behind a page that is full it is looked for the ends of its spans. */
const MOST_AHEAD = 50_000
/** Instances whose place in reading is kept: whoever reads page after page begins none of them at the first fact. */
const MOST_KEPT = 32
/** More would be too much to keep: it is read again. */
const MOST_KEPT_SPANS = 5_000

export class TimelineReader {
  readonly #context: TimelineContext
  readonly #mostAhead: number
  /** The one that was used longest ago first. */
  readonly #kept = new Map<string, Timeline>()

  constructor(context: TimelineContext, mostAhead = MOST_AHEAD) {
    this.#context = context
    this.#mostAhead = mostAhead
  }

  async page(tenant: string, instanceId: string, after: TimelinePlace, limit: number): Promise<TimelinePage> {
    const view = await this.#context.instances.get(tenant, instanceId)
    if (view === undefined) throw new InstanceNotFound({ instanceId })
    const now = await this.#now(view)
    const kept = this.#kept.get(instanceId)
    const from = kept !== undefined && kept.seq < after.seq ? structuredClone(kept) : emptyTimeline(kindOf(now))
    const page = new Page(after, limit)
    const line = await this.#tell(view, now, from, page)
    const atEnd = line.seq >= now.seq
    const underWay = atEnd ? finishTimeline(line, now.live, now.graph) : []
    return page.answer(underWay, atEnd)
  }

  /** Tells facts until the page is full and all of its spans have ended, or there are no more, or it is too far. */
  async #tell(view: InstanceView, now: Now, line: Timeline, page: Page): Promise<Timeline> {
    let fullAt: number | undefined
    while (line.seq < now.seq) {
      if (!page.isFull) this.#keep(view.id, line)
      const rows = await this.#rows(view, line.seq, now.seq)
      for (const row of rows) {
        const then = row.kind === 'rewound' ? await this.#at(view, now, row.toSeq ?? 0) : undefined
        page.add(tellFact(line, row, now.graph, then))
        if (!page.isFull) continue
        fullAt ??= row.seq
        if (page.isEnded || row.seq >= fullAt + this.#mostAhead) return line
      }
      if (rows.length === 0) break
    }
    return line
  }

  /** As it was after one of its facts. */
  async #at(view: InstanceView, now: Now, seq: number): Promise<Timeline> {
    const line = emptyTimeline(kindOf(now))
    while (line.seq < seq) {
      const rows = await this.#rows(view, line.seq, seq)
      for (const row of rows)
        tellFact(line, row, now.graph, row.kind === 'rewound' ? await this.#at(view, now, row.toSeq ?? 0) : undefined)
      if (rows.length === 0) break
    }
    return line
  }

  #rows({ tenant, id }: InstanceView, after: number, upTo: number) {
    return this.#context.instances.outline(tenant, id, after, Math.min(BATCH, upTo - after))
  }

  /** What lives after its newest fact, and which that is. */
  async #now(view: InstanceView): Promise<Now> {
    const { agenda, programs } = this.#context
    const [loaded] = await agenda.load([view.id])
    if (loaded === undefined) throw new InstanceNotFound({ instanceId: view.id })
    const program = await programOf(programs, view, loaded.version)
    const { snapshot, snapshotAt, facts } = loaded
    if (program?.kind !== 'graph') {
      const { waits } = standingOf(program, loaded)
      const live = waits.map(({ step }) => ({ step, activity: step, phase: 'waiting' }))
      return { seq: Math.max(view.revision, facts.at(-1)?.seq ?? 0), live, graph: undefined }
    }
    const last = snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt }
    const state = foldJournal(program.graph, last, facts)
    const live = Object.entries(state.executions).map(([step, { activity, phase }]) => ({ step, activity, phase }))
    return { seq: state.seq, live: state.end === undefined ? live : [], graph: program.graph }
  }

  #keep(instanceId: string, line: Timeline): void {
    this.#kept.delete(instanceId)
    if (line.seq === 0 || line.open.size + line.containers.size > MOST_KEPT_SPANS) return
    this.#kept.set(instanceId, structuredClone(line))
    if (this.#kept.size > MOST_KEPT) this.#kept.delete(this.#kept.keys().next().value!)
  }
}

const kindOf = ({ graph }: Now): 'graph' | 'function' => (graph === undefined ? 'function' : 'graph')

/** The spans behind a place, up to one more than asked for: that one only says that there is more. */
class Page {
  readonly #after: TimelinePlace
  readonly #limit: number
  readonly #spans: GrowingSpan[] = []
  /** So many from the first on have ended. */
  #ended = 0

  constructor(after: TimelinePlace, limit: number) {
    this.#after = after
    this.#limit = limit
  }

  get isFull(): boolean {
    return this.#spans.length > this.#limit
  }

  /** Whether all that it shows has ended. */
  get isEnded(): boolean {
    while (this.#ended < this.#limit && this.#spans[this.#ended]?.endedAt !== undefined) this.#ended += 1
    return this.#ended === this.#limit
  }

  add(spans: readonly GrowingSpan[]): void {
    const { seq, n } = this.#after
    for (const span of spans)
      if (!this.isFull && (span.fromSeq! > seq || (span.fromSeq === seq && span.n >= n))) this.#spans.push(span)
  }

  answer(underWay: readonly GrowingSpan[], atEnd: boolean): TimelinePage {
    const told = this.#spans.slice(0, this.#limit)
    if (!atEnd) for (const span of told) if (span.endedAt === undefined) span.status = 'unknown'
    const last = told.at(-1)
    const place = last === undefined ? this.#after : { seq: last.fromSeq!, n: last.n + 1 }
    if (this.isFull) return { spans: told, next: place }
    const { step: behind } = this.#after
    const waiting = [...underWay]
      .sort((a, b) => (a.step! < b.step! ? -1 : 1))
      .filter(({ step }) => behind === undefined || step! > behind)
    const shown = waiting.slice(0, this.#limit - told.length)
    if (shown.length === waiting.length) return { spans: [...told, ...shown], next: undefined }
    const step = shown.at(-1)?.step ?? behind
    return { spans: [...told, ...shown], next: { ...place, ...(step === undefined ? {} : { step }) } }
  }
}

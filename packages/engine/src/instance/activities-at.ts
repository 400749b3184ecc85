/** What every activity of an instance had done by one of its facts, over the whole journal, however long it is. Reads, and changes nothing. */
import { InstanceNotFound } from '../definition/errors.ts'
import type { Programs } from '../definition/programs.ts'
import { foldJournal } from '../graph/fold-journal.ts'
import type { GraphProgram } from '../graph/graph-program.ts'
import type { AgendaStore } from '../store/agenda-store.ts'
import type { InstanceReader, InstanceView } from '../store/instance-reader.ts'
import { type ActivitySummary, ActivityTally, type LiveStep } from './activity-tally.ts'
import { programOf, stateAt } from './state-at.ts'

export interface ActivitiesAt {
  readonly instanceId: string
  /** The last fact that is part of it. */
  readonly seq: number
  readonly lastSeq: number
  readonly activities: readonly ActivitySummary[]
}

export interface ActivitiesContext {
  readonly instances: Pick<InstanceReader, 'get' | 'journal' | 'outline'>
  readonly agenda: Pick<AgendaStore, 'load'>
  readonly programs: Pick<Programs, 'get'>
}

/** `live` is `undefined` for functions. */
interface Standing {
  readonly seq: number
  readonly live: readonly LiveStep[] | undefined
  readonly graph: GraphProgram | undefined
}

const PAGE = 5_000
/** Instances whose count is kept: whoever watches one has only counted what came since. */
const MOST_KEPT = 32

export class ActivitiesReader {
  readonly #context: ActivitiesContext
  /** The one that was used longest ago first. One that is at work is not in it. */
  readonly #kept = new Map<string, ActivityTally>()

  constructor(context: ActivitiesContext) {
    this.#context = context
  }

  async at(tenant: string, instanceId: string, seq?: number): Promise<ActivitiesAt> {
    const view = await this.#context.instances.get(tenant, instanceId)
    if (view === undefined) throw new InstanceNotFound({ instanceId })
    const standing = await this.#standing(view, seq)
    const kept = this.#kept.get(instanceId)
    this.#kept.delete(instanceId)
    const from = kept !== undefined && kept.seq <= standing.seq ? kept : undefined
    const tally = await this.#count(view, standing, standing.seq, from)
    const activities = tally.summaries(standing.live)
    this.#keep(instanceId, kept !== undefined && from === undefined ? kept : tally)
    return { instanceId, seq: standing.seq, lastSeq: Math.max(view.revision, standing.seq), activities }
  }

  /** As it is now from its snapshot, which costs little; as it was from its first fact on. */
  async #standing(view: InstanceView, seq: number | undefined): Promise<Standing> {
    const { tenant, id, revision } = view
    const { agenda, programs } = this.#context
    if (seq !== undefined && seq < revision) {
      const { steps, version } = await stateAt(this.#context, tenant, id, seq)
      const program = await programOf(programs, view, version)
      return program?.kind === 'graph' ? { seq, live: steps, graph: program.graph } : { ...nowhere, seq }
    }
    const program = await programOf(programs, view, view.version)
    if (program?.kind !== 'graph') return { ...nowhere, seq: revision }
    const [loaded] = await agenda.load([id])
    if (loaded === undefined) throw new InstanceNotFound({ instanceId: id })
    // It was migrated between the two questions.
    if (loaded.version !== view.version) return this.#standing({ ...view, version: loaded.version }, undefined)
    const { snapshot, snapshotAt, facts } = loaded
    const state = foldJournal(
      program.graph,
      snapshotAt === undefined ? undefined : { state: snapshot, at: snapshotAt },
      facts,
    )
    const live = Object.entries(state.executions).map(([step, { activity, phase }]) => ({ step, activity, phase }))
    return { seq: state.seq, live, graph: program.graph }
  }

  async #count(view: InstanceView, standing: Standing, upTo: number, from?: ActivityTally): Promise<ActivityTally> {
    const { tenant, id } = view
    let tally = from ?? new ActivityTally(standing.graph === undefined ? 'function' : 'graph')
    while (tally.seq < upTo) {
      const after = tally.seq
      const rows = await this.#context.instances.outline(tenant, id, after, Math.min(PAGE, upTo - after))
      for (const row of rows) {
        // Taken back: only what had been done by then counts, and what comes now.
        if (row.kind === 'rewound') tally = await this.#count(view, standing, row.toSeq ?? 0)
        tally.fold(row, standing.graph)
      }
      if (tally.seq === after) break
    }
    return tally
  }

  #keep(instanceId: string, tally: ActivityTally): void {
    this.#kept.set(instanceId, tally)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= MOST_KEPT) return
      this.#kept.delete(oldest)
    }
  }
}

const nowhere = { live: undefined, graph: undefined }

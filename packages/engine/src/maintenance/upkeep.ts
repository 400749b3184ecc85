/** What keeps the store in order: old things go, broken things are mended, and one node at a time does it for all. */
import type { Clock, Logger, Random } from '@lockstep/base'
import type { Programs } from '../definition/programs.ts'
import { type DoctorOptions, type DoctorReport, examineStore } from '../doctor/doctor.ts'
import { type ExaminedStore, exactStore } from '../doctor/exact-store.ts'
import { waitsByJournal } from '../doctor/waits-of.ts'
import { Retention } from '../retention/retention.ts'
import { type RetentionOptions, resolveRetention } from '../retention/retention-options.ts'
import type { EngineStore } from '../store/engine-store.ts'
import { repairOrphans, trimSkippedRuns, trimStepRows } from './chores.ts'
import { Maintenance } from './maintenance.ts'

export interface UpkeepContext {
  readonly store: EngineStore
  readonly clock: Clock
  readonly random: Random
  readonly logger: Logger
  readonly locks: ConstructorParameters<typeof Maintenance>[0]['locks']
  readonly retention: RetentionOptions
  readonly pollMs: number
  readonly programs: Programs
  readonly nodeId: () => string
  /** Instances wait for room: upkeep comes after them. */
  readonly isPressed: () => boolean
  /** Something was mended: instances may be due. */
  readonly onRepaired: () => void
}

export class Upkeep {
  readonly retention: Retention
  readonly maintenance: Maintenance
  readonly #c: UpkeepContext
  readonly #examined: ExaminedStore

  constructor(context: UpkeepContext) {
    this.#c = context
    const { store, clock, random, logger, locks, nodeId, isPressed, pollMs, programs, onRepaired } = context
    const options = resolveRetention(context.retention)
    this.retention = new Retention({
      ...{ store, clock, locks, logger: logger.area('retention'), options, pollMs, nodeId, isPressed },
    })
    const chores = logger.area('maintenance')
    this.maintenance = new Maintenance({
      ...{ store: store.maintenance, locks, clock, random, logger: chores, nodeId, isPressed },
    })
    this.#examined = exactStore(store.maintenance, waitsByJournal({ instances: store.instances, programs }))
    this.maintenance.add(trimStepRows(store.steps.limits))
    this.maintenance.add(trimSkippedRuns(store.schedules, options.keep.completed))
    this.maintenance.add(repairOrphans({ store: this.#examined, clock, logger: chores, nodeId, onRepaired }))
  }

  async doctor(options: DoctorOptions): Promise<DoctorReport> {
    const report = await examineStore(this.#examined, this.#c.nodeId(), options)
    if (report.findings.some(({ repaired }) => repaired > 0)) this.#c.onRepaired()
    return report
  }

  async stop(): Promise<void> {
    await Promise.all([this.retention.stop(), this.maintenance.stop()])
  }
}

/** Schedules, jobs and the loop that fires them, put together for one engine. */
import { type Clock, errorMessage, type Logger } from '@lockstep/base'
import type { Election, LeaderInfo } from '@lockstep/coordination'
import type { Programs } from '../definition/programs.ts'
import type { AnyJob } from '../job/job.ts'
import { Jobs, type JobsOptions } from '../job/jobs.ts'
import { registerJobs } from '../job/register-jobs.ts'
import type { EngineMetrics } from '../metrics/engine-metrics.ts'
import type { EngineStore } from '../store/engine-store.ts'
import type { WakeBus } from '../worker/wake-bus.ts'
import { GraphTriggers } from './apply-graph-triggers.ts'
import { InputChecks } from './input-checks.ts'
import { type OfficeChange, SchedulerOffice } from './office.ts'
import { Scheduler } from './scheduler.ts'
import { Schedules } from './schedules.ts'

/**
 * `cluster`: every node takes part. `leader`: one that is elected fires, the others stand by. `off`: only `runDue` and `triggerNow` start
 * runs here. In every mode the store hands out each occurrence once: an election says who does the work, not that it is done once.
 */
export type SchedulerMode = 'cluster' | 'leader' | 'off'

export interface SchedulingOptions {
  readonly store: EngineStore
  readonly programs: Programs
  readonly clock: Clock
  readonly storeTime: () => number
  readonly logger: Logger
  readonly bus: WakeBus
  readonly newId: () => string
  readonly nodeId: () => string
  readonly mode: SchedulerMode
  /** Where this incarnation of the node stands; whoever leads is known by its `meta`. */
  readonly election?: ((nodeId: string) => Election) | undefined
  /** This node was elected, or is not the leader any more. */
  readonly onOffice: (change: OfficeChange) => void
  readonly pollMs: number
  readonly tenant: string
  readonly jobs: readonly AnyJob[]
  readonly start: JobsOptions['start']
  readonly onStarted: () => void
  readonly metrics?: EngineMetrics | undefined
}

/** What nodes tell one another when a schedule has changed. */
const TOPIC = 'schedule'
const IDLE_POLL_MS = 10_000

export class Scheduling {
  readonly schedules: Schedules
  readonly jobs: Jobs
  readonly #o: SchedulingOptions
  readonly #scheduler: Scheduler
  #office: SchedulerOffice | undefined
  #unsubscribe: () => void = () => {}

  constructor(options: SchedulingOptions) {
    this.#o = options
    const { store, clock, newId, nodeId, onStarted } = options
    const logger = options.logger.area('schedule')
    const checks = new InputChecks(store.definitions, options.programs)
    const triggers = new GraphTriggers({
      schedules: store.schedules,
      definitions: store.definitions,
      logger,
      nodeId,
      newId,
    })
    this.#scheduler = new Scheduler({
      schedules: store.schedules,
      checks,
      clock,
      logger,
      newId,
      nodeId,
      onStarted,
      metrics: options.metrics,
      idlePollMs: Math.max(IDLE_POLL_MS, options.pollMs),
      onStale: () => triggers.apply(),
    })
    this.schedules = new Schedules({
      schedules: store.schedules,
      checks,
      storeTime: options.storeTime,
      newId,
      nodeId,
      onStarted,
      onChanged: () => this.changed(),
      onWaiting: (definitionId) => this.#scheduler.watch(definitionId),
      runDue: () => this.#scheduler.runDue(),
    })
    this.jobs = new Jobs({ schedules: this.schedules, start: options.start })
  }

  /** The node has joined: its jobs are written down, then it takes part. */
  async begin(): Promise<void> {
    const { store, tenant, jobs, nodeId, newId, logger, bus, mode } = this.#o
    for (const name of await registerJobs(store.schedules, tenant, nodeId(), jobs, newId))
      logger.error('a job has no schedule: its name is taken by one that a person made', { job: name })
    if (mode === 'off') return
    for (const { document } of jobs) for (const parent of document.dependency?.jobs ?? []) this.#scheduler.watch(parent)
    this.#unsubscribe = bus.subscribe((topic) => {
      if (topic === TOPIC) this.#scheduler.wake()
    })
    this.takePart()
  }

  /** Fires, or stands for election, where its mode says so. Repeating it is harmless. */
  takePart(): void {
    const { mode, election, nodeId, logger, onOffice } = this.#o
    if (mode === 'cluster') this.#scheduler.run()
    if (mode !== 'leader' || election === undefined || this.#office !== undefined) return
    const lead = { begin: () => this.#scheduler.run(), end: () => this.#scheduler.stop() }
    const here = nodeId()
    const stands = { election: () => election(here), lead, onOffice, logger: logger.area('schedule') }
    this.#office = new SchedulerOffice(stands)
  }

  /** This node has another id: it stands for election under that, or nobody could tell that it has died. */
  rejoined(): void {
    if (this.#office === undefined) return
    void this.#office.leave()
    this.#office = undefined
    this.takePart()
  }

  /** A dead leader is followed at once, not when its term has run out. */
  buried(nodeId: string): void {
    const { election, logger } = this.#o
    if (election === undefined) return
    const isDead = ({ meta }: LeaderInfo): boolean =>
      (meta as { readonly nodeId?: unknown } | undefined)?.nodeId === nodeId
    Promise.resolve()
      .then(() => election(this.#o.nodeId()).depose(isDead))
      .catch((error: unknown) => logger.warn('the term of a dead leader runs out', { reason: errorMessage(error) }))
  }

  /** Fires nothing more; a leader resigns. Settles when another may lead. */
  async standAside(): Promise<void> {
    this.#scheduler.stop()
    const office = this.#office
    this.#office = undefined
    await office?.leave()
  }

  async stop(): Promise<void> {
    this.#unsubscribe()
    await this.standAside()
  }

  /** Triggers may have changed: every node looks, not only this one. */
  changed(): void {
    this.#scheduler.wake()
    this.#o.bus.publish(TOPIC)
  }

  /** An instance of this definition has ended here. */
  ended(definitionId: string): void {
    this.#scheduler.ended(definitionId)
  }
}

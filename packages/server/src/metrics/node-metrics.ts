/** Everything one node counts, and how it is told. Names never carry ids: their number stays what it is, however much runs. */
import type { Clock } from '@lockstep/base'
import type { EngineMetrics, MeasuredInstance } from '@lockstep/engine'
import { Registry } from 'prom-client'
import { noteStatement } from '../request/server-timing.ts'
import { Buckets, LONG, SHORT, SIZES } from './buckets.ts'
import { DefinitionCounts } from './definition-counts.ts'
import { each, expose, histogram, one } from './exposition.ts'
import { exposeProcess } from './process-metrics.ts'

const ENDS = ['completed', 'faulted', 'cancelled', 'terminated'] as const

export class NodeMetrics implements EngineMetrics {
  readonly registry = new Registry()
  /** Told by rows of the store only: names in `/metrics` carry no ids. */
  readonly definitions = new DefinitionCounts()
  readonly #clock: Clock
  readonly #ended: Record<string, number> = { completed: 0, faulted: 0, cancelled: 0, terminated: 0 }
  readonly #durations: Readonly<Record<string, Buckets>> = Object.fromEntries(
    ENDS.map((status) => [status, new Buckets(LONG)]),
  )
  readonly #batch = new Buckets(SIZES)
  readonly #commit = new Buckets(SHORT)
  readonly #step = new Buckets(SHORT)
  readonly #queueAge = new Buckets(LONG)
  readonly #lateness = new Buckets(SHORT)
  readonly #query = new Buckets(SHORT)
  readonly #runs = { started: 0, waiting: 0, skipped: 0 }
  #misfires = 0
  #started = 0
  #failedSteps = 0
  #deadlocks = 0
  #lookedAt: number | undefined

  constructor(clock: Clock) {
    this.#clock = clock
    this.#expose()
    exposeProcess(this.registry, clock)
  }

  committed(items: number, starts: number, ms: number): void {
    this.#batch.record(items)
    this.#commit.record(ms / 1_000)
    this.#started += starts
  }

  ended(status: string, ms: number, of: MeasuredInstance): void {
    const durations = this.#durations[status]
    if (durations === undefined) return
    this.definitions.ended(status, ms, of)
    this.#ended[status]! += 1
    durations.record(ms / 1_000)
  }

  stepped(ms: number): void {
    this.#step.record(ms / 1_000)
  }

  stepFailed(): void {
    this.#failedSteps += 1
  }

  claimed(lateMs: number): void {
    this.#queueAge.record(lateMs / 1_000)
  }

  timerFired(lateMs: number): void {
    this.#lateness.record(lateMs / 1_000)
  }

  schedulesFired(started: number, waiting: number, skipped: number, misfires: number): void {
    this.#runs.started += started
    this.#runs.waiting += waiting
    this.#runs.skipped += skipped
    this.#misfires += misfires
  }

  schedulerLooked(): void {
    this.#lookedAt = this.#clock.monotonic()
  }

  /** Of the database. */
  statement(ms: number): void {
    this.#query.record(ms / 1_000)
    noteStatement(ms)
  }

  deadlock(): void {
    this.#deadlocks += 1
  }

  #expose(): void {
    const counter = (name: string, help: string, read: () => number): void =>
      expose(this.registry, 'counter', name, help, () => one(read()))
    const buckets = (name: string, help: string, source: Buckets): void =>
      expose(this.registry, 'histogram', name, help, () => histogram(name, source))
    counter('lockstep_instances_started_total', 'Instances that began on this node.', () => this.#started)
    expose(
      this.registry,
      'counter',
      'lockstep_instances_ended_total',
      'Instances that ended on this node, by how they ended.',
      () => each('status', this.#ended),
    )
    const duration = 'lockstep_instance_duration_seconds'
    expose(this.registry, 'histogram', duration, 'From the making of an instance to its end, by how it ended.', () =>
      ENDS.flatMap((status) => histogram(duration, this.#durations[status]!, { status })),
    )
    buckets(
      'lockstep_step_duration_seconds',
      'How long the code of one step ran: of functions, and of activities that reach outside. What the engine does by itself, such as log or script, does not count.',
      this.#step,
    )
    counter('lockstep_steps_failed_total', 'Attempts of steps that failed.', () => this.#failedSteps)
    buckets('lockstep_queue_age_seconds', 'How long what was due had waited when it was claimed.', this.#queueAge)
    buckets('lockstep_timer_lateness_seconds', 'How late timers in hand fired.', this.#lateness)
    expose(
      this.registry,
      'counter',
      'lockstep_schedule_runs_total',
      'Occurrences of schedules that this node decided about.',
      () => each('state', this.#runs),
    )
    counter(
      'lockstep_schedule_misfires_total',
      'Occurrences that nobody fired in time and that their misfire rule let go.',
      () => this.#misfires,
    )
    expose(
      this.registry,
      'gauge',
      'lockstep_scheduler_heartbeat_age_seconds',
      'Time since the scheduler of this node last looked. Absent where it has none.',
      () => (this.#lookedAt === undefined ? [] : one((this.#clock.monotonic() - this.#lookedAt) / 1_000)),
    )
    buckets('lockstep_commit_batch_size', 'Instances that one commit was for.', this.#batch)
    buckets('lockstep_commit_duration_seconds', 'How long the store took for a commit.', this.#commit)
    buckets(
      'lockstep_database_statement_duration_seconds',
      'From sending a statement to its answer, the wait for a connection included.',
      this.#query,
    )
    counter(
      'lockstep_database_deadlocks_total',
      'Transactions that the database undid because of a deadlock. They are tried again.',
      () => this.#deadlocks,
    )
  }
}

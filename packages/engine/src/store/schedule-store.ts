/** A schedule as it is kept. Instants are milliseconds since 1970 by the store's clock. */
export interface ScheduleRow {
  readonly tenant: string
  readonly id: string
  /** Parsed JSON. */
  readonly document: unknown
  /** Rises with every change of what a person can change, and goes on when it is removed and made again; firing leaves it. */
  readonly revision: number
  /** What its runs are instances of. */
  readonly definitionId: string
  /** Who made it, unless a person did: `job`, or `definition:<id>`. */
  readonly owner: string | undefined
  /** The trigger activity that it stands for, where a definition owns it. */
  readonly activity: string | undefined
  readonly paused: boolean
  /** Nominal instant that comes next; absent: never, or not by time. */
  readonly dueAt: number | undefined
  /** When to decide about it. */
  readonly wakeAt: number | undefined
  readonly lastFiredAt: number | undefined
  /** Schedules of whose runs it hears the ends. */
  readonly after: readonly string[]
  /** What it has gathered of those ends; parsed JSON. */
  readonly round: unknown
}

export interface RunEnd {
  readonly scheduleId: string
  readonly instanceId: string
  readonly status: string
}

/** A schedule that nobody else can decide about until this transaction is over, with all that a decision needs. */
export interface TakenSchedule extends ScheduleRow {
  /** Instances of its runs that have not ended, at most 1,000. Not looked up where the document says `"overlap": "allow"`. */
  readonly running: readonly string[]
  /** Keys of its waiting runs, in the order in which they shall start, at most 1,000. */
  readonly waiting: readonly string[]
  /** First fact of the first of those, parsed JSON. Absent also where it began to wait while this was read. */
  readonly nextStarted: unknown
  /** The published version of the graph that its runs are instances of. Absent: it is a function, or nothing is published. */
  readonly graphVersion: number | undefined
  /** Ends of runs of the schedules in `after`: each is handed out once. */
  readonly ends: readonly RunEnd[]
}

/** `schedule` by its trigger, `request` by a person or program, `backfill`, `after` other runs. */
export type RunOrigin = 'schedule' | 'request' | 'backfill' | 'after'

interface NewRunOf {
  /** Also the id of the instance that it becomes. */
  readonly id: string
  /** One run of a schedule per key, for good; the key is the dedupe key of its instance. */
  readonly key: string
  readonly at: number
  readonly origin: RunOrigin
  readonly late: boolean
  /** JSON text of the instance's first fact. */
  readonly started: string
}

/** Occurrences in a row that did not fire. */
export interface SkippedNewRun {
  readonly kind: 'skip'
  readonly id: string
  readonly key: string
  readonly origin: RunOrigin
  readonly at: number
  readonly lastAt: number
  readonly count: number
  /** `false`: there were more. */
  readonly exact: boolean
  readonly reason: string
}

export type NewRun =
  | (NewRunOf & { readonly kind: 'start' | 'wait' })
  /** A waiting run whose turn it is. */
  | { readonly kind: 'promote'; readonly key: string }
  /** A waiting run that does not start any more. */
  | { readonly kind: 'refuse'; readonly key: string; readonly reason: string }
  | SkippedNewRun

/** What is decided about a schedule that was taken. */
export interface FireWrite {
  readonly tenant: string
  readonly id: string
  readonly dueAt: number | undefined
  readonly wakeAt: number | undefined
  readonly lastFiredAt: number | undefined
  /** JSON text. */
  readonly round: string | undefined
  readonly runs: readonly NewRun[]
  /** Instances to cancel. */
  readonly cancels: readonly string[]
  /** Runs that waited before this decision do not start any more. */
  readonly dropsWaiting: boolean
  /** The version that the inputs of its runs were checked by, and that they are instances of. Absent: the one that is published then. */
  readonly version?: number | undefined
}

export type RunState = 'started' | 'waiting' | 'skipped'

/** What became of a new run. A key that was used before answers what became of it then. */
export interface RunAnswer {
  readonly tenant: string
  readonly scheduleId: string
  readonly key: string
  readonly state: RunState
  readonly reason: string | undefined
  readonly instanceId: string | undefined
  /** `false`: the key was used before. */
  readonly created: boolean
}

export interface ScheduleRun {
  readonly id: string
  readonly key: string
  readonly state: RunState
  readonly reason: string | undefined
  readonly origin: RunOrigin
  readonly nominalAt: number
  readonly lastAt: number | undefined
  readonly count: number
  readonly exact: boolean
  readonly late: boolean
  readonly instanceId: string | undefined
  /** When it was decided; a run that had to wait keeps that moment. */
  readonly decidedAt: number
  readonly firedAt: number | undefined
  readonly nodeId: string
  readonly endedAt: number | undefined
  readonly status: string | undefined
}

export interface NewSchedule {
  /** JSON text. */
  readonly document: string
  readonly definitionId: string
  readonly owner: string | undefined
  readonly activity: string | undefined
  readonly paused: boolean
  readonly after: readonly string[]
}

/** Everything at once: the row as it shall be, and what fires with the change. */
export type ScheduleChange =
  | { readonly kind: 'remove' }
  | { readonly kind: 'write'; readonly save: NewSchedule | undefined; readonly fire: FireWrite }

export interface ScheduleLook {
  /** There is something to decide now. */
  readonly due: boolean
  /** Until the next decision; absent: none is in sight. */
  readonly nextInMs: number | undefined
  /** Runs wait for others to end. */
  readonly waiting: boolean
  /** `staleSources` has something. */
  readonly stale: boolean
}

/** A definition whose published version is not the one that its schedules were made from. */
export interface StaleSource {
  readonly tenant: string
  readonly definitionId: string
  /** Absent: nothing is published. */
  readonly version: number | undefined
}

/**
 * When runs begin. A decision is a pure function that the store calls inside its transaction, between reading and writing: it
 * may be called again, and nothing of it is seen when the transaction fails. So a run and the advance of its schedule are one.
 */
export interface ScheduleStore {
  /** The cheapest question there is. */
  look(): Promise<ScheduleLook>
  /**
   * Takes at most `limit` schedules that are due, or were told of an end, and that nobody else is deciding about; starts the runs
   * that `decide` says and moves the schedules on. Answers how many it took. Throws `FENCED` when the node was buried.
   */
  fire(
    nodeId: string,
    limit: number,
    decide: (taken: readonly TakenSchedule[], now: number) => readonly FireWrite[],
  ): Promise<{ readonly taken: number; readonly runs: readonly RunAnswer[] }>
  /**
   * Decides about one schedule, or the absence of one. `undefined` changes nothing. Answers the row as it is then. `pausedFor` is the
   * owner of a schedule of this id that was removed while it was paused.
   */
  change(
    nodeId: string,
    tenant: string,
    id: string,
    decide: (
      current: TakenSchedule | undefined,
      now: number,
      pausedFor: string | undefined,
    ) => ScheduleChange | undefined,
  ): Promise<{ readonly row: ScheduleRow | undefined; readonly runs: readonly RunAnswer[] }>
  get(tenant: string, id: string): Promise<ScheduleRow | undefined>
  /** By id. */
  list(tenant: string, after: string | undefined, limit: number): Promise<readonly ScheduleRow[]>
  owned(tenant: string, owner: string): Promise<readonly ScheduleRow[]>
  /** Latest decision first; `before` is the id of a run. */
  runs(tenant: string, id: string, before: string | undefined, limit: number): Promise<readonly ScheduleRun[]>
  staleSources(limit: number): Promise<readonly StaleSource[]>
  /** The schedules of this version are in place. */
  sourceApplied(source: StaleSource): Promise<void>
  /** Deletes at most `limit` runs that were skipped `keepMs` ago or earlier, the oldest first; answers how many. Others go with their instances. */
  trimSkipped(keepMs: number, limit: number): Promise<number>
}

/** What an instance is of, as far as it is counted apart. */
export interface MeasuredInstance {
  readonly tenant: string
  readonly definitionId: string
}

/**
 * What an engine counts. Absent, nothing is measured. All of it is called where work is done: an implementation adds numbers up, and neither
 * allocates nor throws.
 */
export interface EngineMetrics {
  /** A batch was committed: how many instances it was for, how many of them began, and how long the store took. */
  committed(items: number, starts: number, ms: number): void
  /** An instance ended here; `ms` since it was made, by its id. */
  ended(status: string, ms: number, of: MeasuredInstance): void
  /** The code of one step ran. */
  stepped(ms: number): void
  /** An attempt of a step has failed, whether another one follows or not. */
  stepFailed(): void
  /** Something due was claimed, `lateMs` after it could have been. */
  claimed(lateMs: number): void
  /** A timer fired, `lateMs` after it was due. */
  timerFired(lateMs: number): void
  /** A round of schedules was decided. `misfires`: occurrences that nobody fired in time and that their policy let go. */
  schedulesFired(started: number, waiting: number, skipped: number, misfires: number): void
  /** The scheduler has looked for what is due. */
  schedulerLooked(): void
}

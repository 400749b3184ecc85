/** Something that one node of the cluster does now and then, for all of them. */
export interface Chore {
  /** Also names its lock, as `maintenance:<name>`. */
  readonly name: string
  /** Time from one round to the next, over all nodes. */
  readonly everyMs: number
  /**
   * One bounded round. It ends early when the signal aborts: the lock was lost, or the node stops. Answers figures for the log; `more`: there
   * is more to do, and the next round may come soon.
   */
  run(signal: AbortSignal): Promise<ChoreReport>
}

export interface ChoreReport {
  readonly more: boolean
  readonly figures: Readonly<Record<string, number>>
}

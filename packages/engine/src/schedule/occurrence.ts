/** How the zone treated the wall time of an occurrence. */
export type DstMark =
  /** Its wall time does not exist; it fires when the gap ends. */
  | 'shifted'
  /** Its wall time exists twice, and this is the first time. */
  | 'first-of-two'
  | 'second-of-two'

/** One nominal firing of a schedule, before jitter. Two of a schedule never share an instant. */
export interface Occurrence {
  readonly at: number
  /** What the schedule asked for; differs from the reading at `at` when shifted. */
  readonly wall: number
  readonly dst?: DstMark
}

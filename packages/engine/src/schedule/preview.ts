import type { Cron } from './cron/cron.ts'
import { nextWallTime } from './cron/next-wall-time.ts'
import { wallInGap } from './next-cron-occurrence.ts'
import { nextOccurrence } from './next-occurrence.ts'
import type { DstMark } from './occurrence.ts'
import { jitteredAt, occurrenceKey } from './occurrence-key.ts'
import type { Schedule } from './schedule.ts'
import { EARLIEST_AT, offsetText, wallText } from './wall-time.ts'
import type { OffsetSpan } from './zone-offsets.ts'

export interface PreviewLine {
  readonly at: number
  /** `at` with its jitter. */
  readonly fireAt: number
  readonly key: string
  /** What the wall clock shows at `at`: `2026-03-29T03:00:00`. */
  readonly wall: string
  /** `+02:00`, at that instant. */
  readonly offset: string
  /** What the schedule asked for, where the wall clock shows something else. */
  readonly nominal?: string
  /** `excluded` and `dropped` lines do not fire; each stands for all of its days or of its clock change. */
  readonly status: 'fires' | 'excluded' | 'dropped'
  /** `in-gap` and `repeated` are dropped by the rules `skip` and `once`. */
  readonly dst?: DstMark | 'in-gap' | 'repeated'
  readonly calendar?: string
}

const MOST_FIRES = 1_000

/** The next `count` fires after `from`, as if not paused, with what does not fire among them and why. */
export function preview(schedule: Schedule, from: number, count: number): readonly PreviewLine[] {
  const lines: PreviewLine[] = []
  const wanted = Math.min(count, MOST_FIRES)
  let fires = 0
  let idle = 0
  let after = Math.max(Math.floor(from), EARLIEST_AT)
  // Calendars may exclude everything from some day on: then the preview ends with what it has.
  while (fires < wanted && idle < wanted + 50) {
    const upcoming = nextOccurrence(schedule, after)
    if (upcoming === undefined) break
    lines.push(...droppedBetween(schedule, after, upcoming.at))
    const { at, wall, dst, excludedBy } = upcoming
    const status = excludedBy === undefined ? 'fires' : 'excluded'
    lines.push({
      ...line(schedule, at, wall),
      status,
      ...(dst === undefined ? {} : { dst }),
      ...(excludedBy === undefined ? { fireAt: jitteredAt(schedule, at) } : { calendar: excludedBy }),
    })
    if (status === 'fires') fires++
    else idle++
    after = upcoming.resumeAfter
  }
  return lines
}

function line(schedule: Schedule, at: number, nominal: number): Omit<PreviewLine, 'status'> {
  const { offsetMs } = schedule.zone.spanAt(at)
  return {
    at,
    fireAt: at,
    key: occurrenceKey(schedule.id, at),
    wall: wallText(at + offsetMs),
    offset: offsetText(offsetMs),
    ...(nominal === at + offsetMs ? {} : { nominal: wallText(nominal) }),
  }
}

/** The first occurrence that each change of the clock in `(after, until]` takes away. */
function* droppedBetween(schedule: Schedule, after: number, until: number): Iterable<PreviewLine> {
  const { trigger, zone } = schedule
  if (trigger.kind !== 'cron') return
  const { cron, dst } = trigger
  for (let span = zone.spanAt(Math.max(after, schedule.startAt - 1)); span.toAt <= until; ) {
    span = zone.spanAt(span.toAt)
    const lost = dst.gap === 'skip' ? wallInGap(cron, span) : undefined
    if (lost !== undefined) yield { ...line(schedule, span.fromAt, lost), status: 'dropped', dst: 'in-gap' }
    const again = dst.fold === 'once' ? repeatedWall(cron, span) : undefined
    if (again !== undefined)
      yield { ...line(schedule, again - span.offsetMs, again), status: 'dropped', dst: 'repeated' }
  }
}

function repeatedWall(cron: Cron, { fromAt, offsetMs, offsetBeforeMs }: OffsetSpan): number | undefined {
  if (offsetMs >= offsetBeforeMs) return undefined
  const wall = nextWallTime(cron, fromAt + offsetMs)
  return wall !== undefined && wall < fromAt + offsetBeforeMs ? wall : undefined
}

import type { Cron } from './cron/cron.ts'
import { nextWallTime } from './cron/next-wall-time.ts'
import type { DstRules } from './dst-rules.ts'
import type { Occurrence } from './occurrence.ts'
import { DAY_MS, LATEST_AT } from './wall-time.ts'
import type { OffsetSpan, ZoneOffsets } from './zone-offsets.ts'

/**
 * Between two changes of its offset a zone is plain arithmetic, so the search goes from span to span: the first matching
 * wall time of a span, if the span lasts that long. All that summer time does happens where a span begins:
 *
 *   gap   the wall clock jumps from `fromAt + before` to `fromAt + offset`. `shift`: a match between fires at `fromAt`.
 *   fold  the wall clock falls back. `once`: the span is searched only from where the clock was before, `fromAt + before`.
 */
export function nextCronOccurrence(
  cron: Cron,
  zone: ZoneOffsets,
  dst: DstRules,
  after: number,
): Occurrence | undefined {
  let at = after + 1
  while (at < LATEST_AT) {
    const span = zone.spanAt(at)
    const { fromAt, toAt, offsetMs, offsetBeforeMs } = span
    const wall = nextWallTime(cron, at + offsetMs)
    if (wall === undefined) return undefined
    if (at === fromAt && dst.gap === 'shift' && wall !== at + offsetMs) {
      const lost = wallInGap(cron, span)
      if (lost !== undefined) return { at, wall: lost, dst: 'shifted' }
    }
    const unseen = fromAt + offsetBeforeMs
    const match = dst.fold === 'once' && wall < unseen ? nextWallTime(cron, unseen)! : wall
    if (match - offsetMs < toAt) return { at: match - offsetMs, wall: match, ...foldMark(zone, span, match) }
    at = nextStart(at, toAt, match - offsetMs)
  }
  return undefined
}

/** The first matching wall time that the change at the start of a span leaves out. */
export function wallInGap(cron: Cron, { fromAt, offsetMs, offsetBeforeMs }: OffsetSpan): number | undefined {
  if (offsetMs <= offsetBeforeMs) return undefined
  const wall = nextWallTime(cron, fromAt + offsetBeforeMs)
  return wall !== undefined && wall < fromAt + offsetMs ? wall : undefined
}

function foldMark(zone: ZoneOffsets, span: OffsetSpan, wall: number): Pick<Occurrence, 'dst'> {
  if (wall < span.fromAt + span.offsetBeforeMs) return { dst: 'second-of-two' }
  // No clock was ever moved by more than a day.
  if (wall - span.offsetMs < span.toAt - DAY_MS) return {}
  return wall >= span.toAt + zone.spanAt(span.toAt).offsetMs ? { dst: 'first-of-two' } : {}
}

/**
 * The next span, or shortly before `expected`, where the wall clock would match if the offset stayed: from `at` till then
 * no wall time matches. Only a fold at the end of this span could show wall times from before `at` again.
 */
function nextStart(at: number, toAt: number, expected: number): number {
  const far = expected > toAt + 3 * DAY_MS && at < toAt - 2 * DAY_MS
  return far ? expected - 2 * DAY_MS : toAt
}

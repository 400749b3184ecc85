export type SkipReason = 'misfire' | 'overlap' | 'calendar' | 'paused'

export interface SkippedOccurrence {
  readonly at: number
  readonly reason: SkipReason
  readonly calendar?: string
}

/** Occurrences in a row that did not fire for one reason. */
export interface SkippedRun {
  readonly reason: SkipReason
  /** Of a reason `calendar`. */
  readonly calendar?: string
  readonly firstAt: number
  readonly lastAt: number
  readonly count: number
  /** `false`: there were more. Long absences are not counted out, and excluded days count by their first occurrence. */
  readonly exact: boolean
}

/** `unlisted` come first in time, with a reason that is the same for all. */
export function skippedRuns(
  skipped: readonly SkippedOccurrence[],
  unlisted: { readonly firstAt: number; readonly lastAt: number } | undefined,
  unlistedReason: SkipReason,
): readonly SkippedRun[] {
  const runs: SkippedRun[] = []
  if (unlisted !== undefined) {
    const one = unlisted.firstAt === unlisted.lastAt
    runs.push({ reason: unlistedReason, ...unlisted, count: one ? 1 : 2, exact: one })
  }
  for (const { at, reason, calendar } of [...skipped].sort((a, b) => a.at - b.at)) {
    const last = runs.at(-1)
    if (last?.reason === reason && last.calendar === calendar)
      runs[runs.length - 1] = { ...last, lastAt: at, count: last.count + 1 }
    else
      runs.push({
        reason,
        ...(calendar === undefined ? {} : { calendar }),
        firstAt: at,
        lastAt: at,
        count: 1,
        exact: reason !== 'calendar',
      })
  }
  return runs
}

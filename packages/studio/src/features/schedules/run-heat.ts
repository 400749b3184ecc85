import type { ScheduleRun } from '../../api/wire.ts'

const DAY_MS = 86_400_000
export const WEEKS = 12
export const DAYS = WEEKS * 7

export interface HeatDay {
  /** Midnight at its beginning, UTC. */
  readonly at: number
  readonly runs: number
  /** Those that came to grief, or were let go. */
  readonly failed: number
  readonly skipped: number
  /** Nothing older was read. */
  readonly isKnown: boolean
}

const BAD = new Set(['faulted', 'quarantined', 'terminated'])

/** The days up to today, oldest first, with what became of the runs of each. `isWhole`: there were no others. */
export function heatOf(runs: readonly ScheduleRun[], isWhole: boolean, now: number): readonly HeatDay[] {
  const today = Math.floor(now / DAY_MS)
  const days = Array.from({ length: DAYS }, () => ({ runs: 0, failed: 0, skipped: 0 }))
  let oldest = today
  for (const run of runs) {
    const when = run.nominalAt ?? run.firedAt
    if (when === null) continue
    const day = Math.floor(Date.parse(when) / DAY_MS)
    oldest = Math.min(oldest, day)
    const found = days[DAYS - 1 - (today - day)]
    if (found === undefined) continue
    if (run.state === 'skipped') found.skipped += run.count
    else found.runs += 1
    if (run.status !== null && BAD.has(run.status)) found.failed += 1
  }
  return days.map((day, index) => {
    const number = today - (DAYS - 1 - index)
    return { ...day, at: number * DAY_MS, isKnown: isWhole || number > oldest || day.runs + day.skipped > 0 }
  })
}

/** 0 to 4: how full a day was, beside the fullest one. */
export function levelOf({ runs }: Pick<HeatDay, 'runs'>, most: number): number {
  return runs === 0 ? 0 : Math.max(1, Math.ceil((runs / Math.max(1, most)) * 4))
}

export function dayText({ at, runs, failed, skipped, isKnown }: HeatDay): string {
  const day = new Date(at).toISOString().slice(0, 10)
  if (!isKnown) return `${day}: not read`
  const parts = [`${runs} ${runs === 1 ? 'run' : 'runs'}`]
  if (failed > 0) parts.push(`${failed} failed`)
  if (skipped > 0) parts.push(`${skipped} skipped`)
  return `${day}: ${parts.join(', ')}`
}

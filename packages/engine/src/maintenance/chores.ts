import { type Clock, groupBy, type Logger, sleep } from '@lockstep/base'
import type { DeadLetterStore } from '../dead-letter/dead-letter-store.ts'
import type { ExaminedStore } from '../doctor/exact-store.ts'
import { AREAS, FINDING_KINDS } from '../doctor/findings.ts'
import { type Keep, keepMs } from '../retention/retention-options.ts'
import type { AuditStore } from '../store/access-store.ts'
import type { LimitStore } from '../store/limit-store.ts'
import type { BrokenRow } from '../store/maintenance-store.ts'
import type { ScheduleStore } from '../store/schedule-store.ts'
import type { Chore } from './chore.ts'

const STEP_ROWS_EVERY_MS = 300_000
const SKIPPED_RUNS_EVERY_MS = 300_000
const AUDIT_EVERY_MS = 900_000
const AUDIT_KEEP = '400d'
const DEAD_LETTERS_EVERY_MS = 900_000
const DEAD_LETTERS_KEEP = '90d'
const UNUSED_MS = 86_400_000
const TRIM_ROWS = 1_000
const ORPHANS_EVERY_MS = 900_000
/** Rows that one round looks at, a page at a time; the next one goes on there. */
const LOOK_AT = 10_000
const PAGE = 500
/** Between two pages: others come first. */
const REST_MS = 50

/** Permits, progress and breakers that nobody has used for a day. */
export const trimStepRows = (limits: Pick<LimitStore, 'trim'>): Chore =>
  trimming('step-rows', STEP_ROWS_EVERY_MS, UNUSED_MS, (olderMs, rows) => limits.trim(olderMs, rows))

/** Occurrences that were skipped have no instance to go with: they stay as long as one that completed would. `undefined`: for ever. */
export const trimSkippedRuns = (schedules: Pick<ScheduleStore, 'trimSkipped'>, olderMs: number | undefined): Chore =>
  trimming('skipped-runs', SKIPPED_RUNS_EVERY_MS, olderMs, (ms, rows) => schedules.trimSkipped(ms, rows))

/** Audit entries beyond their time. */
export const trimAudit = (audit: Pick<AuditStore, 'trim'>, keep: Keep = AUDIT_KEEP): Chore =>
  trimming('audit', AUDIT_EVERY_MS, keepMs(keep), (olderMs, rows) => audit.trim(olderMs, rows))

/** Dead letters beyond their time. */
export const trimDeadLetters = (letters: Pick<DeadLetterStore, 'trim'>, keep: Keep = DEAD_LETTERS_KEEP): Chore =>
  trimming('dead-letters', DEAD_LETTERS_EVERY_MS, keepMs(keep), (olderMs, rows) => letters.trim(olderMs, rows))

/** Deletes what is older, some rows at a time. `undefined`: nothing ever is. */
function trimming(
  name: string,
  everyMs: number,
  olderMs: number | undefined,
  trim: (olderMs: number, rows: number) => Promise<number>,
): Chore {
  return {
    name,
    everyMs,
    run: async () => {
      const rows = olderMs === undefined ? 0 : await trim(olderMs, TRIM_ROWS)
      return { more: rows >= TRIM_ROWS, figures: { rows } }
    },
  }
}

export interface RepairOptions {
  readonly store: ExaminedStore
  readonly clock: Clock
  readonly logger: Logger
  readonly nodeId: () => string
  /** Instances may be due. */
  readonly onRepaired: () => void
}

/** Mends what the doctor can mend without a doubt: claims of nodes that are gone, instances that nothing would move, orphaned rows. */
export function repairOrphans({ store, clock, logger, nodeId, onRepaired }: RepairOptions): Chore {
  let place: { readonly area: number; readonly after: string | undefined } = { area: 0, after: undefined }
  const mend = async (broken: readonly BrokenRow[]): Promise<number> => {
    let mended = 0
    for (const [code, rows] of groupBy(broken, (row) => row.code)) {
      const repaired = FINDING_KINDS[code].repair === undefined ? 0 : await store.repair(nodeId(), code, rows)
      logger.warn('the store was not in order', { code, count: rows.length, repaired })
      mended += repaired
    }
    return mended
  }
  return {
    name: 'orphans',
    everyMs: ORPHANS_EVERY_MS,
    run: async (signal) => {
      const figures = { looked: 0, repaired: 0 }
      while (figures.looked < LOOK_AT && place.area < AREAS.length && !signal.aborted) {
        const { looked, next, broken } = await store.examine(AREAS[place.area]!, place.after, PAGE)
        figures.looked += looked
        figures.repaired += await mend(broken)
        place = next === undefined ? { area: place.area + 1, after: undefined } : { ...place, after: next }
        if (next !== undefined) await sleep(clock, REST_MS, signal).catch(() => undefined)
      }
      const more = place.area < AREAS.length
      if (!more) place = { area: 0, after: undefined }
      if (figures.repaired > 0) onRepaired()
      return { more, figures }
    },
  }
}

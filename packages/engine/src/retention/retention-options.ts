import { InvalidOption, parseDuration } from '@lockstep/base'
import type { KeepTimes, KeptAs } from '../store/maintenance-store.ts'
import type { Archive } from './archive.ts'

/** A duration such as `30d`, milliseconds, or `forever`. */
export type Keep = string | number

export interface RetentionOptions {
  /** Whether this node takes part in sweeping. Rules and holds can be changed either way. @default true */
  readonly sweep?: boolean
  /** How long ended instances stay where no rule says otherwise. @default completed, cancelled, terminated 30d; faulted 90d; unresolved as faulted */
  readonly keep?: Readonly<Partial<Record<KeptAs, Keep>>>
  /** Time from one sweep to the next. @default '1h' */
  readonly every?: string | number
  /** Gets every instance before it is deleted; when it throws, nothing of the batch is deleted, and it will come again. */
  readonly archive?: Archive
  /** Most journal rows of one batch. @default 2_000 */
  readonly rowsPerBatch?: number
  /** Part of the time in which a sweep may use the store; one that lasts longer than `every` takes more, up to a quarter. @default 0.03 */
  readonly share?: number
}

export interface ResolvedRetention {
  readonly sweep: boolean
  readonly keep: KeepTimes
  readonly everyMs: number
  readonly archive: Archive | undefined
  readonly rowsPerBatch: number
  readonly share: number
}

const DAY_MS = 86_400_000

export const KEPT_AS: readonly KeptAs[] = ['completed', 'faulted', 'cancelled', 'terminated', 'unresolved']

const DEFAULT_KEEP: KeepTimes = {
  completed: 30 * DAY_MS,
  faulted: 90 * DAY_MS,
  cancelled: 30 * DAY_MS,
  terminated: 30 * DAY_MS,
  unresolved: 'as faulted',
}

export function resolveRetention(options: RetentionOptions = {}): ResolvedRetention {
  const { sweep = true, keep = {}, every = '1h', archive, rowsPerBatch = 2_000, share = 0.03 } = options
  if (!Number.isInteger(rowsPerBatch) || rowsPerBatch < 1)
    throw new InvalidOption({ option: 'retention.rowsPerBatch', rule: 'a whole number from 1', value: rowsPerBatch })
  if (!(share > 0 && share <= 1))
    throw new InvalidOption({ option: 'retention.share', rule: 'above 0 and at most 1', value: share })
  const everyMs = parseDuration(every)
  if (everyMs < 1_000) throw new InvalidOption({ option: 'retention.every', rule: 'at least a second', value: every })
  const given = Object.entries(keep).map(([as, value]) => [requireKeptAs(as), keepMs(value)])
  return { sweep, keep: { ...DEFAULT_KEEP, ...Object.fromEntries(given) }, everyMs, archive, rowsPerBatch, share }
}

/** `undefined`: for ever. */
export function keepMs(keep: Keep): number | undefined {
  return keep === 'forever' ? undefined : parseDuration(keep)
}

export function requireKeptAs(text: string): KeptAs {
  const found = KEPT_AS.find((each) => each === text)
  if (found === undefined)
    throw new InvalidOption({ option: 'status', rule: `one of ${KEPT_AS.join(', ')}`, value: text })
  return found
}

import type { Json } from '@lockstep/base'
import type { Calendar, CalendarDocument } from './calendar.ts'
import type { Cron } from './cron/cron.ts'
import type { DstRules, DstWord, FoldRule, GapRule } from './dst-rules.ts'
import type { ZoneOffsets } from './zone-offsets.ts'

/** ISO 8601 with a zone (`2026-03-29T01:00:00Z`), or epoch milliseconds. */
export type InstantText = string | number

/** `zone` is an IANA name, UTC by default. Cron reads it as its wall clock; calendars and previews use it with every trigger. */
export type ScheduleTrigger =
  | { readonly cron: string; readonly zone?: string }
  /** Every `anchor + n · interval`. The anchor sets the phase only; `startAt`, else 1970, is the default. */
  | { readonly interval: string | number; readonly anchor?: InstantText; readonly zone?: string }
  | { readonly at: InstantText; readonly zone?: string }

/** What becomes of occurrences that nobody fired within their grace. `catchUp` fires the latest so many. */
export type MisfirePolicy = 'fire-once' | 'skip' | { readonly catchUp: number }

/** What an occurrence does when an earlier one still runs. */
export type OverlapPolicy = 'skip' | 'queue' | 'allow' | 'cancel-previous'

/** A schedule as its author writes it; `compileSchedule` fills what is left out. */
export type ScheduleDocument = {
  readonly id: string
  readonly name?: string
  readonly description?: string
  readonly trigger: ScheduleTrigger
  /** @default 'fire-once' */
  readonly misfire?: MisfirePolicy
  /** How late an occurrence may fire and still be no misfire. @default the time to the next one, from 5 s to 60 s */
  readonly graceMs?: number
  /** @default 'skip' */
  readonly overlap?: OverlapPolicy
  /** See `dst-rules.ts`, also for the default. */
  readonly dst?: DstWord | { readonly gap?: GapRule; readonly fold?: FoldRule }
  /** Upper end of a delay derived from the occurrence, the same on every node. @default 0 */
  readonly jitterMs?: number
  readonly calendars?: readonly CalendarDocument[]
  /** First instant that may fire. */
  readonly startAt?: InstantText
  /** First instant that may no longer fire. */
  readonly endAt?: InstantText
  /** @default false */
  readonly paused?: boolean
  readonly input?: Json
} & ({ readonly definitionId: string; readonly job?: never } | { readonly job: string; readonly definitionId?: never })

export type Trigger =
  | { readonly kind: 'cron'; readonly cron: Cron; readonly dst: DstRules }
  | { readonly kind: 'interval'; readonly everyMs: number; readonly anchorAt: number }
  | { readonly kind: 'once'; readonly at: number }

/** A document that was checked, with every default resolved: what the arithmetic works on. Compile it once and keep it. */
export interface Schedule {
  readonly id: string
  readonly trigger: Trigger
  readonly zone: ZoneOffsets
  readonly misfire: MisfirePolicy
  readonly graceMs: number | undefined
  readonly overlap: OverlapPolicy
  readonly jitterMs: number
  readonly calendars: readonly Calendar[]
  readonly startAt: number
  readonly endAt: number
  readonly paused: boolean
}

import type { BoundedCount } from './definition-usage-store.ts'

export interface Incident {
  readonly tenant: string
  readonly id: string
  readonly instanceId: string
  readonly definitionId: string
  readonly version: number
  /** Of the instance, as of its last rest. */
  readonly status: string
  readonly step: string | undefined
  readonly fingerprint: string
  readonly code: string
  readonly message: string
  readonly openedAt: number
  readonly resolvedAt: number | undefined
  /** What was done about it: `noted`, `retried`, `completed`, `failed`. */
  readonly resolution: string | undefined
  readonly note: string | undefined
}

export interface IncidentPage {
  readonly incidents: readonly Incident[]
  /** There may be more, before this. */
  readonly next: string | undefined
  /** Of the whole list, told with its first page when there may be more. */
  readonly count?: BoundedCount | undefined
}

export interface IncidentFilter {
  /** @default both */
  readonly state?: 'open' | 'resolved' | undefined
  readonly definitionId?: string | undefined
  readonly code?: string | undefined
  readonly fingerprint?: string | undefined
  readonly instanceId?: string | undefined
}

/** How many came when: `counts` of equal slots, the last of which has not ended. */
export interface IncidentHistogram {
  /** When the first slot began. */
  readonly from: number
  readonly slotMs: number
  readonly counts: readonly number[]
}

export const HISTOGRAM_SLOTS = 24
/** Of an hour, a day or a week in all: a group is told in the shortest that holds it, or in the longest. Slots begin at multiples, so that bars stand still. */
export const HISTOGRAM_SLOT_MS = [150_000, 3_600_000, 25_200_000] as const

/** Incidents that are alike: the same failure at the same place of a workflow. */
export interface IncidentGroup {
  readonly fingerprint: string
  readonly definitionId: string
  readonly code: string
  /** The place, as of the newest. */
  readonly step: string | undefined
  readonly message: string
  readonly open: number
  readonly instances: number
  readonly firstAt: number
  readonly lastAt: number
  /** Of the workflow, in the oldest and in the newest of them; 0 where the instance is gone. */
  readonly firstVersion: number
  readonly lastVersion: number
  /**
   * The newest version that completed a run among the last before `firstVersion` was published, when none of those runs has an incident
   * that is like these: they began with `firstVersion`. Absent: that cannot be told.
   */
  readonly cleanVersion: number | undefined
  /** When those that are open came. */
  readonly histogram: IncidentHistogram
  /** Somebody has seen them. Ends when all that it was said of are resolved. */
  readonly acknowledgedAt: number | undefined
  /** Absent: nobody who was known by name. */
  readonly acknowledgedBy: string | undefined
  /** Whoever sees to them. Ends as the acknowledgement does. */
  readonly assignee: string | undefined
  /** While they are muted: until then, or until a version that is published later fails in the same way. */
  readonly mutedUntil: number | undefined
  /** What was said with the last change of these. */
  readonly note: string | undefined
}

export interface GroupFilter {
  readonly definitionId?: string | undefined
  readonly fingerprint?: string | undefined
  /** @default both */
  readonly muted?: boolean | undefined
}

/** What somebody says of a group; what is absent stays as it is. */
export interface Tending {
  readonly tenant: string
  readonly fingerprint: string
  /** Who says it. */
  readonly by: string | undefined
  readonly acknowledged?: boolean | undefined
  /** `null`: nobody. */
  readonly assignee?: string | null | undefined
  /** From now on; `null`: no more. */
  readonly muteMs?: number | null | undefined
  readonly note: string | undefined
}

export interface Resolution {
  readonly tenant: string
  readonly incidentId: string
  readonly resolution: string
  readonly note: string | undefined
  /** Goes to its instance, with the step of the incident. JSON text. Absent: only noted. */
  readonly message: { readonly kind: string; readonly payload: string } | undefined
}

export type ResolveVerdict =
  | { readonly kind: 'resolved'; readonly instanceId: string }
  | { readonly kind: 'already-resolved' }
  | { readonly kind: 'not-found' }
  /** The message cannot reach it: it has ended. */
  | { readonly kind: 'wrong-state'; readonly status: string }

/** What went wrong and waits for a person. */
export interface IncidentStore {
  /** Newest first, those before the id `before`. With a filter it looks at the next 10,000 and answers those of them that fit. */
  list(tenant: string, filter: IncidentFilter, before: string | undefined, limit: number): Promise<IncidentPage>
  get(tenant: string, incidentId: string): Promise<Incident | undefined>
  /** Open ones by fingerprint, the largest group first; of at most the newest 20,000. */
  groups(tenant: string, filter: GroupFilter, limit: number): Promise<readonly IncidentGroup[]>
  /** `false`: none of them is open. */
  tend(tending: Tending): Promise<boolean>
  countOpen(tenant: string): Promise<BoundedCount>
  /** The one that was resolved last, among the last few hundred of all tenants. */
  lastResolved(tenant: string): Promise<Incident | undefined>
  resolve(resolution: Resolution): Promise<ResolveVerdict>
}

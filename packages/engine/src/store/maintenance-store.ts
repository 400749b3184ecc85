import type { BoundedCount } from './definition-usage-store.ts'
import type { WantedState } from './membership-store.ts'

/** What an ended instance counts as. `unresolved`: it faulted, and nobody has resolved its incident. */
export type KeptAs = 'completed' | 'faulted' | 'cancelled' | 'terminated' | 'unresolved'

/** How long ended instances stay, in milliseconds from their end; `undefined`: for ever. */
export type KeepTimes = Readonly<Record<Exclude<KeptAs, 'unresolved'>, number | undefined>> & {
  /** `'as faulted'`: where no rule is about unresolved ones, what is said of faulted ones holds, by rule or else here. */
  readonly unresolved: number | 'as faulted' | undefined
}

/** One line of the retention policy. `subject` is `*` (all of the tenant), `definition:<id>` or `instance:<id>`; the narrower one wins. */
export interface RetentionRule {
  readonly tenant: string
  readonly subject: string
  /** `hold`: nothing of the subject is deleted, whatever the other rules say. */
  readonly aspect: KeptAs | 'hold'
  /** `undefined`: for ever. */
  readonly keepMs: number | undefined
  readonly reason: string | undefined
  readonly createdAt: number
}

export type RuleName = Pick<RetentionRule, 'tenant' | 'subject' | 'aspect'>

/** Who sweeps, and how much at once. Each call extends the turn by `ttlMs`. */
export interface SweepRequest {
  readonly nodeId: string
  readonly ttlMs: number
  /** Where no rule says otherwise. */
  readonly keep: KeepTimes
  /** Instances of one batch. */
  readonly limit: number
  /** Journal rows of one batch. */
  readonly rows: number
}

export interface ExpiredInstance {
  readonly tenant: string
  readonly instanceId: string
  /** Rows of its journal. */
  readonly rows: number
}

export interface ExpiredBatch {
  /** Instances that were looked at; 0: there is nothing left to do. */
  readonly examined: number
  /** Oldest first. None while the rest of a journal is to go that was too long for one batch: `remove` comes first. */
  readonly expired: readonly ExpiredInstance[]
  /** Sessions of the store that wait for something at this moment. */
  readonly waiting: number
}

export interface Removed {
  readonly instances: number
  /** Of their journals. */
  readonly rows: number
  readonly incidents: number
}

export interface Trimmed {
  readonly events: number
  readonly flushes: number
  readonly incidents: number
}

export type Area = 'instances' | 'agenda' | 'bookmarks' | 'inbox' | 'schedules'

export type FindingCode =
  | 'STRANDED'
  | 'BOOKMARK_LOST'
  | 'JOURNAL_GAP'
  | 'AGENDA_OF_FINISHED'
  | 'AGENDA_WITHOUT_INSTANCE'
  | 'CLAIM_OF_DEAD_NODE'
  | 'BOOKMARK_OF_FINISHED'
  | 'BOOKMARK_WITHOUT_INSTANCE'
  | 'TASK_LOST'
  | 'INBOX_OF_FINISHED'
  | 'INBOX_WITHOUT_INSTANCE'
  | 'MESSAGE_NOT_COUNTED'
  | 'SCHEDULE_ASLEEP'
  | 'SCHEDULE_WITHOUT_NEXT'

export interface BrokenRow {
  readonly code: FindingCode
  readonly tenant: string
  /** Of the row: an instance, a bookmark, a message or a schedule. */
  readonly key: string
  readonly instanceId: string | undefined
  readonly detail: string
  /** Of `BOOKMARK_LOST`: steps for which a bookmark or a message is there. */
  readonly present?: readonly string[]
}

export interface Examined {
  readonly looked: number
  /** Where to go on; absent: the end was reached. */
  readonly next: string | undefined
  readonly broken: readonly BrokenRow[]
}

/** Where an instance stands, with all that explains why. Lists are short, counts are bounded. */
export interface InstanceStanding {
  /** The store's clock, by which all times of this answer were made. */
  readonly now: number
  readonly definitionId: string
  readonly version: number
  readonly status: string
  readonly queue: string
  readonly parentId: string | undefined
  readonly createdAt: number
  readonly finishedAt: number | undefined
  /** Number of the last fact in its journal. */
  readonly lastSeq: number
  readonly agenda:
    | {
        readonly dueAt: number
        readonly claimNo: number
        readonly crashes: number
        readonly stim: number
        /** Due rows that are taken before it. */
        readonly ahead: BoundedCount
      }
    | undefined
  readonly owner:
    | {
        readonly nodeId: string
        /** Absent: the node has no row any more. */
        readonly name: string | undefined
        readonly silentMs: number | undefined
        readonly doomed: boolean
      }
    | undefined
  readonly bookmarks: readonly {
    readonly id: string
    readonly step: string
    readonly kind: string
    readonly name: string
    readonly correlationId: string | undefined
    readonly expiresAt: number | undefined
    readonly createdAt: number
  }[]
  /** Children whose end it waits for. */
  readonly children: readonly {
    readonly instanceId: string
    readonly definitionId: string
    readonly step: string
    readonly status: string
    readonly createdAt: number
  }[]
  readonly messages: BoundedCount
  readonly incidents: readonly {
    readonly id: string
    readonly code: string
    readonly message: string
    readonly step: string | undefined
    readonly at: number
  }[]
  readonly nodes: readonly {
    readonly nodeId: string
    readonly name: string
    readonly silentMs: number
    readonly roles: readonly string[]
    /** What operators want of it. */
    readonly wanted: WantedState
  }[]
}

/**
 * What keeps the store in order: old things go, broken things are found, anything can be explained. Nothing here is on the way of a
 * commit. Methods that take a turn's holder answer `undefined`, and have done nothing, when the turn is not its any more.
 */
export interface MaintenanceStore {
  /** Gives the duty to one node, until `ttlMs` from now by the store's clock. Not before its next time, unless `early`. Its holder may take it again. */
  takeTurn(duty: string, nodeId: string, ttlMs: number, early: boolean): Promise<boolean>
  /** Gives it back; the next turn is `nextInMs` from now. */
  endTurn(duty: string, nodeId: string, nextInMs: number): Promise<void>
  /** By subject and aspect. */
  rules(tenant: string, after: RuleName | undefined, limit: number): Promise<readonly RetentionRule[]>
  /** `undefined` takes the rule away. */
  saveRule(
    name: RuleName,
    rule: { readonly keepMs: number | undefined; readonly reason: string | undefined } | undefined,
  ): Promise<void>
  /** Finds what may go now. Changes nothing that anybody else sees. */
  expired(request: SweepRequest): Promise<ExpiredBatch | undefined>
  /**
   * Deletes those of `instanceIds` that may still go, each as a whole, in one transaction. Of a journal longer than a batch the rest stays behind;
   * the next calls delete that, a batch at a time, and nothing else until it is gone.
   */
  remove(request: SweepRequest, instanceIds: readonly string[]): Promise<Removed | undefined>
  /**
   * Deletes at most `limit` rows of each kind that nobody can ask for: expired events, batches of buried nodes, incidents resolved `incidentsMs` ago,
   * revisions of what was deleted long ago.
   */
  trim(nodeId: string, ttlMs: number, incidentsMs: number, limit: number): Promise<Trimmed | undefined>
  /**
   * One look at each of the next `limit` rows of an area; each look is one statement, so nothing half-written is taken for broken.
   * `BOOKMARK_LOST` is a suspicion: only the fold of a journal tells what an instance waits for.
   */
  examine(area: Area, after: string | undefined, limit: number): Promise<Examined>
  /**
   * Mends rows that are still broken in this way, under the fence of the node row. Answers how many; 0 for what cannot be mended safely.
   * What only the owner of an instance may do, it is asked to do by a message (`reopen`).
   */
  repair(nodeId: string, code: FindingCode, rows: readonly Pick<BrokenRow, 'tenant' | 'key'>[]): Promise<number>
  standing(tenant: string, instanceId: string): Promise<InstanceStanding | undefined>
}

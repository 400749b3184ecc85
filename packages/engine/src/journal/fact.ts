import type { Json } from '@lockstep/base'
import type { Pins } from '../test-run/pin.ts'

/**
 * Names one execution of one step, the same on every replay: it is the base of the step's idempotency key.
 * Graphs: `loop[3].ask#2` is the second run of `ask` in the fourth turn of `loop`, `par[1].x` a step of the second
 * branch, `guard.y`, `guard:catch.y` and `guard:finally.y` steps of the parts of a try. Functions name their own.
 */
export type StepKey = string

/** Why a step failed, as data: what `catch` sees as `error`. */
export interface Failure {
  /** UPPER_SNAKE for failures of the engine; whatever an activity chose otherwise. */
  readonly code: string
  readonly message: string
  /** Where it happened; containers that pass a failure outward keep it. */
  readonly step?: StepKey
  readonly data?: Json
  /** The limit of the engine that is in the way. Nothing catches such a failure and nothing is undone: a retry goes on once it was raised. */
  readonly limit?: string
}

export const isBreach = ({ limit }: Failure): boolean => limit !== undefined

/**
 * What a step waits for. `timeoutMs` counts from the commit of the fact, on the database's clock: its due time is
 * unknown until that commit was acknowledged.
 */
export type Wait =
  | { readonly kind: 'timer' /** From the commit on. */; readonly ms: number }
  | { readonly kind: 'timer' /** Epoch ms. */; readonly at: number }
  | { readonly kind: 'event'; readonly name: string; readonly correlationId?: string; readonly timeoutMs?: number }
  | {
      readonly kind: 'child'
      readonly instanceId: string
      readonly timeoutMs?: number
      /** The child is only being started: nobody waits for its end. */
      readonly detached?: true
    }
  /** A lock of the cluster that others hold. */
  | { readonly kind: 'lock'; readonly name: string; readonly ttlMs?: number; readonly timeoutMs?: number }
  | { readonly kind: 'signal'; readonly name: string; readonly timeoutMs?: number }
  | TaskWait
  | HumanWait
  | ChildrenWait

/** For an outside worker. `id` is that of the task and of its bookmark. */
export interface TaskWait {
  readonly kind: 'task'
  readonly id: string
  readonly name: string
  readonly queue: string
  readonly payload: Json
  readonly leaseMs: number
  readonly mostClaims: number
  readonly timeoutMs?: number
}

/** For a person. `id` is that of the task and of its bookmark. */
export interface HumanWait {
  readonly kind: 'human'
  readonly id: string
  readonly name: string
  readonly title: string
  readonly description?: string
  /** JSON schema of what is handed in. */
  readonly form?: Json
  readonly outcomes: readonly string[]
  readonly assignee?: string
  readonly candidates: readonly string[]
  readonly dueInMs?: number
  readonly timeoutMs?: number
}

/** For many children, one per item; their ids count up from the first. */
export interface ChildrenWait {
  readonly kind: 'children'
  readonly firstId: string
  readonly definitionId: string
  readonly version?: number
  readonly correlationId?: string
  readonly items: readonly Json[]
  readonly concurrency: number
  /** The first failure ends the others. */
  readonly failFast?: true
  /** Whose results the output names. */
  readonly collect: 'all' | 'failed' | 'none'
  readonly timeoutMs?: number
}

export interface StartedFact {
  readonly kind: 'started'
  readonly input: Json
  readonly correlationId?: string
  /** Activity id of the trigger that caused the start. Absent: started by hand, by API or by a parent. */
  readonly trigger?: string
  /** How many workflows stand above this one. Absent: none. */
  readonly depth?: number
  /** What has to be understood to go on with it (`state-format.ts`). Absent: what every version does. */
  readonly format?: number
  /** The span of its start, as a `traceparent`: all that follows is below it. Absent: nobody traced. */
  readonly trace?: string
  /** Of a test run: steps that are not executed, and what they answer instead. */
  readonly pins?: Pins
}

export interface CompletedFact {
  readonly kind: 'completed'
  readonly step: StepKey
  readonly outcome: string
  /** Every way it leaves by, where there are several; `outcome` is the first of them. */
  readonly outcomes?: readonly string[]
  readonly output?: Json
  /** The correlation id of the instance from here on. */
  readonly correlationId?: string
  /** Variables that take a new value. */
  readonly assign?: Readonly<Record<string, Json>>
  /** Members of the workflow's output that take a value. */
  readonly result?: Readonly<Record<string, Json>>
  /** Functions: it can be undone. */
  readonly undo?: true
  /** What ended it when it was not its own code. */
  readonly by?: 'timer' | 'event' | 'resume' | 'child' | 'operator' | 'worker' | 'person' | 'pin'
  /** Its output is the answer to the request that started the instance. */
  readonly answers?: true
  readonly attempt?: number
}

/**
 * A container began its body; a while writes one before each turn. What its inputs said is in the fact, so that folding needs no
 * expression.
 */
export interface OpenedFact {
  readonly kind: 'opened'
  readonly step: StepKey
  /** for-each: one turn per item. */
  readonly items?: readonly Json[]
  /** for: its numbers. */
  readonly range?: { readonly start: number; readonly step: number; readonly count: number }
  /** for-each, for: turns that may run side by side. Absent: one. */
  readonly concurrency?: number
  /** for-each, for: the activity of the body whose output of each turn is gathered. */
  readonly collect?: string
  /** while: what its condition gave. */
  readonly condition?: boolean
  /** critical-section: the lock that was taken, and the number of that grant. */
  readonly lock?: string
  readonly fence?: string
  /** critical-section: how long the lock lives without renewal. */
  readonly ttlMs?: number
  /** compensate: the activity whose steps are undone. Absent: those of the scope around it. */
  readonly scope?: string
  /** parallel: `any` lets the first finished branch cancel the others. Absent: `all`. */
  readonly join?: 'all' | 'any'
  /** The container fails when its parts take longer, from the commit on. */
  readonly timeoutMs?: number
}

export interface WaitingFact {
  readonly kind: 'waiting'
  readonly step: StepKey
  readonly wait: Wait
  /** It can be undone when it has completed. Graphs say so of waits for children: then their end is heard, whatever becomes of the branch. */
  readonly undo?: true
  /** Id of the bookmark that stands for it outside, where there is one. */
  readonly bookmark?: string
}

/** One of many children has ended, or could not be started. */
export interface ChildEndedFact {
  readonly kind: 'child-ended'
  readonly step: StepKey
  /** Of its item. */
  readonly index: number
  /** `false`: there never was an instance. */
  readonly started?: false
  readonly status: EndStatus
  readonly output?: Json
  readonly error?: Failure
}

/** Intent, committed before an at-most-once effect: after a crash the step is known to be unclear, not untried. */
export interface AttemptingFact {
  readonly kind: 'attempting'
  readonly step: StepKey
  readonly attempt: number
}

export interface RetryingFact {
  readonly kind: 'retrying'
  readonly step: StepKey
  /** The attempt that failed, from 1. */
  readonly attempt: number
  readonly error: Failure
  readonly delayMs: number
}

/** Final: no retry is left. */
export interface FailedFact {
  readonly kind: 'failed'
  readonly step: StepKey
  readonly error: Failure
  readonly attempt: number
}

/** The instance was asked to stop. */
export interface CancelledFact {
  readonly kind: 'cancelled'
  readonly reason?: string
  /** Absent: what it did is undone first. */
  readonly compensate?: false
}

/** Functions: what was done is undone now. Graphs find out by themselves. */
export interface UndoingFact {
  readonly kind: 'undoing'
  /** The code has failed for good, and all is undone. */
  readonly error?: Failure
  /** The code asked for it: these steps, in this order, and then it goes on. */
  readonly step?: StepKey
  readonly steps?: readonly StepKey[]
}

/** The lock of an open critical section was taken again, by another node. */
export interface LockedFact {
  readonly kind: 'locked'
  readonly step: StepKey
  readonly fence: string
}

/** An operator changed variables. */
export interface AssignedFact {
  readonly kind: 'assigned'
  readonly variables: Readonly<Record<string, Json>>
}

/** An operator sent a faulted instance back to work: the failed step runs again, the others go on where they stood. */
export interface RetriedFact {
  readonly kind: 'retried'
  /** Functions: what was recorded since this step began is forgotten, and done again. */
  readonly step?: StepKey
}

/** Nothing new starts from here on. What runs may finish, and is recorded. */
export interface PausedFact {
  readonly kind: 'paused'
  readonly reason?: string
}

export interface ContinuedFact {
  readonly kind: 'continued'
}

/** Graphs: an operator took the instance back to the moment at which `step` began. What was recorded between is history, and no longer counts. */
export interface RewoundFact {
  readonly kind: 'rewound'
  readonly step: StepKey
  /** The last fact that still counts. */
  readonly toSeq: number
  /** The instance as it was then: nobody has to read back to there. */
  readonly state: Json
}

/** The instance goes on as another version of its definition. */
export interface MigratedFact {
  readonly kind: 'migrated'
  readonly from: number
  readonly to: number
  /** Graphs: activities that have another id in the new version. */
  readonly mapping?: Readonly<Record<string, string>>
  /** Graphs: the instance in terms of the new version. What was recorded before is in terms of the old one. */
  readonly state?: Json
}

/** This instance began as a copy: the facts before this one are those of another. */
export interface ForkedFact {
  readonly kind: 'forked'
  /** The instance it was copied from. */
  readonly from: string
  /** The last fact that was copied. */
  readonly at: number
  /** Variables that were given another value. */
  readonly variables?: Readonly<Record<string, Json>>
}

/** An operator asked for something that could no longer be done when its turn came. Nothing else changed. */
export interface RefusedFact {
  readonly kind: 'refused'
  readonly verb: string
  readonly reason: string
}

/** Put aside after its owners died with it, `crashCount` of them in a row. */
export interface QuarantinedFact {
  readonly kind: 'quarantined'
  readonly crashCount: number
}

export type EndStatus = 'completed' | 'faulted' | 'cancelled' | 'terminated'

export interface EndedFact {
  readonly kind: 'ended'
  readonly status: EndStatus
  readonly output?: Json
  readonly error?: Failure
}

/** What one journal row says, for graphs and functions alike. The row adds `seq` (from 1, gapless) and `at`. */
export type Fact =
  | StartedFact
  | CompletedFact
  | OpenedFact
  | WaitingFact
  | ChildEndedFact
  | AttemptingFact
  | RetryingFact
  | FailedFact
  | CancelledFact
  | UndoingFact
  | LockedFact
  | AssignedFact
  | RetriedFact
  | PausedFact
  | ContinuedFact
  | RewoundFact
  | MigratedFact
  | ForkedFact
  | RefusedFact
  | QuarantinedFact
  | EndedFact

export type FactKind = Fact['kind']

/** The fact as a journal row holds it: its kind in a column, the rest as JSON text. The outcome that nearly all steps have is left out. */
export function factToRow(fact: Fact): { readonly kind: FactKind; readonly data: string } {
  if (fact.kind === 'completed' && fact.outcome === USUAL_OUTCOME) {
    const { kind, outcome: _, ...data } = fact
    return { kind, data: JSON.stringify(data) }
  }
  const { kind, ...data } = fact
  return { kind, data: JSON.stringify(data) }
}

/** The store is trusted to return what was written; a fact that cannot apply is refused by the fold. */
export function factFromRow(row: { readonly kind: string; readonly data: unknown }): Fact {
  const data = row.data as object
  if (row.kind === 'completed') return { outcome: USUAL_OUTCOME, ...data, kind: row.kind } as unknown as Fact
  return { ...data, kind: row.kind } as Fact
}

const USUAL_OUTCOME = 'done'

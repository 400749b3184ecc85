import type { Json } from '@lockstep/base'

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
}

/**
 * What a step waits for. `timeoutMs` counts from the commit of the fact, on the database's clock: its due time is
 * unknown until that commit was acknowledged.
 */
export type Wait =
  | { readonly kind: 'timer' /** From the commit on. */; readonly ms: number }
  | { readonly kind: 'timer' /** Epoch ms. */; readonly at: number }
  | { readonly kind: 'event'; readonly name: string; readonly correlationId?: string; readonly timeoutMs?: number }
  | { readonly kind: 'child'; readonly instanceId: string; readonly timeoutMs?: number }
  | { readonly kind: 'signal'; readonly name: string; readonly timeoutMs?: number }

export interface StartedFact {
  readonly kind: 'started'
  readonly input: Json
  readonly correlationId?: string
  /** Activity id of the trigger that caused the start. Absent: started by hand, by API or by a parent. */
  readonly trigger?: string
  /** How many workflows stand above this one. Absent: none. */
  readonly depth?: number
}

export interface CompletedFact {
  readonly kind: 'completed'
  readonly step: StepKey
  readonly outcome: string
  readonly output?: Json
  /** Variables that take a new value. */
  readonly assign?: Readonly<Record<string, Json>>
  /** Members of the workflow's output that take a value. */
  readonly result?: Readonly<Record<string, Json>>
  /** What ended it when it was not its own code. */
  readonly by?: 'timer' | 'event' | 'resume' | 'child' | 'operator'
  readonly attempt?: number
}

/** A container began its body. What its inputs said is in the fact, so that folding needs no expression. */
export interface OpenedFact {
  readonly kind: 'opened'
  readonly step: StepKey
  /** for-each: one turn per item. */
  readonly items?: readonly Json[]
  /** for-each: turns that may run side by side. Absent: one. */
  readonly concurrency?: number
  /** parallel: `any` lets the first finished branch cancel the others. Absent: `all`. */
  readonly join?: 'all' | 'any'
  /** The container fails when its parts take longer, from the commit on. */
  readonly timeoutMs?: number
}

export interface WaitingFact {
  readonly kind: 'waiting'
  readonly step: StepKey
  readonly wait: Wait
  /** Id of the bookmark that stands for it outside, where there is one. */
  readonly bookmark?: string
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
}

/** An operator changed variables. */
export interface AssignedFact {
  readonly kind: 'assigned'
  readonly variables: Readonly<Record<string, Json>>
}

/** An operator sent a faulted instance back to work: the failed step runs again, the others go on where they stood. */
export interface RetriedFact {
  readonly kind: 'retried'
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
  | AttemptingFact
  | RetryingFact
  | FailedFact
  | CancelledFact
  | AssignedFact
  | RetriedFact
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

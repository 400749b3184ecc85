import type { Json } from '@lockstep/base'
import type { EndStatus, Failure, StepKey, Wait } from '../journal/fact.ts'
import { SNAPSHOT_FORMAT } from '../store/state-format.ts'
import type { Pins } from '../test-run/pin.ts'
import type { StepRecord } from './graph-expression.ts'
import type { GraphProgram } from './graph-program.ts'
import type { Compensation, Turn, Undoing } from './saga/compensation.ts'

/** Names one run of a nested graph: `''` is the root, `loop[3]`, `par[1]`, `guard`, `guard:catch`, `guard:finally`. */
export type ScopeKey = string

/**
 * An instance as the fold of its facts: plain JSON, so a snapshot is `JSON.stringify(state)`. Holds only what is alive;
 * a finished step leaves at most its output, a finished scope nothing. Treat it as opaque outside this folder.
 */
export interface GraphState {
  format: typeof SNAPSHOT_FORMAT
  /** Facts folded so far: the next one gets `seq + 1`. */
  seq: number
  /** `faulted` and `quarantined` stand still where they are; `retried` sends them on. */
  status: 'new' | 'running' | 'faulted' | 'quarantined' | 'cancelled' | 'ended'
  end?: { readonly status: EndStatus; readonly output?: Json; readonly error?: Failure }
  input: Json
  correlationId?: string
  /** How many workflows stand above this one. Absent: none. */
  depth?: number
  /** Of a test run: steps that are not executed, and what they answer instead. */
  pins?: Pins
  /** An operator paused it: nothing new starts. */
  paused?: true
  /** How often an operator took it back to an earlier step: what is done again then has keys of its own. Absent: never. */
  rewinds?: number
  variables: Record<string, Json>
  output: Record<string, Json>
  /** The unhandled failure. What was alive then stays where it stood, so that a retry can go on from there. */
  error?: Failure
  /** In order of activation: keys are never numbers, so objects keep it, through JSON too. */
  executions: Record<StepKey, ExecutionState>
  scopes: Record<ScopeKey, ScopeState>
  waits: Record<StepKey, OpenWait>
  /** Completed steps that can be undone, in order of completion. */
  compensations?: Record<StepKey, Compensation>
  /** Activities `compensate` at work. */
  undoers?: StepKey[]
  /** Present: the instance is being undone, or was. */
  undoing?: Undoing
  /** Children of dropped branches, and of steps that were taken back, that are still to be told. */
  unwanted?: UnwantedChild[]
  /** Waits whose due time counts from a commit that was not acknowledged yet. */
  unstamped: StepKey[]
  /** Not part of the fold: what `takeReady` and `takeCancelled` have still to hand out. `resetReady` rebuilds both. */
  ready: StepKey[]
  cancelled: StepKey[]
}

export interface ExecutionState {
  readonly activity: string
  readonly scope: ScopeKey
  /** `active`: its code runs, or is to run (of a while: its condition). `open`: a container whose parts run. `failed`: what faulted the instance. */
  phase: 'active' | 'waiting' | 'retrying' | 'open' | 'failed'
  /** The attempt under way or to come, from 1. */
  attempt: number
  /** The attempt was announced before its effect: should the process die now, nobody knows whether it happened. */
  announced?: true
  /** Joins of its scope that this branch came too late for. */
  lostTo?: readonly string[]
  container?: ContainerState
  /** Present: it can be undone. Steps that its inputs or its compensation read. */
  undo?: readonly string[] | 'all'
}

export type ContainerState =
  | ForEachState
  | ForState
  | WhileState
  | ParallelState
  | TryState
  | CompensateState
  | CriticalSectionState

/** A loop that knows its turns beforehand. */
export interface CountedLoop {
  readonly concurrency: number
  /** Index of the first turn that has not begun. */
  next: number
  live: number
  /** The activity whose output of each turn is kept in `results`. */
  readonly collect?: string
  results?: Json[]
}

export interface ForEachState extends CountedLoop {
  readonly rule: 'for-each'
  readonly items: readonly Json[]
}

export interface ForState extends CountedLoop {
  readonly rule: 'for'
  readonly start: number
  readonly step: number
  readonly count: number
}

/** `active` while its condition is to be looked at, `open` while a turn runs. */
export interface WhileState {
  readonly rule: 'while'
  /** Turns that have begun. */
  next: number
  /** No turn runs: its condition comes next. */
  asks?: true
}

export interface ParallelState {
  readonly rule: 'parallel'
  readonly join: 'all' | 'any'
  readonly branches: number
  live: number
}

/** Leaves the nearest loop, or the turn of it. */
export type LoopJump = 'break' | 'continue'

export interface TryState {
  readonly rule: 'try'
  part: 'body' | 'catch' | 'finally'
  caught: boolean
  /** Goes outward when `finally` is done. */
  failure?: Failure
  jump?: LoopJump
}

/** Its body runs, on whichever node holds the lock. */
export interface CriticalSectionState {
  readonly rule: 'critical-section'
  readonly lock: string
  readonly ttlMs?: number
  /** Number of the last grant. */
  fence: string
}

/** An activity `compensate` at work. */
export interface CompensateState {
  readonly rule: 'compensate'
  /** Steps to undo; the last one is the next. */
  line: StepKey[]
  count: number
  error?: Failure
}

export interface ScopeState {
  /** Which graph of the program. */
  readonly graph: string
  /** The container's step; `''` for the root. */
  readonly owner: StepKey
  /** The scope that keeps `steps` for this one: itself, or one around it. */
  readonly frame: ScopeKey
  /** In order of activation. */
  live: StepKey[]
  /** In order of their first token. */
  pending: PendingJoin[]
  /** Runs so far, of activities that can run again. */
  counts?: Record<string, number>
  steps?: Record<string, StepRecord>
  /** Turn of a loop, or branch of a parallel. */
  index?: number
  /** What a catch or finally sees. */
  error?: Failure
  /** The step that is undone here. Like the root, such a scope has no owner. */
  undo?: StepKey
  /** Of a step whose branch was cancelled while it ran; without an owner too. */
  late?: true
  /** The turn that a scope without an owner came from. */
  turn?: Turn
}

/** A join that has a token and waits for more. */
export interface PendingJoin {
  readonly activity: string
  /** Live executions and pending joins of the scope that it has to wait for; it fires at 0. */
  blockers: number
  lostTo?: readonly string[]
}

/** How far the children of a bulk run are. */
export interface ChildrenProgress {
  /** Indexes of items whose child is to run or runs. */
  live: number[]
  /** Index of the first item without a child yet. */
  next: number
  completed: number
  faulted: number
  cancelled: number
  /** One has failed where that ends all: no more children begin. */
  stopped?: true
}

export interface OpenWait {
  readonly step: StepKey
  /** Of the fact that opened it: with the step, a stable name for a bookmark. */
  readonly seq: number
  /** `retry`: runs again when due. `timeout`: a container that fails when due. */
  readonly wait: Wait | { readonly kind: 'retry' | 'timeout'; readonly ms: number }
  /** Epoch ms. Absent: not known until the commit is acknowledged, or never due. */
  dueAt?: number
  /** Of a wait for many children. */
  children?: ChildrenProgress
  /** Of a wait for children whose step can be undone: the steps that its compensation reads. */
  readonly undo?: readonly string[] | 'all'
  /** Not part of the fold: the retry was handed out. */
  taken?: true
}

/** A child that a step waited for when its branch was dropped or the step taken back. The parent remembers it until it was told to end. */
export interface UnwantedChild {
  readonly instanceId: string
  /** Where it was started: the step, or `step@index` of a bulk run. */
  readonly place: string
}

export function initialState(program: GraphProgram): GraphState {
  return {
    format: SNAPSHOT_FORMAT,
    seq: 0,
    status: 'new',
    input: null,
    variables: Object.fromEntries(program.variables),
    output: {},
    executions: {},
    scopes: {},
    waits: {},
    unstamped: [],
    ready: [],
    cancelled: [],
  }
}

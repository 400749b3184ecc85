import type { Json } from '@lockstep/base'
import type { EndStatus, Failure, StepKey, Wait } from '../journal/fact.ts'
import type { StepRecord } from './graph-expression.ts'
import type { GraphProgram } from './graph-program.ts'

/** Names one run of a nested graph: `''` is the root, `loop[3]`, `par[1]`, `guard`, `guard:catch`, `guard:finally`. */
export type ScopeKey = string

/**
 * An instance as the fold of its facts: plain JSON, so a snapshot is `JSON.stringify(state)`. Holds only what is alive;
 * a finished step leaves at most its output, a finished scope nothing. Treat it as opaque outside this folder.
 */
export interface GraphState {
  format: 1
  /** Facts folded so far: the next one gets `seq + 1`. */
  seq: number
  /** `faulted` and `quarantined` stand still where they are; `retried` sends them on. */
  status: 'new' | 'running' | 'faulted' | 'quarantined' | 'cancelled' | 'ended'
  end?: { readonly status: EndStatus; readonly output?: Json; readonly error?: Failure }
  input: Json
  correlationId?: string
  /** How many workflows stand above this one. Absent: none. */
  depth?: number
  variables: Record<string, Json>
  output: Record<string, Json>
  /** The unhandled failure. What was alive then stays where it stood, so that a retry can go on from there. */
  error?: Failure
  /** In order of activation: keys are never numbers, so objects keep it, through JSON too. */
  executions: Record<StepKey, ExecutionState>
  scopes: Record<ScopeKey, ScopeState>
  waits: Record<StepKey, OpenWait>
  /** Waits whose due time counts from a commit that was not acknowledged yet. */
  unstamped: StepKey[]
  /** Not part of the fold: what `takeReady` and `takeCancelled` have still to hand out. `resetReady` rebuilds both. */
  ready: StepKey[]
  cancelled: StepKey[]
}

export interface ExecutionState {
  readonly activity: string
  readonly scope: ScopeKey
  /** `active`: its code runs, or is to run. `open`: a container whose parts run. `failed`: what faulted the instance. */
  phase: 'active' | 'waiting' | 'retrying' | 'open' | 'failed'
  /** The attempt under way or to come, from 1. */
  attempt: number
  /** The attempt was announced before its effect: should the process die now, nobody knows whether it happened. */
  announced?: true
  /** Joins of its scope that this branch came too late for. */
  lostTo?: readonly string[]
  container?: ContainerState
}

export type ContainerState = ForEachState | ParallelState | TryState

export interface ForEachState {
  readonly rule: 'for-each'
  readonly items: readonly Json[]
  readonly concurrency: number
  /** Index of the first item without a turn yet. */
  next: number
  live: number
}

export interface ParallelState {
  readonly rule: 'parallel'
  readonly join: 'all' | 'any'
  readonly branches: number
  live: number
}

export interface TryState {
  readonly rule: 'try'
  part: 'body' | 'catch' | 'finally'
  caught: boolean
  /** Goes outward when `finally` is done. */
  failure?: Failure
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
  /** Turn of a for-each, or branch of a parallel. */
  index?: number
  /** What a catch or finally sees. */
  error?: Failure
}

/** A join that has a token and waits for more. */
export interface PendingJoin {
  readonly activity: string
  /** Live executions and pending joins of the scope that it has to wait for; it fires at 0. */
  blockers: number
  lostTo?: readonly string[]
}

export interface OpenWait {
  readonly step: StepKey
  /** Of the fact that opened it: with the step, a stable name for a bookmark. */
  readonly seq: number
  /** `retry`: runs again when due. `timeout`: a container that fails when due. */
  readonly wait: Wait | { readonly kind: 'retry' | 'timeout'; readonly ms: number }
  /** Epoch ms. Absent: not known until the commit is acknowledged, or never due. */
  dueAt?: number
  /** Not part of the fold: the retry was handed out. */
  taken?: true
}

export function initialState(program: GraphProgram): GraphState {
  return {
    format: 1,
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

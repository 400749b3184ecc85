import type { Json } from '@lockstep/base'
import type { ActivityType, ContainerRule } from '../activity/activity-type.ts'
import type { SecretPlace } from '../secret/secret-places.ts'
import type { CompiledPolicies } from '../step/compile-policies.ts'
import type { RetryPolicy } from '../step/retry-policy.ts'
import type { Effect, OnError } from './document.ts'
import type { GraphExpression } from './graph-expression.ts'
import type { CaseTemplates, InputTemplate } from './input-template.ts'

/** A published version, prepared once: everything the interpreter looks up is a table here. Immutable, shared freely. */
export interface GraphProgram<E extends GraphExpression = GraphExpression> {
  readonly id: string
  /** In document order, outer before inner. */
  readonly activities: readonly CompiledActivity<E>[]
  readonly byId: ReadonlyMap<string, CompiledActivity<E>>
  readonly root: CompiledScope<E>
  readonly scopes: ReadonlyMap<string, CompiledScope<E>>
  /** Whether some activity can be undone. */
  readonly compensates: boolean
  /** Declared variables and what they start with. */
  readonly variables: ReadonlyMap<string, Json>
}

/** One graph of the document: the outermost, or a part of a container. */
export interface CompiledScope<E extends GraphExpression = GraphExpression> {
  /** `''` for the root, else `loop:body`, `par:branch:1`, `guard:catch`. Stable: snapshots name scopes by it. */
  readonly id: string
  readonly activities: readonly CompiledActivity<E>[]
  /** Without incoming connections, triggers aside. */
  readonly starts: readonly CompiledActivity<E>[]
  /** Only the root has them. */
  readonly triggers: readonly CompiledActivity<E>[]
  /** A frame keeps its own `steps`: the root, and each turn of a for-each or for. Other scopes record into the one around them. */
  readonly isFrame: boolean
}

/** The parts of a container. */
export interface CompiledParts<E extends GraphExpression = GraphExpression> {
  readonly body?: CompiledScope<E>
  readonly branches?: readonly CompiledScope<E>[]
  readonly catch?: CompiledScope<E>
  readonly finally?: CompiledScope<E>
  /** Not run by the container rules: undoes the activity once it has completed. */
  readonly compensate?: CompiledScope<E>
}

export interface CompiledActivity<E extends GraphExpression = GraphExpression> {
  readonly id: string
  readonly type: ActivityType
  readonly name: string
  readonly inputs: InputTemplate<E>
  /** The same inputs, with cases that are evaluated one after the other. */
  readonly cases: CaseTemplates<E> | undefined
  /** Where its inputs name secrets. */
  readonly secrets: readonly SecretPlace[]
  readonly retry: RetryPolicy
  readonly timeoutMs: number | undefined
  /** Absent: it may run whenever it is ready. */
  readonly policies: CompiledPolicies<E> | undefined
  readonly effect: Effect
  readonly onError: OnError
  readonly container: ContainerRule | undefined
  readonly parts: CompiledParts<E>
  /** Present where its code could be at work and can be undone: the steps that its inputs or its compensation read. */
  readonly undo: readonly string[] | 'all' | undefined
  /** By outcome, in document order, without repetitions. */
  readonly targets: ReadonlyMap<string, readonly CompiledActivity<E>[]>
  /** `none`: at most one incoming connection, so every token runs it. */
  readonly join: 'none' | 'all' | 'any'
  /** Position in its scope. */
  readonly local: number
  /** Bit `local` of another activity of the scope is set when a path leads there. Empty in scopes without joins. */
  readonly reach: Uint32Array
  /** Whether it can run more than once in one run of its scope, so that runs must be numbered. */
  readonly repeats: boolean
  /** Whether some expression can read `steps.<id>`; results nobody can read are not kept. */
  readonly isRead: boolean
  /** Steps that its inputs or code read; `all` when only running them would tell. */
  readonly reads: readonly string[] | 'all'
}

/** Whether a path of one or more connections leads from one activity to another of the same scope. */
export function reaches(from: CompiledActivity, to: CompiledActivity): boolean {
  const word = from.reach[to.local >>> 5]
  return word !== undefined && ((word >>> (to.local & 31)) & 1) === 1
}

export function isConnected(activity: CompiledActivity, outcome: string): boolean {
  return activity.targets.has(outcome)
}

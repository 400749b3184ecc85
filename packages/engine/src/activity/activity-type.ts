import type { JsonObject } from '@lockstep/base'

export type ActivityKind = 'control' | 'container' | 'wait' | 'action' | 'trigger'

/** How a container runs its bodies. The rules are the interpreter's; a plug-in cannot add one. */
export type ContainerRule = 'for-each' | 'parallel' | 'try'

/** A nested graph that an activity holds. `branches` is a list of graphs, the others are one graph each. */
export interface ActivityBody {
  readonly name: 'body' | 'branches' | 'catch' | 'finally'
  readonly required: boolean
}

/** Describes one type of activity to validation, the designer and the interpreter. Its code belongs to the shell. */
export interface ActivityType {
  /** Kebab-case name that documents use. */
  readonly type: string
  readonly kind: ActivityKind
  readonly title: string
  readonly description: string
  /** JSON schema of the object `inputs`, after expressions were evaluated. */
  readonly inputs: JsonObject
  /** `any`: its code chooses names that cannot be known before it runs. */
  readonly outcomes: readonly string[] | 'any'
  /** Its code reads the whole scope by itself, as a script does: the results of all steps are kept for it. */
  readonly seesScope?: true
  /**
   * How its code runs, as `activity-handler.ts` tells. Absent where the engine itself is its code; only `transaction` says something
   * to a document: see `effect`.
   */
  readonly runs?: 'inline' | 'effect' | 'transaction'
  /** Only of kind `container`. */
  readonly container?: ContainerRule
  readonly bodies?: readonly ActivityBody[]
}

export interface ActivityCatalogue {
  get(type: string): ActivityType | undefined
  /** Sorted, so that lists and messages are the same everywhere. */
  types(): readonly string[]
}

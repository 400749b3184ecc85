import type { JsonObject } from '@lockstep/base'

export type ActivityKind = 'control' | 'container' | 'wait' | 'action' | 'trigger'

/** How a container runs its bodies. The rules are the interpreter's; a plug-in cannot add one. */
export type ContainerRule = 'for-each' | 'for' | 'while' | 'parallel' | 'try' | 'compensate' | 'critical-section'

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
  /** Group of the palette. */
  readonly category?: string
  /** Name of an icon, or an SVG image as `data:image/svg+xml;base64,…`. */
  readonly icon?: string
  /** More than a sentence, as Markdown. */
  readonly docs?: string
  /** JSON schema of the object `inputs`, after expressions were evaluated. */
  readonly inputs: JsonObject
  /** Inputs that stand in the document as they are: no expression may take their place. */
  readonly literalInputs?: readonly string[]
  /** JSON schema of its output, for designers and readers. */
  readonly output?: JsonObject
  /** `any`: its code chooses names that cannot be known before it runs. */
  readonly outcomes: readonly string[] | 'any'
  /** Besides, each case of the input `cases` names an outcome; or the input `outcomes` lists them, instead of `done`. */
  readonly outcomesFrom?: 'cases' | 'outcomes'
  /** Its code reads the whole scope by itself, as a script does: the results of all steps are kept for it. */
  readonly seesScope?: true
  /** The input that holds statements for the sandbox. A literal: validation reads it. */
  readonly script?: 'code'
  /** Its end is a jump: out of the nearest loop, to the next turn of it, or to the end of the workflow. */
  readonly jump?: 'break' | 'continue' | 'finish'
  /**
   * How its code runs, as `activity-handler.ts` tells. Absent where the engine itself is its code; only `transaction` says something
   * to a document: see `effect`.
   */
  readonly runs?: 'inline' | 'effect' | 'transaction'
  /** Only of kind `container`. */
  readonly container?: ContainerRule
  readonly bodies?: readonly ActivityBody[]
}

/** Whether each run of its body has `steps` of its own: turns may run side by side. */
export function keepsSteps(type: ActivityType | undefined): boolean {
  return type?.container === 'for-each' || type?.container === 'for'
}

export interface ActivityCatalogue {
  get(type: string): ActivityType | undefined
  /** Sorted, so that lists and messages are the same everywhere. */
  types(): readonly string[]
}

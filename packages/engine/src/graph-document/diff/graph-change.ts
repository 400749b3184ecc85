import type { Json } from '@lockstep/base'

/**
 * What a change means for instances that run on the old version. `safe`: they can go over to the new one wherever they
 * stand. `needs-care`: that depends on where they stand or what they did. `breaks`: one that stands there cannot.
 */
export type MigrationVerdict = 'safe' | 'needs-care' | 'breaks'

/** A member that differs. Absent values: it was not there. Applying all of them turns one side into the other. */
export interface FieldChange {
  /** RFC 6901, from the changed thing. */
  readonly pointer: string
  readonly before?: Json
  readonly after?: Json
}

/** `parts`: which nested graphs it has. `place`: which graph it is in. */
export type ActivityAspect = 'type' | 'inputs' | 'policy' | 'text' | 'parts' | 'place'

interface Judged {
  readonly migration: MigrationVerdict
  /** A sentence for people. */
  readonly reason: string
}

export type ActivityChange = Judged & { readonly subject: 'activity'; readonly id: string } & (
    | {
        readonly change: 'added' | 'removed'
        /** Into the document that has it. */
        readonly pointer: string
        /** Its graph, such as `loop/body`; `''` is the outermost. */
        readonly scope: string
        /** Nested graphs are only counted, `{ body: true }` or `{ branches: 2 }`: their activities are changes of their own. */
        readonly activity: Json
      }
    | {
        readonly change: 'changed'
        readonly aspect: ActivityAspect
        /** Into the new document. */
        readonly pointer: string
        readonly fields: readonly FieldChange[]
      }
    | { readonly change: 'renamed'; readonly pointer: string; readonly previousId: string }
  )

export type ConnectionChange = Judged & {
  readonly subject: 'connection'
  readonly change: 'added' | 'removed'
  readonly scope: string
  readonly from: string
  readonly outcome: string
  readonly to: string
  /** Into the document that has it. */
  readonly pointer: string
}

export type VariableChange = Judged & {
  readonly subject: 'variable'
  readonly change: 'added' | 'removed' | 'changed'
  readonly name: string
  readonly fields: readonly FieldChange[]
}

/** Of the schema of the input or output, or of the workflow's id, name and description. */
export type WorkflowChange = Judged & {
  readonly subject: 'input' | 'output' | 'workflow'
  readonly change: 'changed'
  readonly fields: readonly FieldChange[]
}

export type GraphChange = ActivityChange | ConnectionChange | VariableChange | WorkflowChange

export interface GraphDiff {
  readonly changes: readonly GraphChange[]
  /** The worst of all changes. */
  readonly migration: MigrationVerdict
}

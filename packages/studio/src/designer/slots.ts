import { type ComponentType, lazy } from 'react'
import type { StepState } from '../canvas/graph-view.tsx'
import type { DesignProblem, JsonObject } from './model/index.ts'

export interface TestRunProps {
  readonly definitionId: string
  readonly document: JsonObject
  /** Key of the step that is selected alone. */
  readonly selected: string | undefined
  /** Whatever was not saved yet is; false: it could not be. */
  readonly save: () => Promise<boolean>
  /** Painted on the drawing, by step id; undefined: nothing is. */
  readonly showStates: (states: ReadonlyMap<string, StepState> | undefined) => void
}

export interface PublishProps {
  readonly definitionId: string
  readonly document: JsonObject
  readonly problems: readonly DesignProblem[]
  /** Saves what is not saved yet and answers the etag to publish; undefined: it could not be saved. */
  readonly save: () => Promise<string | undefined>
  readonly published: (version: number) => void
  readonly close: () => void
}

export interface VersionsProps {
  readonly definitionId: string
  readonly document: JsonObject
  /** Puts another document in the place of this one: one step of undo. */
  readonly replace: (document: JsonObject) => void
  readonly close: () => void
}

export interface ExpressionFieldProps {
  readonly id: string
  readonly label: string
  /** Text of the expression. */
  readonly value: string
  readonly onChange: (value: string) => void
  readonly readOnly: boolean
  readonly problem: string | undefined
  readonly definitionId: string
  readonly document: JsonObject
  /** Id of the step and name of the input it belongs to. */
  readonly step: string
  readonly input: string
  /** Whether somebody typed in the plain field that stood here until the editor was loaded. */
  readonly takesFocus: () => boolean
}

export interface CodeViewProps {
  readonly document: JsonObject
  readonly problems: readonly DesignProblem[]
  readonly readOnly: boolean
  readonly replace: (document: JsonObject) => void
}

/**
 * Parts of the designer that other folders fill, each as `lazy(() => import(…))`. What is undefined is left out, or done plainly:
 * expressions in a text field, publishing without a dialog, code to read.
 */
export const slots: {
  readonly TestRun?: ComponentType<TestRunProps>
  readonly Publish?: ComponentType<PublishProps>
  readonly Versions?: ComponentType<VersionsProps>
  readonly ExpressionField?: ComponentType<ExpressionFieldProps>
  readonly CodeView?: ComponentType<CodeViewProps>
} = {
  TestRun: lazy(() => import('../features/test-run/test-run-panel.tsx').then((m) => ({ default: m.TestRunPanel }))),
  Publish: lazy(() => import('../features/publish/publish-dialog.tsx').then((m) => ({ default: m.PublishDialog }))),
  Versions: lazy(() => import('../features/versions/versions-panel.tsx').then((m) => ({ default: m.VersionsPanel }))),
  ExpressionField: lazy(() => import('../editor/expression-field.tsx').then((m) => ({ default: m.ExpressionField }))),
  CodeView: lazy(() => import('../editor/code-view.tsx').then((m) => ({ default: m.CodeView }))),
}

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

export interface StepTestProps {
  readonly definitionId: string
  readonly document: JsonObject
  /** Id of the step. */
  readonly step: string
  /** Whether steps of this type do something outside, or wait for it. */
  readonly reachesOut: (type: string) => boolean
  readonly save: () => Promise<boolean>
  readonly started: () => void
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

export interface DataPaneProps {
  readonly definitionId: string
  readonly document: JsonObject
  readonly step: string
  readonly readOnly: boolean
  /** Id of the editor in which somebody wrote last, if that is one. */
  readonly into: () => string | undefined
  /** What was picked where there is no such editor. */
  readonly pick: (path: string) => void
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
  readonly StepTest?: ComponentType<StepTestProps>
  readonly Publish?: ComponentType<PublishProps>
  readonly Versions?: ComponentType<VersionsProps>
  readonly ExpressionField?: ComponentType<ExpressionFieldProps>
  readonly DataPane?: ComponentType<DataPaneProps>
  readonly CodeView?: ComponentType<CodeViewProps>
} = {
  TestRun: lazy(() => import('../features/test-run/test-run-panel.tsx').then((m) => ({ default: m.TestRunPanel }))),
  StepTest: lazy(() => import('../features/test-run/step-test.tsx').then((m) => ({ default: m.StepTest }))),
  Publish: lazy(() => import('../features/publish/publish-dialog.tsx').then((m) => ({ default: m.PublishDialog }))),
  Versions: lazy(() => import('../features/versions/versions-panel.tsx').then((m) => ({ default: m.VersionsPanel }))),
  ExpressionField: lazy(() => import('../editor/expression-field.tsx').then((m) => ({ default: m.ExpressionField }))),
  DataPane: lazy(() => import('../editor/data-pane.tsx').then((m) => ({ default: m.DataPane }))),
  CodeView: lazy(() => import('../editor/code-view.tsx').then((m) => ({ default: m.CodeView }))),
}

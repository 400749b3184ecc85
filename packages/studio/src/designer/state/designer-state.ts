import { createContext, useContext, useSyncExternalStore } from 'react'
import { createStore, type StoreApi, useStore } from 'zustand'
import type { StepState } from '../../canvas/graph-view.tsx'
import type { Design, DesignView, PlacedProblem, Position, RemovedSteps } from '../model/index.ts'
import type { ActivityType } from '../palette/activity-types.ts'
import type { Saver, SaveState } from '../save/saver.ts'
import { type Panes, rememberedPanes } from './panes.ts'
import { unfoldedFor } from './unfolded-for.ts'

export type DrawerTab = 'problems' | 'test' | 'code'
export type InspectorTab = 'inputs' | 'outcomes' | 'retry' | 'errors' | 'docs' | 'test'

/** Where the next step goes, while somebody chooses which. */
export interface Adding {
  /** On the screen. */
  readonly at: Position
  readonly body: string
  readonly position: Position | undefined
  readonly after: { readonly step: string; readonly outcome: string } | undefined
  readonly into: string | undefined
}

export interface DesignerState {
  /** Keys of steps and connections, and `note:` before ids of notes. */
  readonly selection: ReadonlySet<string>
  readonly save: SaveState
  readonly problems: readonly PlacedProblem[]
  readonly drawer: DrawerTab | undefined
  readonly inspectorTab: InspectorTab
  readonly adding: Adding | undefined
  /** Key of the step that is being connected by keyboard. */
  readonly connecting: string | undefined
  readonly finding: boolean
  /** Places for steps that have none: seen, not saved. */
  readonly arranged: ReadonlyMap<string, Position>
  readonly states: ReadonlyMap<string, StepState> | undefined
  readonly publishing: boolean
  readonly versions: boolean
  readonly outline: boolean
  readonly panes: Panes
  /** Keys of containers whose inside is not drawn. */
  readonly folded: ReadonlySet<string>
  /** What somebody else removed under the hands of whoever is at this screen. */
  readonly lost: { readonly names: readonly string[]; readonly removed: RemovedSteps } | undefined
  /** Read out to those who cannot see the drawing. */
  readonly said: string
}

export const freshState: DesignerState = {
  selection: new Set(),
  save: { kind: 'saved' },
  problems: [],
  drawer: undefined,
  inspectorTab: 'inputs',
  adding: undefined,
  connecting: undefined,
  finding: false,
  arranged: new Map(),
  states: undefined,
  publishing: false,
  versions: false,
  outline: false,
  panes: { side: true, inspector: true },
  folded: new Set(),
  lost: undefined,
  said: '',
}

/** What the parts of the page share. */
export interface Designer {
  readonly definitionId: string
  readonly design: Design
  /** None where nothing may be changed. */
  readonly saver: Saver | undefined
  readonly readOnly: string | undefined
  readonly types: ReadonlyMap<string, ActivityType>
  readonly store: StoreApi<DesignerState>
}

export const createDesignerStore = (): StoreApi<DesignerState> =>
  createStore(() => ({ ...freshState, panes: rememberedPanes() }))

export const DesignerContext = createContext<Designer | undefined>(undefined)

export function useDesigner(): Designer {
  return useContext(DesignerContext)!
}

export function useDesignerState<T>(pick: (state: DesignerState) => T): T {
  return useStore(useDesigner().store, pick)
}

export function useView(): DesignView {
  const { design } = useDesigner()
  return useSyncExternalStore(design.subscribe, () => design.view)
}

/** Key of the only step that is selected. */
export function useSelectedStep(): string | undefined {
  const { design } = useDesigner()
  return useDesignerState(({ selection }) => {
    const steps = [...selection].filter((key) => design.view.steps.has(key))
    return steps.length === 1 ? steps[0] : undefined
  })
}

export function selectOnly({ design, store }: Designer, keys: Iterable<string>): void {
  const selection = new Set(keys)
  store.setState(({ folded }) => ({ selection, folded: unfoldedFor(design.view, folded, selection) }))
}

/** Where a step stands in its body, wherever that is known from. */
export function placeOf({ design, store }: Designer, key: string): Position {
  return design.view.steps.get(key)?.position ?? store.getState().arranged.get(key) ?? { x: 0, y: 0 }
}

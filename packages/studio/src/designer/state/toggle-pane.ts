import type { Designer } from './designer-state.ts'
import { isNarrow, keepPanes, type Panes } from './panes.ts'

/** `open` absent: the other way round. Over the drawing there is room for one. */
export function togglePane({ store }: Pick<Designer, 'store'>, pane: keyof Panes, open?: boolean): void {
  const { panes } = store.getState()
  const wanted = open ?? !panes[pane]
  if (wanted === panes[pane]) return
  if (isNarrow()) return store.setState({ panes: { side: false, inspector: false, [pane]: wanted } })
  const next = { ...panes, [pane]: wanted }
  store.setState({ panes: next })
  keepPanes(next)
}

/** Whoever is done with a pane over the drawing wants to see the drawing. */
export function leavePane(designer: Pick<Designer, 'store'>, pane: keyof Panes): void {
  if (isNarrow()) togglePane(designer, pane, false)
}

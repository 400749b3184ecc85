import { useReactFlow } from '@xyflow/react'
import { useEffect } from 'react'
import { isTyping } from '../../app/keys.ts'
import { focusInspector } from '../canvas/focus.ts'
import { bodiesOf } from '../model/index.ts'
import {
  alignSelected,
  arrangeAll,
  copySelected,
  type Direction,
  duplicateSelected,
  note,
  nudge,
  paste,
  removeSelected,
  selectAll,
  selectedSteps,
  startAdding,
  toggleDisabled,
  walk,
} from './commands.ts'
import { type Designer, selectOnly, useDesigner } from './designer-state.ts'
import { toggleFold } from './folded.ts'
import { togglePane } from './toggle-pane.ts'

const MOVES: Readonly<Record<Direction, { readonly x: number; readonly y: number }>> = {
  ArrowLeft: { x: -20, y: 0 },
  ArrowRight: { x: 20, y: 0 },
  ArrowUp: { x: 0, y: -20 },
  ArrowDown: { x: 0, y: 20 },
}

/** The keys of the drawing. They are off wherever somebody types, and while a dialog is open. */
export function useDesignerKeys(actions: { readonly save: () => void; readonly run: () => void }): void {
  const designer = useDesigner()
  const flow = useReactFlow()
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || elsewhere(event.target)) return
      const handled =
        event.ctrlKey || event.metaKey
          ? withControl(designer, event, actions)
          : event.altKey
            ? withAlt(designer, event, flow)
            : plain(designer, event, flow)
      if (handled) {
        event.preventDefault()
        event.stopPropagation()
      }
    }
    const onCopy = (event: ClipboardEvent): void => {
      if (elsewhere(event.target) || !document.getSelection()?.isCollapsed) return
      const text = copySelected(designer)
      if (text === undefined) return
      event.clipboardData?.setData('text/plain', text)
      event.preventDefault()
      if (event.type === 'cut' && designer.readOnly === undefined) removeSelected(designer)
    }
    const onPaste = (event: ClipboardEvent): void => {
      if (elsewhere(event.target) || designer.readOnly !== undefined) return
      if (!paste(designer, event.clipboardData?.getData('text/plain') ?? '')) return
      event.preventDefault()
      requestAnimationFrame(() => bringIntoView(designer, flow))
    }
    // Before the keys of the shell: `c` after `g` is theirs, `c` alone is ours.
    window.addEventListener('keydown', onKey)
    document.addEventListener('copy', onCopy)
    document.addEventListener('cut', onCopy)
    document.addEventListener('paste', onPaste)
    return () => {
      window.removeEventListener('keydown', onKey)
      document.removeEventListener('copy', onCopy)
      document.removeEventListener('cut', onCopy)
      document.removeEventListener('paste', onPaste)
    }
  }, [designer, flow, actions])
}

const elsewhere = (target: EventTarget | null): boolean =>
  isTyping(target) || (target instanceof Element && target.closest('[role="dialog"], [role="menu"]') !== null)

const onCanvas = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest('[data-designer-canvas]') !== null

function withControl(
  designer: Designer,
  event: KeyboardEvent,
  { save, run }: { readonly save: () => void; readonly run: () => void },
): boolean {
  const { design, readOnly } = designer
  const key = event.key.toLowerCase()
  if (key === 'a') selectAll(designer)
  else if (key === 'f') designer.store.setState({ finding: true })
  else if (key === 's') save()
  else if (key === 'enter') run()
  else if (readOnly !== undefined) return false
  else if (key === 'd') duplicateSelected(designer)
  else if (key === 'z' && !event.shiftKey) design.undo()
  else if (key === 'y' || key === 'z') design.redo()
  else return false
  return true
}

function withAlt(designer: Designer, event: KeyboardEvent, flow: ReturnType<typeof useReactFlow>): boolean {
  const by = MOVES[event.key as Direction]
  if (by === undefined || designer.readOnly !== undefined || selectedSteps(designer).length === 0) return false
  if (event.shiftKey)
    alignSelected(designer, event.key as Direction, (key) => {
      const { width = 0, height = 0 } = flow.getInternalNode(key)?.measured ?? {}
      return { width, height }
    })
  else nudge(designer, by)
  return true
}

function plain(designer: Designer, event: KeyboardEvent, flow: ReturnType<typeof useReactFlow>): boolean {
  const { store, readOnly } = designer
  const [step] = selectedSteps(designer)
  const canvas = onCanvas(event.target)
  if (event.key in MOVES && canvas) {
    walk(designer, event.key as Direction)
    bringIntoView(designer, flow)
  } else if (event.key === '1') void flow.fitView({ padding: 0.12, maxZoom: 1, duration: 150 })
  else if (event.key === '0') void flow.zoomTo(1, { duration: 150 })
  else if (event.key === 'Escape') selectOnly(designer, [])
  else if (event.key === 'Enter' && canvas) focusInspector(designer)
  else if (event.key === '[') togglePane(designer, 'side')
  else if (event.key === ']') togglePane(designer, 'inspector')
  else if (event.key === 'f' && step !== undefined && bodiesOf(designer.design.view, step.key).length > 0)
    toggleFold(designer, step.key)
  else if (readOnly !== undefined) return false
  else if (event.key === 'Tab' && !event.shiftKey && canvas) startAdding(designer, besideSelected(step?.id))
  else if (event.key === 'F2' && step !== undefined) focusInspector(designer, '[data-step-name]')
  else if (event.key === 'Delete' || event.key === 'Backspace') removeSelected(designer)
  else if (event.key === 'L' && event.shiftKey)
    void arrangeAll(designer).then(() => flow.fitView({ padding: 0.12, maxZoom: 1 }))
  else if (event.key === 'd') toggleDisabled(designer)
  else if (event.key === 'n') note(designer, middle(flow))
  else if (event.key === 'c' && step !== undefined) store.setState({ connecting: step.key })
  else return false
  return true
}

/** Shows the step that was gone to. */
export function bringIntoView({ store, design }: Designer, flow: ReturnType<typeof useReactFlow>): void {
  const [key] = store.getState().selection
  const node = key === undefined || !design.view.steps.has(key) ? undefined : flow.getInternalNode(key)
  if (node === undefined) return
  const box = document.querySelector('[data-designer-canvas]')?.getBoundingClientRect()
  const { x, y } = flow.flowToScreenPosition(node.internals.positionAbsolute)
  if (box === undefined || (x > box.left && x + 80 < box.right && y > box.top && y + 40 < box.bottom)) return
  void flow.setCenter(node.internals.positionAbsolute.x + 100, node.internals.positionAbsolute.y + 29, {
    zoom: flow.getZoom(),
    duration: 120,
  })
}

function middle(flow: ReturnType<typeof useReactFlow>): { readonly x: number; readonly y: number } {
  const box = document.querySelector('[data-designer-canvas]')!.getBoundingClientRect()
  return flow.screenToFlowPosition({ x: box.left + box.width / 2 - 110, y: box.top + box.height / 2 - 50 })
}

function besideSelected(id: string | undefined): { readonly x: number; readonly y: number } {
  const node = id === undefined ? null : document.querySelector(`[data-step="${CSS.escape(id)}"]`)
  if (node !== null) {
    const { right, top } = node.getBoundingClientRect()
    return { x: right + 16, y: top }
  }
  const box = document.querySelector('[data-designer-canvas]')!.getBoundingClientRect()
  return { x: box.left + box.width / 2 - 170, y: box.top + box.height / 3 }
}

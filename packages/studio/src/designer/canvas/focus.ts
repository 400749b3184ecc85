import { flushSync } from 'react-dom'
import type { Designer } from '../state/designer-state.ts'
import { togglePane } from '../state/toggle-pane.ts'

/** Its pane opens first where it is closed. The focus is there at once: what is typed next is meant for the field. */
export function focusInspector(designer: Designer, wanted = '[data-first-field]'): void {
  flushSync(() => togglePane(designer, 'inspector', true))
  const field = document.querySelector<HTMLElement>(`[data-inspector] ${wanted}`)
  field?.focus({ preventScroll: false })
  if (field instanceof HTMLInputElement && wanted !== '[data-first-field]') field.select()
}

export const focusCanvas = (): void => document.querySelector<HTMLElement>('[data-designer-canvas]')?.focus()

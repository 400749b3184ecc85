import type { Designer } from '../state/designer-state.ts'
import { togglePane } from '../state/toggle-pane.ts'

/** What was asked for is shown in a moment, and its pane first where it is closed. */
export function focusInspector(designer: Designer, wanted = '[data-first-field]'): void {
  togglePane(designer, 'inspector', true)
  requestAnimationFrame(() => {
    const field = document.querySelector<HTMLElement>(`[data-inspector] ${wanted}`)
    field?.focus({ preventScroll: false })
    if (field instanceof HTMLInputElement && wanted !== '[data-first-field]') field.select()
  })
}

export const focusCanvas = (): void => document.querySelector<HTMLElement>('[data-designer-canvas]')?.focus()

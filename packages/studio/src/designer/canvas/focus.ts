/** What was asked for is shown in a moment. */
export function focusInspector(): void {
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>('[data-inspector] [data-first-field]')?.focus({ preventScroll: false }),
  )
}

export const focusCanvas = (): void => document.querySelector<HTMLElement>('[data-designer-canvas]')?.focus()

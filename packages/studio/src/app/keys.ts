import { after } from '../browser/time.ts'

const SECOND_KEY_MS = 1_200

/** Keys count only where nobody is typing. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

export interface KeyMap {
  /** `g` and this. */
  readonly go: Readonly<Record<string, () => void>>
  readonly keys: Readonly<Record<string, (event: KeyboardEvent) => void>>
}

/** Listens until the answer is called. */
export function listenKeys({ go, keys }: KeyMap): () => void {
  let waiting = false
  let forget = (): void => {}
  const onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    if (waiting) {
      waiting = false
      forget()
      const jump = go[event.key]
      if (jump !== undefined) {
        event.preventDefault()
        jump()
      }
      return
    }
    if (event.key === 'g') {
      waiting = true
      forget = after(SECOND_KEY_MS, () => {
        waiting = false
      })
      return
    }
    keys[event.key]?.(event)
  }
  window.addEventListener('keydown', onKey)
  return () => {
    forget()
    window.removeEventListener('keydown', onKey)
  }
}

import { useSyncExternalStore } from 'react'
import { serverNow } from '../api/server-time.ts'
import { every } from '../browser/time.ts'

let now = serverNow()
let stop: (() => void) | undefined
const listeners = new Set<() => void>()

function watch(listener: () => void): () => void {
  listeners.add(listener)
  if (listeners.size === 1) {
    stop = every(1_000, () => {
      now = serverNow()
      for (const each of listeners) each()
    })
  }
  return () => {
    listeners.delete(listener)
    if (listeners.size === 0) stop?.()
  }
}

/** The server's time, moving on every second. All that use it tick together. */
export const useNow = (): number => useSyncExternalStore(watch, () => now)

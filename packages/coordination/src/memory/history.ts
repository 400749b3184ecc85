import type { LockEvent } from '../monitor/lock-registry-provider.ts'
import type { MemorySpace } from './memory-store.ts'

const EVENTS_PER_NAME = 32
const NAMES = 1_000

/** Keeps the last events of the names used last, newest first. */
export function recordEvent(space: MemorySpace, name: string, event: LockEvent): void {
  let events = space.history.get(name)
  if (events === undefined) {
    events = []
    if (space.history.size >= NAMES) space.history.delete(space.history.keys().next().value!)
    space.history.set(name, events)
  }
  events.unshift(event)
  if (events.length > EVENTS_PER_NAME) events.pop()
}

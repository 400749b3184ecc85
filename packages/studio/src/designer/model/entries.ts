import * as Y from 'yjs'
import { type Json, sameJson } from './json.ts'
import type { Entry } from './parts.ts'

export function put(map: Y.Map<Entry>, key: string, members: Readonly<Record<string, Json | undefined>>): Entry {
  const entry: Entry = new Y.Map()
  map.set(key, entry)
  for (const [name, value] of Object.entries(members)) if (value !== undefined) entry.set(name, value)
  return entry
}

/** Writes nothing that stands there already: what did not change is no change. */
export function setOrDelete(entry: Entry, name: string, value: Json | undefined): void {
  if (value === undefined) {
    if (entry.has(name)) entry.delete(name)
  } else if (!entry.has(name) || !sameJson(entry.get(name), value)) entry.set(name, value)
}

/** A place behind all others. */
export function lastPlace(map: Y.Map<Entry>): number {
  let last = -1
  for (const entry of map.values()) last = Math.max(last, entry.get('at') as number)
  return last + 1
}

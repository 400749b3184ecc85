import type * as Y from 'yjs'
import type { Json } from './json.ts'

/**
 * The shape of the shared document: flat maps, an entry for every step, connection, body, note and variable, with its members as
 * entries of its own, so that edits of two people to two fields never meet. `f:` stands before members of the JSON, `i:` before
 * inputs, `!` before marks that an empty list or object was written out.
 */
export type Entry = Y.Map<Json>
export interface Parts {
  readonly document: Entry
  readonly bodies: Y.Map<Entry>
  readonly steps: Y.Map<Entry>
  readonly connections: Y.Map<Entry>
  readonly notes: Y.Map<Entry>
  readonly variables: Entry
}

export const partsOf = (doc: Y.Doc): Parts => ({
  document: doc.getMap('document'),
  bodies: doc.getMap('bodies'),
  steps: doc.getMap('steps'),
  connections: doc.getMap('connections'),
  notes: doc.getMap('notes'),
  variables: doc.getMap('variables'),
})

export const FIELD = 'f:'
export const INPUT = 'i:'
export const MARK = '!'

/** Entries whose names begin with `prefix`, without it. */
export function prefixed(entry: Entry, prefix: string): Record<string, Json> {
  const found: Record<string, Json> = {}
  for (const [name, value] of entry.entries()) if (name.startsWith(prefix)) found[name.slice(prefix.length)] = value
  return found
}

export const bodyKey = (step: string, slot: string, index?: number | string): string =>
  index === undefined ? `${step}/${slot}` : `${step}/${slot}:${index}`

import { type WorkflowEntry, whoOf } from '../versions/workflow-entry.ts'

export interface Change {
  readonly at: string
  /** Absent: nobody signed in. */
  readonly who: string | undefined
}

export function lastChanges(entries: readonly WorkflowEntry[]): ReadonlyMap<string, Change> {
  const found = new Map<string, Change>()
  for (const entry of entries) {
    const id = entry.target.split(/[\s/,]/)[0] ?? ''
    const known = found.get(id)
    if (known === undefined || Date.parse(known.at) < Date.parse(entry.at))
      found.set(id, { at: entry.at, who: whoOf(entry) })
  }
  return found
}

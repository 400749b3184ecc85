import type { Design } from './design.ts'
import type { JsonObject } from './json.ts'
import { FIELD } from './parts.ts'
import { Reader, unreadable } from './read-graph.ts'
import { place, putLine } from './step-operations.ts'
import { outermost, type Position, withInside } from './view.ts'

/** Into another body, which must not lie inside them. Lines that would lead from one body to another go. */
export function moveIntoBody(
  design: Design,
  places: ReadonlyMap<string, Position>,
  body: string,
): 'moved' | 'not-possible' {
  const keys = outermost(design.view, places.keys())
  const inside = withInside(design.view, keys)
  const holder = design.view.bodies.get(body)?.step
  if (holder !== undefined && inside.has(holder)) return 'not-possible'
  const moved = new Set(keys.map((key) => design.view.steps.get(key)!.id))
  design.edit((parts) => {
    for (const key of keys) {
      const step = parts.steps.get(key)!
      const from = step.get('body')
      if (from !== body) {
        for (const [line, entry] of [...parts.connections.entries()]) {
          const ends = [entry.get('from') as string, entry.get('to') as string]
          if (entry.get('body') !== from || !ends.includes(step.get('id') as string)) continue
          const outcome = (entry.get(`${FIELD}outcome`) as string | undefined) ?? 'done'
          parts.connections.delete(line)
          if (ends.every((end) => moved.has(end))) putLine(parts, body, ends[0]!, outcome, ends[1]!)
        }
        step.set('body', body)
      }
      place(step, places.get(key)!)
    }
  })
  return 'moved'
}

/** Another document in the place of this one, as one step of undo. */
export function replaceDocument(design: Design, document: JsonObject): { readonly refused?: string } {
  const refused = unreadable(document)
  if (refused !== undefined) return { refused }
  design.edit((parts) => {
    for (const part of Object.values(parts)) part.clear()
    new Reader(parts).document(document)
  })
  return {}
}

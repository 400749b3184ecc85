import type { Design } from './design.ts'
import { isObject, type Json, type JsonObject } from './json.ts'
import { isGraph, Reader } from './read-graph.ts'
import { renameInActivity, renameInLines } from './references.ts'
import { place } from './step-operations.ts'
import { outermost, type Position, ROOT } from './view.ts'

const FORMAT = 'lockstep/steps'

/** Steps, with what is inside them and the connections between them, as text that can be sent to anybody. */
export function copySteps(design: Design, keys: Iterable<string>): string | undefined {
  const chosen = outermost(design.view, keys)
    .map((key) => design.view.steps.get(key)!)
    .sort((a, b) => a.at - b.at)
  if (chosen.length === 0) return undefined
  const { json, pointers } = design.written
  const ids = new Set(chosen.map((step) => step.id))
  const bodies = new Set(chosen.map((step) => step.body))
  const connections = [...bodies].flatMap((body) => {
    const holder = pointers.get(chosen.find((step) => step.body === body)!.key)!.replace(/\/activities\/\d+$/, '')
    const lines = (valueAt(json, holder) as JsonObject).connections ?? []
    return (lines as readonly JsonObject[]).filter((line) => ids.has(String(line.from)) && ids.has(String(line.to)))
  })
  const activities = chosen.map((step) => valueAt(json, pointers.get(step.key)!)!)
  return JSON.stringify({ format: FORMAT, activities, connections }, undefined, 2)
}

export type PasteResult =
  | { readonly status: 'pasted'; readonly keys: readonly string[] }
  /** The text is something else. */
  | { readonly status: 'not-steps' }

/** New ids where theirs are taken; connections and references among them go along. */
export function pasteSteps(
  design: Design,
  text: string,
  {
    body = ROOT,
    at,
    offset = 40,
    group,
  }: { readonly body?: string; readonly at?: Position; readonly offset?: number; readonly group?: string } = {},
): PasteResult {
  const found = parse(text)
  if (found === undefined) return { status: 'not-steps' }
  const taken = new Set([...design.view.steps.values()].map(({ id }) => id))
  const ids = new Map<string, string>()
  for (const id of idsIn(found)) {
    let next = id
    for (let count = 2; taken.has(next); count++) next = `${id.replace(/\d+$/, '')}${count}`
    taken.add(next)
    if (next !== id) ids.set(id, next)
  }
  const activities = (found.activities as readonly JsonObject[]).map((each) => renameInActivity(each, ids))
  const lines = renameInLines((found.connections ?? []) as readonly Json[], ids)
  const places = activities.map(positionOf)
  const corner = {
    x: Math.min(...places.map((each) => each?.x ?? 0)),
    y: Math.min(...places.map((each) => each?.y ?? 0)),
  }
  const by = at === undefined ? { x: offset, y: offset } : { x: at.x - corner.x, y: at.y - corner.y }
  const keys = design.edit((parts) => {
    const added = new Reader(parts).contents(body, activities, lines)
    added.forEach((key, index) => {
      const from = places[index]
      if (from !== undefined) place(parts.steps.get(key)!, { x: from.x + by.x, y: from.y + by.y })
    })
    return added
  }, group)
  return { status: 'pasted', keys }
}

function parse(text: string): JsonObject | undefined {
  try {
    const json = JSON.parse(text) as Json
    return isObject(json) && json.format === FORMAT && isGraph(json) ? json : undefined
  } catch {
    return undefined
  }
}

function idsIn(graph: JsonObject): readonly string[] {
  return (graph.activities as readonly JsonObject[]).flatMap((activity) => [
    activity.id as string,
    ...Object.values(activity).flatMap((value) => [value].flat().flatMap((each) => (isGraph(each) ? idsIn(each) : []))),
    ...(isObject(activity['x-disabled'])
      ? idsIn({ activities: [{ ...activity['x-disabled'], id: '' }] }).slice(1)
      : []),
  ])
}

function positionOf({ layout }: JsonObject): Position | undefined {
  const place = isObject(layout) && isObject(layout.position) ? layout.position : undefined
  return typeof place?.x === 'number' && typeof place.y === 'number' ? { x: place.x, y: place.y } : undefined
}

/** RFC 6901, of names without `~` and `/`. */
function valueAt(json: Json, pointer: string): Json | undefined {
  let found: Json | undefined = json
  for (const name of pointer.split('/').slice(1))
    found = Array.isArray(found) ? found[Number(name)] : isObject(found) ? found[name] : undefined
  return found
}

import { canonicalJson, isJsonObject, type Json, type JsonObject } from '@lockstep/base'
import type { GraphDocument } from '../../graph/document.ts'
import { pointerSegments } from '../../graph/json-pointer.ts'
import { setMember } from '../../graph/own-member.ts'
import { type Renames, renameConnection, renameScope } from './find-renames.ts'
import { connectionKey, type FlatGraph, flatten } from './flat-graph.ts'
import type { FieldChange, GraphDiff } from './graph-change.ts'

/** A document as a value that can be compared and changed: what a diff is about, and nothing else. */
export interface Meaning {
  readonly workflow: Record<string, Json>
  readonly variables: Record<string, Json>
  /** By id: `{ scope, parts, own }`. */
  readonly activities: Record<string, Json>
  readonly connections: Set<string>
}

export function meaningOf(document: GraphDocument): Meaning {
  const flat: FlatGraph = flatten(document)
  const { id, name, description, tags, input, output, variables = {} } = document
  const activities = [...flat.activities.values()].map(({ id: key, scope, own, parts }) => [key, { scope, own, parts }])
  return structuredClone({
    workflow: JSON.parse(JSON.stringify({ id, name, description, tags, input, output })),
    variables: Object.fromEntries(
      Object.entries(variables).map(([key, each]) => [key, withoutDefaults(each as JsonObject)]),
    ),
    activities: Object.fromEntries(activities),
    connections: new Set(flat.connections.keys()),
  })
}

export function comparable({ workflow, variables, activities, connections }: Meaning): string {
  return canonicalJson([workflow, variables, activities, [...connections].sort()])
}

/** The meaning of the old document after every reported change: must be that of the new one. */
export function applyDiff(old: GraphDocument, { changes }: GraphDiff): Meaning {
  const meaning = meaningOf(old)
  rename(old, meaning, changes)
  for (const change of changes) {
    switch (change.subject) {
      case 'workflow':
        apply(meaning.workflow, change.fields, [])
        break
      case 'input':
      case 'output':
        apply(meaning.workflow, change.fields, [change.subject])
        break
      case 'variable':
        apply(meaning.variables, change.fields, [change.name])
        break
      case 'connection':
        if (change.change === 'added') meaning.connections.add(connectionKey(change))
        else meaning.connections.delete(connectionKey(change))
        break
      case 'activity':
        if (change.change === 'removed') delete meaning.activities[change.id]
        else if (change.change === 'added') {
          const { body, branches, catch: caught, finally: last, ...own } = change.activity as Record<string, Json>
          const parts = JSON.parse(JSON.stringify({ body, branches, catch: caught, finally: last }))
          meaning.activities[change.id] = { scope: change.scope, own, parts }
        } else if (change.change === 'changed') {
          const place = change.aspect === 'place' ? [] : change.aspect === 'parts' ? ['parts'] : ['own']
          apply(meaning.activities, change.fields, [change.id, ...place])
        }
    }
  }
  return meaning
}

function rename(old: GraphDocument, meaning: Meaning, changes: GraphDiff['changes']): void {
  const renames: Renames = new Map(
    changes.flatMap((change) =>
      change.subject === 'activity' && change.change === 'renamed' ? [[change.previousId, change.id] as const] : [],
    ),
  )
  const connections = [...flatten(old).connections.values()].map((each) =>
    connectionKey(renameConnection(each, renames)),
  )
  meaning.connections.clear()
  for (const key of connections) meaning.connections.add(key)
  for (const [id, activity] of Object.entries(meaning.activities)) {
    delete meaning.activities[id]
    const { scope } = activity as { scope: string }
    meaning.activities[renames.get(id) ?? id] = { ...(activity as JsonObject), scope: renameScope(scope, renames) }
  }
}

function withoutDefaults({ type, default: initial, ...rest }: JsonObject): JsonObject {
  return {
    ...rest,
    ...(type !== undefined && type !== 'any' && { type }),
    ...(initial !== undefined && initial !== null && { default: initial }),
  }
}

function apply(root: Record<string, Json>, fields: readonly FieldChange[], place: readonly string[]): void {
  for (const { pointer, after } of fields) {
    const path = [...place, ...pointerSegments(pointer)]
    let target = root
    for (const segment of path.slice(0, -1)) {
      if (!isJsonObject(target[segment]) && !Array.isArray(target[segment])) throw new Error(`no ${path.join('/')}`)
      target = target[segment] as Record<string, Json>
    }
    const last = path.at(-1)!
    if (after === undefined) delete target[last]
    else setMember(target, last, after)
  }
}

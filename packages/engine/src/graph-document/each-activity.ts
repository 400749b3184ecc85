import type { ActivityDocument, GraphBody, GraphDocument } from '../graph/document.ts'
import { pointerTo } from '../graph/json-pointer.ts'

/** One graph of a document: the outermost, or a part of a container. */
export interface PlacedScope {
  /** `''`, or the id of the container and the name of its part, such as `loop/body` or `fork/branches/1`. */
  readonly name: string
  readonly pointer: string
  readonly graph: GraphBody
  readonly owner: string | undefined
}

export interface PlacedActivity {
  readonly activity: ActivityDocument
  readonly pointer: string
  readonly scope: PlacedScope
}

/** The graphs of a document of the right shape, outer before inner. */
export function* eachScope(document: GraphDocument): Generator<PlacedScope> {
  const open: PlacedScope[] = [{ name: '', pointer: '', graph: document, owner: undefined }]
  for (let scope = open.shift(); scope !== undefined; scope = open.shift()) {
    yield scope
    for (const { activity, pointer } of activitiesOf(scope)) open.push(...partsOf(activity, pointer))
  }
}

export function* eachActivity(document: GraphDocument): Generator<PlacedActivity> {
  for (const scope of eachScope(document)) yield* activitiesOf(scope)
}

function activitiesOf(scope: PlacedScope): readonly PlacedActivity[] {
  return scope.graph.activities.map((activity, position) => ({
    activity,
    pointer: pointerTo(scope.pointer, 'activities', position),
    scope,
  }))
}

function partsOf(activity: ActivityDocument, pointer: string): readonly PlacedScope[] {
  const parts: PlacedScope[] = []
  const add = (graph: GraphBody | undefined, ...place: readonly (string | number)[]): void => {
    if (graph === undefined) return
    parts.push({
      name: [activity.id, ...place].join('/'),
      pointer: pointerTo(pointer, ...place),
      graph,
      owner: activity.id,
    })
  }
  add(activity.body, 'body')
  activity.branches?.forEach((branch, position) => {
    add(branch, 'branches', position)
  })
  add(activity.catch, 'catch')
  add(activity.finally, 'finally')
  return parts
}

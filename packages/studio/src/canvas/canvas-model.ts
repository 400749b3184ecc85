import type { Activity, GraphBody } from '../api/wire.ts'
import { partName } from './part-name.ts'

/** A step, a step that holds others, or one of several parts of such a step. */
export interface CanvasNode {
  readonly id: string
  readonly kind: 'step' | 'container' | 'part'
  readonly name: string
  /** Of the activity; of a part, which one it is. */
  readonly type: string
  readonly parent: string | undefined
}

export interface CanvasEdge {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly outcome: string
  readonly parent: string | undefined
}

export interface CanvasModel {
  readonly nodes: readonly CanvasNode[]
  readonly edges: readonly CanvasEdge[]
}

/** The drawing of a document: flat, with parents by id. */
export function canvasModel(document: GraphBody): CanvasModel {
  const nodes: CanvasNode[] = []
  const edges: CanvasEdge[] = []
  const addBody = (body: GraphBody, parent: string | undefined): void => {
    for (const activity of body.activities) addActivity(activity, parent)
    for (const { from, to, outcome = 'done' } of body.connections ?? [])
      edges.push({ id: `${from} ${outcome} ${to}`, from, to, outcome, parent })
  }
  const addActivity = (activity: Activity, parent: string | undefined): void => {
    const parts = partsOf(activity)
    const kind = parts.length === 0 ? 'step' : 'container'
    nodes.push({ id: activity.id, kind, name: activity.name ?? activity.id, type: activity.type, parent })
    const [only] = parts
    if (parts.length === 1 && only?.[0] === 'body') {
      addBody(only[1], activity.id)
      return
    }
    for (const [name, body] of parts) {
      const id = `${activity.id}/${name}`
      nodes.push({ id, kind: 'part', name: partName(activity.type, name), type: name, parent: activity.id })
      addBody(body, id)
    }
  }
  addBody(document, undefined)
  return { nodes, edges }
}

export function partsOf(activity: Activity): readonly (readonly [string, GraphBody])[] {
  const named = (['body', 'catch', 'finally', 'compensate'] as const).flatMap((name) => {
    const body = activity[name]
    return body === undefined ? [] : [[name, body] as const]
  })
  const branches = (activity.branches ?? []).map((body, index) => [`branch ${index + 1}`, body] as const)
  return [...named, ...branches]
}

/** Every activity of a document by its id, however deep it lies. */
export function activitiesById(document: GraphBody): ReadonlyMap<string, Activity> {
  const found = new Map<string, Activity>()
  const look = (body: GraphBody): void => {
    for (const activity of body.activities) {
      found.set(activity.id, activity)
      for (const [, part] of partsOf(activity)) look(part)
    }
  }
  look(document)
  return found
}

/** Which activities lead to which. */
export function predecessors(document: GraphBody): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { from, to } of canvasModel(document).edges) found.set(to, [...(found.get(to) ?? []), from])
  return found
}

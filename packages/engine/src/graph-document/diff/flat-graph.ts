import type { Json, JsonObject } from '@lockstep/base'
import {
  type ActivityDocument,
  type ConnectionDocument,
  DEFAULT_OUTCOME,
  type GraphDocument,
} from '../../graph/document.ts'
import { eachScope } from '../each-activity.ts'

/** An activity without its nested graphs, notes and layout, and without members that say what is so by default. */
export interface FlatActivity {
  readonly id: string
  readonly pointer: string
  readonly scope: string
  /** Id of the container it is in. */
  readonly owner: string | undefined
  readonly own: JsonObject
  /** Which nested graphs it has: `{ body: true }`, `{ branches: 3 }`. */
  readonly parts: JsonObject
}

export interface FlatConnection {
  readonly scope: string
  readonly from: string
  readonly outcome: string
  readonly to: string
  readonly pointer: string
}

/** A document as the comparison sees it: order and layout are gone. */
export interface FlatGraph {
  /** By id; a second one of the same id (only drafts have that) as `id#2`. */
  readonly activities: ReadonlyMap<string, FlatActivity>
  readonly connections: ReadonlyMap<string, FlatConnection>
}

export function flatten(document: GraphDocument): FlatGraph {
  const activities = new Map<string, FlatActivity>()
  const connections = new Map<string, FlatConnection>()
  for (const { name: scope, pointer, graph, owner } of eachScope(document)) {
    graph.activities.forEach((activity, position) => {
      let id = activity.id
      for (let next = 2; activities.has(id); next += 1) id = `${activity.id}#${next}`
      const place = `${pointer}/activities/${position}`
      activities.set(id, { id, pointer: place, scope, owner, own: ownMembers(activity), parts: partsOf(activity) })
    })
    graph.connections?.forEach((connection, position) => {
      const flat = flatConnection(scope, connection, `${pointer}/connections/${position}`)
      if (!connections.has(connectionKey(flat))) connections.set(connectionKey(flat), flat)
    })
  }
  return { activities, connections }
}

export const connectionKey = ({ scope, from, outcome, to }: Omit<FlatConnection, 'pointer'>): string =>
  JSON.stringify([scope, from, outcome, to])

function flatConnection(
  scope: string,
  { from, outcome = DEFAULT_OUTCOME, to }: ConnectionDocument,
  pointer: string,
): FlatConnection {
  return { scope, from, outcome, to, pointer }
}

const ELSEWHERE: ReadonlySet<string> = new Set(['id', 'body', 'branches', 'catch', 'finally'])
const DEFAULTS: Readonly<Record<string, Json>> = { effect: 'atLeastOnce', onError: 'fault', join: 'all' }

export function isNote(name: string): boolean {
  return name === 'layout' || name === 'notes' || name.startsWith('x-')
}

function ownMembers(activity: ActivityDocument): JsonObject {
  const members = Object.entries(activity as unknown as JsonObject).filter(([name, value]) => {
    if (ELSEWHERE.has(name) || isNote(name)) return false
    return name === 'inputs' ? Object.keys(value as object).length > 0 : DEFAULTS[name] !== value
  })
  return Object.fromEntries(members)
}

function partsOf({ body, branches, catch: caught, finally: last }: ActivityDocument): JsonObject {
  return {
    ...(body && { body: true }),
    ...(branches && { branches: branches.length }),
    ...(caught && { catch: true }),
    ...(last && { finally: true }),
  }
}

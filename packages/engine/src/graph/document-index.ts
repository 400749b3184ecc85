import { type ActivityCatalogue, type ActivityType, keepsSteps } from '../activity/activity-type.ts'
import type { ActivityDocument, ConnectionDocument, GraphBody, GraphDocument } from './document.ts'
import { pointerTo } from './json-pointer.ts'

export type PartName = 'root' | 'body' | 'branch' | 'catch' | 'finally' | 'compensate'

export interface ScopeEntry {
  readonly pointer: string
  readonly part: PartName
  readonly owner: ActivityEntry | undefined
  /** Containers around it. */
  readonly depth: number
  readonly activities: readonly ActivityEntry[]
  readonly connections: readonly ConnectionDocument[]
}

export interface ActivityEntry {
  readonly pointer: string
  readonly id: string
  readonly document: ActivityDocument
  readonly scope: ScopeEntry
  /** `undefined`: the catalogue does not know it. */
  readonly type: ActivityType | undefined
}

/** A document of the right shape, laid flat for checks: every graph and activity with its place, outer before inner. */
export interface DocumentIndex {
  readonly document: GraphDocument
  readonly catalogue: ActivityCatalogue
  readonly scopes: readonly ScopeEntry[]
  readonly activities: readonly ActivityEntry[]
  /** The first of each id. */
  readonly byId: ReadonlyMap<string, ActivityEntry>
}

export function indexDocument(document: GraphDocument, catalogue: ActivityCatalogue): DocumentIndex {
  const scopes: ScopeEntry[] = []
  const all: ActivityEntry[] = []
  const byId = new Map<string, ActivityEntry>()

  function addScope(body: GraphBody, pointer: string, part: PartName, owner: ActivityEntry | undefined): void {
    const activities: ActivityEntry[] = []
    const depth = owner === undefined ? 0 : owner.scope.depth + 1
    const scope: ScopeEntry = { pointer, part, owner, depth, activities, connections: body.connections ?? [] }
    scopes.push(scope)
    body.activities.forEach((activity, position) => {
      const place = pointerTo(pointer, 'activities', position)
      const type = catalogue.get(activity.type)
      const entry: ActivityEntry = { pointer: place, id: activity.id, document: activity, scope, type }
      activities.push(entry)
      all.push(entry)
      if (!byId.has(activity.id)) byId.set(activity.id, entry)
    })
    for (const entry of activities) addParts(entry)
  }

  function addParts(entry: ActivityEntry): void {
    const { document: activity, pointer } = entry
    if (activity.body) addScope(activity.body, pointerTo(pointer, 'body'), 'body', entry)
    activity.branches?.forEach((branch, n) => {
      addScope(branch, pointerTo(pointer, 'branches', n), 'branch', entry)
    })
    if (activity.catch) addScope(activity.catch, pointerTo(pointer, 'catch'), 'catch', entry)
    if (activity.finally) addScope(activity.finally, pointerTo(pointer, 'finally'), 'finally', entry)
    if (activity.compensate) addScope(activity.compensate, pointerTo(pointer, 'compensate'), 'compensate', entry)
  }

  addScope(document, '', 'root', undefined)
  return { document, catalogue, scopes, activities: all, byId }
}

/** The scope and all around it, innermost first. */
export function* scopesAround(scope: ScopeEntry): Generator<ScopeEntry> {
  for (let current: ScopeEntry | undefined = scope; current !== undefined; current = current.owner?.scope) yield current
}

/** Each turn of a for-each or for has its own `steps`, and an `item`. */
export function isTurn(scope: ScopeEntry): boolean {
  return scope.part === 'body' && keepsSteps(scope.owner?.type)
}

/** Whether it is the body of a loop, which a break leaves. */
export function isLoopBody(scope: ScopeEntry): boolean {
  return isTurn(scope) || (scope.part === 'body' && scope.owner?.type?.container === 'while')
}

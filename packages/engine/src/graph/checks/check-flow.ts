import type { ActivityEntry, DocumentIndex, ScopeEntry } from '../document-index.ts'
import { type GraphProblem, problem, warning } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'

export const MAX_ACTIVITIES = 5_000
export const MAX_NESTING = 32

/** Limits of size. When these are broken nothing else is worth looking at. */
export function* checkSize(index: DocumentIndex): Generator<GraphProblem> {
  if (index.activities.length > MAX_ACTIVITIES) {
    yield problem(
      '/activities',
      'TOO_MANY_ACTIVITIES',
      `The document has ${index.activities.length} activities, more than ${MAX_ACTIVITIES}: move parts into workflows of their own`,
    )
  }
  const deep = index.scopes.find((scope) => scope.depth > MAX_NESTING)
  if (deep !== undefined) {
    yield problem(
      deep.pointer,
      'TOO_DEEP',
      `Containers are nested more than ${MAX_NESTING} deep: move parts into workflows of their own`,
    )
  }
}

/** Where each graph starts, and what it never comes to. */
export function* checkFlow(index: DocumentIndex): Generator<GraphProblem> {
  for (const scope of index.scopes) {
    if (scope.activities.length === 0) yield emptyGraph(scope)
    else yield* checkReachable(scope)
  }
}

function emptyGraph(scope: ScopeEntry): GraphProblem {
  const pointer = pointerTo(scope.pointer, 'activities')
  if (scope.owner === undefined) return problem(pointer, 'EMPTY_GRAPH', 'The workflow has no activities: add one')
  return warning(pointer, 'EMPTY_GRAPH', `"${scope.part}" of "${scope.owner.id}" has no activities, so it does nothing`)
}

function* checkReachable(scope: ScopeEntry): Generator<GraphProblem> {
  const byId = new Map(scope.activities.map((entry) => [entry.id, entry]))
  const targets = new Map<ActivityEntry, ActivityEntry[]>(scope.activities.map((entry) => [entry, []]))
  const withIncoming = new Set<ActivityEntry>()
  for (const { from, to } of scope.connections) {
    const source = byId.get(from)
    const target = byId.get(to)
    if (source === undefined || target === undefined) continue
    targets.get(source)!.push(target)
    withIncoming.add(target)
  }
  const reached = new Set(scope.activities.filter((entry) => !withIncoming.has(entry)))
  if (reached.size === 0) {
    const where = scope.owner === undefined ? 'The workflow' : `"${scope.part}" of "${scope.owner.id}"`
    yield problem(
      pointerTo(scope.pointer, 'activities'),
      'NO_START',
      `${where} cannot start: every activity has an incoming connection. Remove one, or add an activity before them`,
    )
    return
  }
  for (const entry of reached) for (const target of targets.get(entry)!) reached.add(target)
  for (const entry of scope.activities) {
    if (reached.has(entry)) continue
    yield warning(
      entry.pointer,
      'UNREACHABLE_ACTIVITY',
      `No way leads from a start to "${entry.id}": connect or remove it`,
    )
  }
}

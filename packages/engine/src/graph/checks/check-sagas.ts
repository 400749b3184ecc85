import { type ActivityEntry, type DocumentIndex, type ScopeEntry, scopesAround } from '../document-index.ts'
import { type GraphProblem, problem, warning } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'
import { suggestion } from '../nearest-name.ts'

/** Compensations: what cannot stand inside one, and what an activity `compensate` names. */
export function* checkSagas(index: DocumentIndex): Generator<GraphProblem> {
  const compensates = index.activities.some(({ document }) => document.compensate !== undefined)
  for (const entry of index.activities) {
    const body = [...scopesAround(entry.scope)].find(({ part }) => part === 'compensate')
    if (body !== undefined) yield* checkInside(entry, body)
    if (entry.type?.container === 'compensate') yield* checkCompensate(index, entry, compensates)
  }
}

function* checkInside(entry: ActivityEntry, body: ScopeEntry): Generator<GraphProblem> {
  const { document, pointer, id, type } = entry
  const where = `the compensation of "${body.owner?.id}"`
  if (document.compensate !== undefined) {
    yield problem(
      pointerTo(pointer, 'compensate'),
      'NOT_IN_COMPENSATION',
      `"${id}" is part of ${where}, and what undoes something is not undone itself: remove "compensate"`,
    )
  }
  if (type?.container === 'compensate' || type?.jump === 'finish') {
    yield problem(
      pointer,
      'NOT_IN_COMPENSATION',
      `"${id}" (${type.type}) cannot stand in ${where}, which goes on to its end: remove it`,
    )
  }
  if ((type?.jump === 'break' || type?.jump === 'continue') && !isLoopedInside(entry, body)) {
    yield problem(pointer, 'NOT_IN_A_LOOP', `"${id}" (${type.type}) has no loop around it inside ${where}: remove it`)
  }
}

/** When its steps are undone, the loops around them are over. */
function isLoopedInside(entry: ActivityEntry, body: ScopeEntry): boolean {
  for (const scope of scopesAround(entry.scope)) {
    if (scope === body) return false
    const rule = scope.owner?.type?.container
    if (rule === 'for-each' || rule === 'for' || rule === 'while') return true
  }
  return false
}

function* checkCompensate(index: DocumentIndex, entry: ActivityEntry, compensates: boolean): Generator<GraphProblem> {
  const scope = entry.document.inputs?.scope
  if (typeof scope === 'string' && !index.byId.has(scope)) {
    yield problem(
      pointerTo(entry.pointer, 'inputs', 'scope'),
      'UNKNOWN_STEP',
      `"scope" of "${entry.id}" names no activity${suggestion(scope, index.byId.keys())}`,
    )
  }
  if (!compensates) {
    yield warning(
      entry.pointer,
      'NOTHING_TO_COMPENSATE',
      `"${entry.id}" has nothing to undo: no activity has "compensate". Add it to those that should be undone`,
    )
  }
}

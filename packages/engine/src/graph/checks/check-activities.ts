import type { ActivityEntry, DocumentIndex } from '../document-index.ts'
import { type GraphProblem, problem, warning } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'
import { suggestion } from '../nearest-name.ts'

const PARTS = ['body', 'branches', 'catch', 'finally'] as const

/** Ids, types, and whether each activity holds the nested graphs that its type calls for. */
export function* checkActivities(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    const first = index.byId.get(entry.id)!
    if (first !== entry) {
      yield problem(
        pointerTo(entry.pointer, 'id'),
        'DUPLICATE_ID',
        `Activity id "${entry.id}" is taken by ${first.pointer}: ids are unique in the whole document`,
      )
    }
    if (entry.type === undefined) yield unknownType(entry, index)
    else yield* checkParts(entry)
    if (entry.type?.kind === 'trigger' && entry.scope.owner !== undefined) {
      yield problem(
        entry.pointer,
        'TRIGGER_NOT_AT_START',
        `Trigger "${entry.id}" is inside a container: move it to the outermost graph`,
      )
    }
  }
}

function unknownType(entry: ActivityEntry, { catalogue }: DocumentIndex): GraphProblem {
  const { type } = entry.document
  const hint = suggestion(type, catalogue.types())
  return problem(
    pointerTo(entry.pointer, 'type'),
    'UNKNOWN_ACTIVITY_TYPE',
    `No activity type is called "${type}"${hint}`,
  )
}

function* checkParts({ pointer, id, document, type }: ActivityEntry): Generator<GraphProblem> {
  const bodies = type!.bodies ?? []
  for (const { name, required } of bodies) {
    const isMissing = name === 'branches' ? !document.branches?.length : document[name] === undefined
    if (required && isMissing) {
      yield problem(
        pointer,
        'MISSING_BODY',
        `"${id}" (${type!.type}) needs "${name}": add it with at least one activity`,
      )
    }
  }
  for (const name of PARTS) {
    if (document[name] !== undefined && !bodies.some((body) => body.name === name)) {
      yield problem(
        pointerTo(pointer, name),
        'UNEXPECTED_BODY',
        `"${id}" (${type!.type}) cannot hold "${name}": remove it`,
      )
    }
  }
  if (type!.container === 'try' && !document.catch && !document.finally) {
    yield warning(
      pointer,
      'TRY_WITHOUT_HANDLER',
      `"${id}" has neither "catch" nor "finally", so it changes nothing: add one`,
    )
  }
}

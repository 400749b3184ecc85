import { isJsonObject } from '@lockstep/base'
import type { ActivityType } from '../../activity/activity-type.ts'
import type { ActivityDocument, ConnectionDocument } from '../document.ts'
import { DEFAULT_OUTCOME, FAILED_OUTCOME } from '../document.ts'
import type { ActivityEntry, DocumentIndex, ScopeEntry } from '../document-index.ts'
import { type GraphProblem, problem, warning } from '../graph-problem.ts'
import { containsExpression } from '../input-template.ts'
import { pointerTo } from '../json-pointer.ts'
import { suggestion } from '../nearest-name.ts'

/** Both ends, outcomes and repetitions of every connection. */
export function* checkConnections(index: DocumentIndex): Generator<GraphProblem> {
  for (const scope of index.scopes) {
    const own = new Map(scope.activities.map((entry) => [entry.id, entry]))
    const seen = new Set<string>()
    for (const [position, connection] of scope.connections.entries()) {
      const pointer = pointerTo(scope.pointer, 'connections', position)
      const { from, to, outcome = DEFAULT_OUTCOME } = connection
      const key = JSON.stringify([from, outcome, to])
      if (seen.has(key)) {
        yield warning(
          pointer,
          'DUPLICATE_CONNECTION',
          `"${from}" leads to "${to}" through "${outcome}" already: remove this one`,
        )
      }
      seen.add(key)
      for (const end of ['from', 'to'] as const) {
        if (!own.has(connection[end])) yield missingEnd(index, scope, pointerTo(pointer, end), connection[end])
      }
      const source = own.get(from)
      if (source !== undefined) yield* checkOutcome(source, connection, pointer)
      if (own.get(to)?.type?.kind === 'trigger') {
        yield problem(
          pointerTo(pointer, 'to'),
          'TRIGGER_NOT_AT_START',
          `Nothing can lead to trigger "${to}": it starts the workflow`,
        )
      }
    }
    for (const entry of scope.activities) yield* checkFailedOutcome(entry)
  }
}

function missingEnd(index: DocumentIndex, scope: ScopeEntry, pointer: string, id: string): GraphProblem {
  const elsewhere = index.byId.get(id)
  if (elsewhere !== undefined) {
    return problem(
      pointer,
      'CONNECTION_CROSSES_SCOPES',
      `"${id}" is in another graph (${elsewhere.pointer}): connect the container around it instead`,
    )
  }
  const hint = suggestion(
    id,
    scope.activities.map((entry) => entry.id),
  )
  return problem(pointer, 'UNKNOWN_ACTIVITY', `No activity is called "${id}"${hint}`)
}

function* checkOutcome(
  source: ActivityEntry,
  connection: ConnectionDocument,
  pointer: string,
): Generator<GraphProblem> {
  const { type, document } = source
  const outcomes = type && outcomesOf(type, document)
  if (type === undefined || outcomes === undefined || outcomes === 'any') return
  const known = [...outcomes]
  if (document.onError === 'outcome') known.push(FAILED_OUTCOME)
  if (document.onError === 'continue' && !known.includes(DEFAULT_OUTCOME)) known.push(DEFAULT_OUTCOME)
  const { outcome = DEFAULT_OUTCOME } = connection
  if (known.includes(outcome)) return
  const place = connection.outcome === undefined ? pointer : pointerTo(pointer, 'outcome')
  const fix =
    outcome === FAILED_OUTCOME
      ? 'set "onError" to "outcome" to get it'
      : known.length === 0
        ? 'it has none'
        : `use one of ${known.join(', ')}`
  yield problem(place, 'UNKNOWN_OUTCOME', `"${source.id}" (${type.type}) has no outcome "${outcome}": ${fix}`)
}

/** `any`: they cannot be known before it runs. */
function outcomesOf({ outcomes, outcomesFrom }: ActivityType, { inputs }: ActivityDocument): readonly string[] | 'any' {
  if (outcomes === 'any' || outcomesFrom === undefined) return outcomes
  const cases = inputs?.[outcomesFrom]
  if (!Array.isArray(cases)) return containsExpression(cases ?? null) ? 'any' : outcomes
  const named = cases.map((each) =>
    isJsonObject(each) ? each.outcome : outcomesFrom === 'outcomes' ? each : undefined,
  )
  const literal = named.filter((name) => typeof name === 'string')
  const others = outcomesFrom === 'outcomes' ? outcomes.filter((name) => name !== DEFAULT_OUTCOME) : outcomes
  return literal.length < named.length ? 'any' : [...new Set([...literal, ...others])]
}

function* checkFailedOutcome({ document, scope, pointer, id }: ActivityEntry): Generator<GraphProblem> {
  if (document.onError !== 'outcome') return
  if (scope.connections.some(({ from, outcome }) => from === id && outcome === FAILED_OUTCOME)) return
  yield warning(
    pointerTo(pointer, 'onError'),
    'FAILED_NOT_CONNECTED',
    `A failure of "${id}" would end its branch unseen: connect its outcome "${FAILED_OUTCOME}"`,
  )
}

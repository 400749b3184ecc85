import { isJsonObject, type JsonObject } from '@lockstep/base'
import { rangeOf } from '../containers/number-range.ts'
import { type ActivityEntry, type DocumentIndex, isLoopBody, isTurn, scopesAround } from '../document-index.ts'
import { type GraphProblem, problem } from '../graph-problem.ts'
import { containsExpression } from '../input-template.ts'
import { pointerTo } from '../json-pointer.ts'
import { suggestion } from '../nearest-name.ts'

/** What the schemas of loops, jumps and switches cannot say. */
export function* checkControlFlow(index: DocumentIndex): Generator<GraphProblem> {
  for (const entry of index.activities) {
    const { type, document } = entry
    const { inputs = {} } = document
    if (type?.jump === 'break' || type?.jump === 'continue') yield* checkJump(entry)
    if (type?.container === 'for') yield* checkRange(entry, inputs)
    if (type !== undefined && inputs.collect !== undefined) yield* checkCollect(index, entry, inputs)
    if (type?.outcomesFrom === 'cases') yield* checkCases(entry, inputs)
  }
}

function* checkJump({ scope, pointer, id, document }: ActivityEntry): Generator<GraphProblem> {
  // Inside a compensation other rules hold, see check-sagas.ts.
  if ([...scopesAround(scope)].some((around) => isLoopBody(around) || around.part === 'compensate')) return
  yield problem(
    pointer,
    'NOT_IN_A_LOOP',
    `"${id}" (${document.type}) is in no loop: move it into the body of a for-each, for or while, or use "finish"`,
  )
}

/** Only where all of it is known. */
function* checkRange({ pointer }: ActivityEntry, inputs: JsonObject): Generator<GraphProblem> {
  const { start = 0, end, step = 1 } = inputs
  if ([start, end, step].some((value) => typeof value !== 'number')) return
  const range = rangeOf(inputs)
  const place = inputs.step === undefined ? 'end' : 'step'
  if ('problem' in range) yield problem(pointerTo(pointer, 'inputs', place), 'INVALID_INPUT', range.problem)
}

function* checkCollect(index: DocumentIndex, entry: ActivityEntry, { collect }: JsonObject): Generator<GraphProblem> {
  if (!isTurn({ ...entry.scope, part: 'body', owner: entry })) return
  const place = pointerTo(entry.pointer, 'inputs', 'collect')
  if (typeof collect !== 'string') {
    if (containsExpression(collect!)) yield notLiteral(entry, place, 'collect')
    return
  }
  const inside = index.activities.filter(({ scope }) => nearestTurn(scope)?.owner === entry)
  if (inside.some(({ id }) => id === collect)) return
  const hint = suggestion(
    collect,
    inside.map(({ id }) => id),
  )
  yield problem(
    place,
    'UNKNOWN_STEP',
    `"collect" of "${entry.id}" names no activity of its body${hint || ', inner loops aside'}`,
  )
}

const nearestTurn = (scope: ActivityEntry['scope']): ActivityEntry['scope'] | undefined =>
  [...scopesAround(scope)].find(isTurn)

function* checkCases(entry: ActivityEntry, { cases, value }: JsonObject): Generator<GraphProblem> {
  if (!Array.isArray(cases)) return
  for (const [position, each] of cases.entries()) {
    const place = pointerTo(entry.pointer, 'inputs', 'cases', position)
    if (!isJsonObject(each)) continue
    if (each.equals !== undefined && value === undefined) {
      yield problem(
        pointerTo(place, 'equals'),
        'MISSING_INPUT',
        `"${entry.id}" (${entry.document.type}) compares with "equals" and has no "value": add it, or use "condition"`,
      )
    }
    if (each.outcome !== undefined && containsExpression(each.outcome)) {
      yield notLiteral(entry, pointerTo(place, 'outcome'), 'outcome')
    }
  }
}

export function notLiteral({ id }: ActivityEntry, pointer: string, field: string): GraphProblem {
  return problem(pointer, 'NOT_A_LITERAL', `"${field}" of "${id}" cannot be an expression: write its value`)
}

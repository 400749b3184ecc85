import { isJsonObject, type Json } from '@lockstep/base'
import { type ActivityEntry, type DocumentIndex, isTurn, scopesAround } from '../document-index.ts'
import { stepsRead } from '../graph-expression.ts'
import { type GraphProblem, problem } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'
import { suggestion } from '../nearest-name.ts'
import type { ParseExpression } from '../parse-expression.ts'

/** Every `$expr` in inputs: its shape, its text, and whether what it names can be seen from where it stands. */
export function* checkExpressions(index: DocumentIndex, parse: ParseExpression | undefined): Generator<GraphProblem> {
  for (const entry of index.activities) {
    for (const { pointer, value } of expressionsIn(entry.document.inputs ?? {}, pointerTo(entry.pointer, 'inputs'))) {
      const source = value.$expr
      if (typeof source !== 'string' || Object.keys(value).length !== 1) {
        yield problem(pointer, 'MALFORMED_EXPRESSION', 'An expression is { "$expr": "text" } and nothing else')
        continue
      }
      if (parse === undefined) continue
      const { problem: fault, references } = parse(source)
      if (fault === undefined) yield* checkReferences(index, entry, pointer, references)
      else {
        const place = `line ${fault.line}, column ${fault.column}`
        yield problem(
          pointer,
          'INVALID_EXPRESSION',
          `The expression of "${entry.id}" cannot be read: ${fault.reason} (${place})`,
        )
      }
    }
  }
}

interface Found {
  readonly pointer: string
  readonly value: { readonly [key: string]: Json }
}

function* expressionsIn(value: Json, pointer: string): Generator<Found> {
  if (Array.isArray(value)) {
    for (const [position, item] of value.entries()) yield* expressionsIn(item, pointerTo(pointer, position))
  } else if (isJsonObject(value)) {
    if (Object.hasOwn(value, '$expr')) yield { pointer, value }
    else for (const [key, member] of Object.entries(value)) yield* expressionsIn(member, pointerTo(pointer, key))
  }
}

function* checkReferences(
  index: DocumentIndex,
  entry: ActivityEntry,
  pointer: string,
  references: readonly string[],
): Generator<GraphProblem> {
  const steps = stepsRead(references)
  for (const id of steps === 'all' ? [] : steps) {
    const step = index.byId.get(id)
    if (step === undefined) {
      yield problem(pointer, 'UNKNOWN_STEP', `"steps.${id}" names no activity${suggestion(id, index.byId.keys())}`)
    } else if (!isVisible(step, entry)) {
      yield problem(
        pointer,
        'STEP_OUT_OF_SCOPE',
        `"steps.${id}" is inside a for-each that "${entry.id}" is not in: keep its result in a variable`,
      )
    }
  }
  const around = [...scopesAround(entry.scope)]
  if ((references.includes('item') || references.includes('index')) && !around.some(isTurn)) {
    yield problem(
      pointer,
      'NAME_OUT_OF_SCOPE',
      `"item" and "index" exist only inside a for-each, and "${entry.id}" is in none`,
    )
  }
  if (references.includes('error') && !around.some(({ part }) => part === 'catch' || part === 'finally')) {
    yield problem(
      pointer,
      'NAME_OUT_OF_SCOPE',
      `"error" exists only inside "catch" and "finally", and "${entry.id}" is in none`,
    )
  }
}

/** Whoever reads a step must be inside every for-each that the step is inside. */
function isVisible(step: ActivityEntry, reader: ActivityEntry): boolean {
  const around = new Set(scopesAround(reader.scope))
  return [...scopesAround(step.scope)].filter(isTurn).every((turn) => around.has(turn))
}

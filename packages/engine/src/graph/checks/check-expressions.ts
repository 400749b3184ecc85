import { isJsonObject, type Json } from '@lockstep/base'
import {
  type ActivityEntry,
  type DocumentIndex,
  isLoopBody,
  isTurn,
  type PartName,
  scopesAround,
} from '../document-index.ts'
import { stepsRead } from '../graph-expression.ts'
import { type GraphProblem, problem } from '../graph-problem.ts'
import { pointerTo } from '../json-pointer.ts'
import { suggestion } from '../nearest-name.ts'
import type { ParseExpression } from '../parse-expression.ts'

/** Every `$expr` in inputs and policies: its shape, its text, and whether what it names can be seen from where it stands. */
export function* checkExpressions(index: DocumentIndex, parse: ParseExpression | undefined): Generator<GraphProblem> {
  for (const entry of index.activities) {
    for (const { pointer, value } of expressionsOf(entry)) {
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

function* expressionsOf({ document, pointer }: ActivityEntry): Generator<Found> {
  for (const part of ['inputs', 'lock', 'limit', 'breaker'] as const)
    yield* expressionsIn((document[part] ?? null) as Json, pointerTo(pointer, part))
}

function* expressionsIn(value: Json, pointer: string): Generator<Found> {
  if (Array.isArray(value)) {
    for (const [position, item] of value.entries()) yield* expressionsIn(item, pointerTo(pointer, position))
  } else if (isJsonObject(value)) {
    if (Object.hasOwn(value, '$expr')) yield { pointer, value }
    else for (const [key, member] of Object.entries(value)) yield* expressionsIn(member, pointerTo(pointer, key))
  }
}

/** Whether the steps and names that a text uses can be seen from where it stands. */
export function* checkReferences(
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
        `"steps.${id}" is inside a loop that "${entry.id}" is not in: keep its result in a variable`,
      )
    }
  }
  const around = [...scopesAround(entry.scope)]
  if (references.includes('item') && !around.some(isTurn)) {
    yield problem(
      pointer,
      'NAME_OUT_OF_SCOPE',
      `"item" exists only inside a for-each or for, and "${entry.id}" is in none`,
    )
  }
  if (references.includes('index') && entry.type?.container !== 'while' && !around.some(isLoopBody)) {
    yield problem(pointer, 'NAME_OUT_OF_SCOPE', `"index" exists only inside a loop, and "${entry.id}" is in none`)
  }
  if (references.includes('error') && !around.some(({ part }) => seesError(part))) {
    yield problem(
      pointer,
      'NAME_OUT_OF_SCOPE',
      `"error" exists only inside "catch", "finally" and "compensate", and "${entry.id}" is in none`,
    )
  }
}

const seesError = (part: PartName): boolean => part === 'catch' || part === 'finally' || part === 'compensate'

/** Whoever reads a step must be inside every for-each and for that the step is inside. */
function isVisible(step: ActivityEntry, reader: ActivityEntry): boolean {
  const around = new Set(scopesAround(reader.scope))
  return [...scopesAround(step.scope)].filter(isTurn).every((turn) => around.has(turn))
}

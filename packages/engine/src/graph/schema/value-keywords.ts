/** Keywords about a value itself: its type, what it equals, numbers and texts. */
import { canonicalJson, type Json, type JsonObject } from '@lockstep/base'
import type { Check } from './check.ts'
import { isObject, type Test } from './node.ts'
import type { SchemaTree } from './tree.ts'

export type Formats = Readonly<Record<string, (text: string) => boolean>>

export function* valueTests(schema: JsonObject, tree: SchemaTree, formats: Formats): Generator<Test, void, void> {
  yield* typeTest(schema)
  yield* numberTests(schema)
  yield* textTests(schema, tree, formats)
  yield* equalTests(schema)
}

const TYPE_TESTS: Readonly<Record<string, (value: Json) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  null: (value) => value === null,
  number: Number.isFinite,
  object: isObject,
  string: (value) => typeof value === 'string',
}

function* typeTest(schema: JsonObject): Generator<Test, void, void> {
  const { type, nullable } = schema
  if (type === undefined) return
  const types = [type, ...(nullable === true ? ['null'] : [])].flat().map(String)
  const tests = types.map((each) => TYPE_TESTS[each]!)
  const message = `must be ${types.join(',')}`
  yield (value, check) =>
    tests.some((fits) => fits(value)) ||
    check.fail(schema, 'type', message, { type: types.length === 1 ? type : types })
}

const LIMITS: readonly (readonly [keyword: string, sign: string, fits: (value: number, limit: number) => boolean])[] = [
  ['maximum', '<=', (value, limit) => value <= limit],
  ['minimum', '>=', (value, limit) => value >= limit],
  ['exclusiveMaximum', '<', (value, limit) => value < limit],
  ['exclusiveMinimum', '>', (value, limit) => value > limit],
]

function* numberTests(schema: JsonObject): Generator<Test, void, void> {
  for (const [keyword, comparison, fits] of LIMITS) {
    const limit = schema[keyword]
    if (typeof limit !== 'number') continue
    yield (value, check) =>
      typeof value !== 'number' ||
      fits(value, limit) ||
      check.fail(schema, keyword, `must be ${comparison} ${limit}`, { comparison, limit })
  }
  const { multipleOf } = schema
  if (typeof multipleOf !== 'number') return
  yield (value, check) =>
    typeof value !== 'number' ||
    Number.isInteger(value / multipleOf) ||
    check.fail(schema, 'multipleOf', `must be multiple of ${multipleOf}`, { multipleOf })
}

function* textTests(schema: JsonObject, tree: SchemaTree, formats: Formats): Generator<Test, void, void> {
  const { maxLength, minLength, pattern, format } = schema
  if (typeof maxLength === 'number')
    yield (value, check) =>
      typeof value !== 'string' ||
      // A sign is one unit or two: most texts need not be counted.
      value.length <= maxLength ||
      (value.length <= 2 * maxLength && signsOf(value, check) <= maxLength) ||
      check.fail(schema, 'maxLength', `must NOT have more than ${maxLength} characters`, { limit: maxLength })
  if (typeof minLength === 'number')
    yield (value, check) =>
      typeof value !== 'string' ||
      value.length >= 2 * minLength ||
      (value.length >= minLength && signsOf(value, check) >= minLength) ||
      check.fail(schema, 'minLength', `must NOT have fewer than ${minLength} characters`, { limit: minLength })
  if (typeof pattern === 'string') {
    const bounded = tree.pattern(pattern)
    yield (value, check) =>
      typeof value !== 'string' ||
      bounded.test(value, check.spend) ||
      check.fail(schema, 'pattern', `must match pattern "${pattern.slice(0, LONGEST_SHOWN)}"`, { pattern })
  }
  const fits = typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format] : undefined
  if (fits !== undefined)
    yield (value, check) =>
      typeof value !== 'string' ||
      fits(value) ||
      check.fail(schema, 'format', `must match format "${String(format)}"`, { format })
}

const LONGEST_SHOWN = 200
const SIGNS_A_STEP = 16

function signsOf(text: string, check: Check): number {
  check.spend(text.length / SIGNS_A_STEP)
  let count = 0
  for (const _ of text) count += 1
  return count
}

function* equalTests(schema: JsonObject): Generator<Test, void, void> {
  const { const: only, enum: among } = schema
  if (only !== undefined) {
    const isIn = setOf([only])
    yield (value, check) =>
      isIn(value, check) || check.fail(schema, 'const', 'must be equal to constant', { allowedValue: only })
  }
  if (!Array.isArray(among)) return
  const isIn = setOf(among)
  const params = { allowedValues: among }
  yield (value, check) =>
    isIn(value, check) || check.fail(schema, 'enum', 'must be equal to one of the allowed values', params)
}

function setOf(values: readonly Json[]): (value: Json, check: Check) => boolean {
  const plain = new Set(values.filter((each) => !isStructure(each)))
  const structures = new Set(values.filter(isStructure).map(canonicalJson))
  return (value, check) =>
    isStructure(value) ? structures.size > 0 && structures.has(written(value, check)) : plain.has(value)
}

const isStructure = (value: Json): boolean => typeof value === 'object' && value !== null

const LETTERS_A_STEP = 8

/** Equal for equal values. */
export function written(value: Json, check: Check): string {
  const text = canonicalJson(value)
  check.spend(1 + text.length / LETTERS_A_STEP)
  return text
}

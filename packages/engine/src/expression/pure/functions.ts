// Functions that stand on no value: conversions, `Math`, `JSON`, `Object`. Of `Math` only what IEEE 754 defines to the
// last bit; sines and powers differ between engines.

import { jsonDepth, OUTPUT_DEPTH } from '../limits.ts'
import { toNumber, toOptionalNumber, toText } from './coerce.ts'
import { type Frame, LEAVE, LONGEST_TEXT, spend, Thrown } from './frame.ts'
import { defineMember } from './property.ts'
import { measureJson } from './size.ts'

export interface StaticFunction {
  readonly most: number
  call(args: readonly unknown[], frame: Frame): unknown
}

const MANY = 10_000

function math(apply: (value: number) => number): StaticFunction {
  return { most: 1, call: ([value], frame) => apply(toNumber(value, frame)) }
}

function extreme(apply: (...values: number[]) => number): StaticFunction {
  return { most: MANY, call: (args, frame) => apply(...args.map((value) => toNumber(value, frame))) }
}

function about(test: (value: unknown) => boolean): StaticFunction {
  return { most: 1, call: ([value]) => test(value) }
}

function listing<T>(list: (value: object) => T[]): StaticFunction {
  return {
    most: 1,
    call: ([value], frame) => {
      if (value === null || value === undefined) throw new Thrown('TypeError', `cannot list the members of ${value}`)
      if (typeof value === 'string') spend(frame, value.length * 8)
      const members = list(Object(value) as object)
      spend(frame, members.length)
      return members
    },
  }
}

function fromEntries([entries]: readonly unknown[], frame: Frame): unknown {
  if (!Array.isArray(entries) || !entries.every(Array.isArray)) throw LEAVE
  spend(frame, entries.length)
  const result: Record<string, unknown> = {}
  for (const [key, value] of entries as unknown[][]) defineMember(result, toText(key, frame), value)
  return result
}

function stringify([value]: readonly unknown[], frame: Frame): unknown {
  // Members that are left out add nothing to the text, but were looked at.
  const affordable = Math.min(LONGEST_TEXT, frame.work * 8)
  const size = measureJson(value, affordable, frame.work)
  if (size.least > affordable || size.depth > OUTPUT_DEPTH) throw LEAVE
  spend(frame, size.dropped)
  const text = JSON.stringify(value)
  if (text === undefined) return undefined
  spend(frame, text.length >> 3)
  return text
}

function parseJson([value]: readonly unknown[], frame: Frame): unknown {
  const text = toText(value, frame)
  spend(frame, text.length >> 2)
  if (jsonDepth(text) > OUTPUT_DEPTH) throw LEAVE
  try {
    return JSON.parse(text)
  } catch {
    throw new Thrown('SyntaxError', 'the text is not JSON')
  }
}

/** Past whole numbers that a double holds exactly, engines may round the digits differently. */
function parseWhole([value, radix]: readonly unknown[], frame: Frame): number {
  const text = toText(value, frame)
  spend(frame, text.length >> 2)
  const base = toOptionalNumber(radix, frame)
  const result = Number.parseInt(text, base)
  if (Math.abs(result) > Number.MAX_SAFE_INTEGER) throw LEAVE
  return result
}

function parseDecimal([value]: readonly unknown[], frame: Frame): number {
  const text = toText(value, frame)
  spend(frame, text.length >> 2)
  return Number.parseFloat(text)
}

const wholeNumber: StaticFunction = { most: 2, call: parseWhole }
const decimalNumber: StaticFunction = { most: 1, call: parseDecimal }

/** Usable in place of an arrow function, as in `items.filter(Boolean)`. */
export const CONVERSIONS: ReadonlyMap<string, StaticFunction> = new Map(
  Object.entries<StaticFunction>({
    Boolean: { most: 1, call: ([value]) => Boolean(value) },
    Number: { most: 1, call: (args, frame) => (args.length === 0 ? 0 : toNumber(args[0], frame)) },
    String: { most: 1, call: (args, frame) => (args.length === 0 ? '' : toText(args[0], frame)) },
  }),
)

export const FUNCTIONS: ReadonlyMap<string, StaticFunction> = new Map([
  ...CONVERSIONS,
  ...Object.entries<StaticFunction>({
    parseInt: wholeNumber,
    parseFloat: decimalNumber,
    isNaN: { most: 1, call: ([value], frame) => Number.isNaN(toNumber(value, frame)) },
    isFinite: { most: 1, call: ([value], frame) => Number.isFinite(toNumber(value, frame)) },
    'Number.parseInt': wholeNumber,
    'Number.parseFloat': decimalNumber,
    'Number.isFinite': about(Number.isFinite),
    'Number.isInteger': about(Number.isInteger),
    'Number.isNaN': about(Number.isNaN),
    'Number.isSafeInteger': about(Number.isSafeInteger),
    'Math.abs': math(Math.abs),
    'Math.ceil': math(Math.ceil),
    'Math.floor': math(Math.floor),
    'Math.max': extreme(Math.max),
    'Math.min': extreme(Math.min),
    'Math.round': math(Math.round),
    'Math.sign': math(Math.sign),
    'Math.sqrt': math(Math.sqrt),
    'Math.trunc': math(Math.trunc),
    'Array.isArray': about(Array.isArray),
    'Object.entries': listing((value) => Object.entries(value)),
    'Object.fromEntries': { most: 1, call: fromEntries },
    'Object.keys': listing((value) => Object.keys(value)),
    'Object.values': listing((value) => Object.values(value)),
    'JSON.parse': { most: 1, call: parseJson },
    'JSON.stringify': { most: 1, call: stringify },
  }),
])

export const CONSTANTS: ReadonlyMap<string, number | undefined> = new Map([
  ['undefined', undefined],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['Math.PI', Math.PI],
  ['Math.E', Math.E],
  ['Number.EPSILON', Number.EPSILON],
  ['Number.MAX_SAFE_INTEGER', Number.MAX_SAFE_INTEGER],
  ['Number.MIN_SAFE_INTEGER', Number.MIN_SAFE_INTEGER],
])

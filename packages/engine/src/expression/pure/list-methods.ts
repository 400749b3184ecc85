// Methods of arrays that change nothing. Sorting with a function is not among them: engines may ask it about different
// pairs, and an inconsistent one would then be answered differently.

import { isObject, joinTexts, toNumber, toOptionalNumber, toText } from './coerce.ts'
import { type Frame, LEAVE, spend, Thrown } from './frame.ts'
import type { Callback, CallbackMethod, Method } from './method.ts'

type List = readonly unknown[]

/** Objects are never looked for: whether two are the same is not for this evaluator to say. */
function sought(items: List, [value]: List, frame: Frame): unknown {
  if (isObject(value)) throw LEAVE
  spend(frame, items.length >> 2)
  // Texts of one length are compared to where they differ, which may be their end.
  if (typeof value === 'string') spend(frame, items.length * (value.length >> 8))
  return value
}

function paid(result: List, frame: Frame): List {
  spend(frame, result.length >> 2)
  return result
}

/** Counts as it goes: lists may share their parts, and a few shared ones can stand for any number of items. */
function flattened(items: List, depth: number, frame: Frame): unknown[] {
  spend(frame, items.length)
  return items.flatMap((item) => (Array.isArray(item) && depth >= 1 ? flattened(item, depth - 1, frame) : [item]))
}

export const LIST_METHODS: ReadonlyMap<string, Method<List>> = new Map(
  Object.entries<Method<List>>({
    at: { most: 1, call: (items, [index], frame) => items.at(toOptionalNumber(index, frame) ?? 0) },
    concat: { most: 16, call: (items, args, frame) => paid(items.concat(...args), frame) },
    flat: { most: 1, call: (items, [depth], frame) => flattened(items, toOptionalNumber(depth, frame) ?? 1, frame) },
    includes: { most: 1, call: (items, args, frame) => items.includes(sought(items, args, frame)) },
    indexOf: { most: 1, call: (items, args, frame) => items.indexOf(sought(items, args, frame)) },
    join: {
      most: 1,
      call: (items, [separator], frame) =>
        joinTexts(items, separator === undefined ? ',' : toText(separator, frame), frame),
    },
    lastIndexOf: { most: 1, call: (items, args, frame) => items.lastIndexOf(sought(items, args, frame)) },
    slice: {
      most: 2,
      call: (items, [from, to], frame) =>
        paid(items.slice(toOptionalNumber(from, frame), toOptionalNumber(to, frame)), frame),
    },
    toReversed: { most: 0, call: (items, _args, frame) => paid(items.toReversed(), frame) },
    toString: { most: 0, call: (items: List, _args: List, frame: Frame) => joinTexts(items, ',', frame) },
  }),
)

type Test = (value: unknown, index: number) => boolean
type Search = (items: List, test: Test) => unknown

function searching(search: Search): CallbackMethod {
  return {
    most: 0,
    call: (items, callback, _rest, frame) =>
      search(items, (value, index) => Boolean(callback.call(frame, value, index, items))),
  }
}

function reducing(order: (items: List) => Iterable<number>): CallbackMethod {
  return {
    most: 1,
    call: (items, callback, rest, frame) => {
      const places = [...order(items)]
      if (rest.length === 0 && places.length === 0) throw new Thrown('TypeError', 'reduce of an empty array')
      let result = rest.length === 0 ? items[places.shift()!] : rest[0]
      for (const index of places) result = callback.call(frame, result, items[index], index, items)
      return result
    },
  }
}

function flatMapped(items: List, callback: Callback, _rest: List, frame: Frame): unknown[] {
  return items.flatMap((value, index) => {
    const mapped = callback.call(frame, value, index, items)
    if (Array.isArray(mapped)) spend(frame, mapped.length)
    return mapped
  })
}

export const CALLBACK_METHODS: ReadonlyMap<string, CallbackMethod> = new Map(
  Object.entries<CallbackMethod>({
    every: searching((items, test) => items.every(test)),
    filter: searching((items, test) => items.filter(test)),
    find: searching((items, test) => items.find(test)),
    findIndex: searching((items, test) => items.findIndex(test)),
    findLast: searching((items, test) => items.findLast(test)),
    findLastIndex: searching((items, test) => items.findLastIndex(test)),
    flatMap: { most: 0, call: flatMapped },
    map: {
      most: 0,
      call: (items, callback, _rest, frame) => items.map((value, index) => callback.call(frame, value, index, items)),
    },
    reduce: reducing((items) => items.keys()),
    reduceRight: reducing((items) => [...items.keys()].reverse()),
    some: searching((items, test) => items.some(test)),
  }),
)

/** Numbers and truth values have few. */
export const NUMBER_METHODS: ReadonlyMap<string, Method<number>> = new Map(
  Object.entries<Method<number>>({
    toFixed: {
      most: 1,
      call: (value, [digits], frame) => {
        const count = Math.trunc(toOptionalNumber(digits, frame) ?? 0) || 0
        if (count < 0 || count > 100) throw new Thrown('RangeError', 'toFixed takes 0 to 100 digits')
        return toNumber(value, frame).toFixed(count)
      },
    },
    toString: { most: 0, call: (value: number, _args: List, frame: Frame) => toText(value, frame) },
  }),
)

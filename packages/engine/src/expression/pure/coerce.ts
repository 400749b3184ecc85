// Conversions as JavaScript defines them, for the only values there are here: JSON data and `undefined`. None of them
// reaches a prototype of the host, whatever names the data has.

import { type Frame, LEAVE, LONGEST_TEXT, spend, spendText, Thrown } from './frame.ts'

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

export function toText(value: unknown, frame: Frame): string {
  switch (typeof value) {
    case 'string':
      return value
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? joinTexts(value, ',', frame) : objectText(value)
    default:
      return String(value)
  }
}

/** A member called `toString` hides the inherited one and cannot be called: then nothing is left to convert with. */
function objectText(value: object): string {
  if (Object.hasOwn(value, 'toString')) throw new Thrown('TypeError', 'cannot convert an object to a primitive value')
  return '[object Object]'
}

export function joinTexts(items: readonly unknown[], separator: string, frame: Frame): string {
  spend(frame, items.length)
  let text = ''
  for (let index = 0; index < items.length; index++) {
    const item = items[index]
    if (index > 0) text += separator
    if (item !== null && item !== undefined) text += toText(item, frame)
    if (text.length > LONGEST_TEXT) throw LEAVE
  }
  spendText(frame, text.length)
  return text
}

/** What an operator sees of an operand. Objects of JSON convert alike whether a number or a string is wanted. */
export function toPrimitive(value: unknown, frame: Frame): string | number | boolean | null | undefined {
  return isObject(value) ? toText(value, frame) : (value as string | number | boolean | null | undefined)
}

export function toNumber(value: unknown, frame: Frame): number {
  if (typeof value === 'number') return value
  const primitive = toPrimitive(value, frame)
  // Reading digits is slower than copying them.
  if (typeof primitive === 'string' && primitive.length > 64) spend(frame, primitive.length >> 2)
  return Number(primitive)
}

/** For optional positions: absent stays absent. */
export function toOptionalNumber(value: unknown, frame: Frame): number | undefined {
  return value === undefined ? undefined : toNumber(value, frame)
}

export function toKey(value: unknown, frame: Frame): string | number {
  return typeof value === 'number' || typeof value === 'string' ? value : toText(value, frame)
}

/**
 * Two objects: the sandbox works on a copy in which nothing is shared, so only it may say whether they are the same.
 */
export function strictEquals(left: unknown, right: unknown, frame: Frame): boolean {
  if (isObject(left) && isObject(right)) throw LEAVE
  if (typeof left === 'string' && typeof right === 'string') spendText(frame, left.length)
  return left === right
}

export function looseEquals(left: unknown, right: unknown, frame: Frame): boolean {
  if (typeof left === typeof right && left !== null && right !== null) return strictEquals(left, right, frame)
  if (left === null || left === undefined) return right === null || right === undefined
  if (right === null || right === undefined) return false
  const a = toPrimitive(left, frame)
  const b = toPrimitive(right, frame)
  // Of two strings, one was an object. In every other mixture of types JavaScript compares as numbers.
  return typeof a === 'string' && typeof b === 'string'
    ? strictEquals(a, b, frame)
    : toNumber(a, frame) === toNumber(b, frame)
}

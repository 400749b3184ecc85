// Reading members of data. Own members only: where JavaScript would go on to a prototype, the sandbox is asked instead,
// so no name can lead from data to a function of the host.

import { isObject } from './coerce.ts'
import { LEAVE, Thrown } from './frame.ts'

const ON_OBJECTS = names(`__defineGetter__ __defineSetter__ __lookupGetter__ __lookupSetter__ __proto__ constructor
  hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf`)
const ON_ARRAYS =
  names(`at concat copyWithin entries every fill filter find findIndex findLast findLastIndex flat flatMap
  forEach includes indexOf join keys lastIndexOf length map pop push reduce reduceRight reverse shift slice some sort
  splice toReversed toSorted toSpliced unshift values with`)
const ON_STRINGS =
  names(`anchor at big blink bold charAt charCodeAt codePointAt concat endsWith fixed fontcolor fontsize
  includes indexOf isWellFormed italics lastIndexOf length link localeCompare match matchAll normalize padEnd padStart
  repeat replace replaceAll search slice small split startsWith strike sub substr substring sup toLocaleLowerCase
  toLocaleUpperCase toLowerCase toUpperCase toWellFormed trim trimEnd trimLeft trimRight trimStart`)
const ON_NUMBERS = names('toExponential toFixed toPrecision')

function names(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}

/** Whether JavaScript would find `name` on a prototype of `value`. */
export function isInherited(value: unknown, name: string): boolean {
  if (ON_OBJECTS.has(name)) return true
  if (Array.isArray(value)) return ON_ARRAYS.has(name)
  if (typeof value === 'string') return ON_STRINGS.has(name)
  return typeof value === 'number' && ON_NUMBERS.has(name)
}

/** The value of an optional chain that met nothing: passes through the rest of the chain, which ends in `undefined`. */
export const SHORT = Symbol('short circuit')

export function readProperty(value: unknown, key: string | number): unknown {
  switch (typeof value) {
    case 'object':
      if (value === null) break
      return Object.hasOwn(value, key) ? (value as Record<string | number, unknown>)[key] : missing(value, key)
    case 'string':
      return readOfText(value, key)
    case 'undefined':
      break
    case 'symbol':
      return SHORT
    default:
      return missing(value, key)
  }
  throw new Thrown('TypeError', `cannot read "${key}" of ${value}`)
}

function readOfText(value: string, key: string | number): unknown {
  if (key === 'length') return value.length
  const index = typeof key === 'number' ? key : indexOfKey(key)
  if (index !== undefined && Number.isInteger(index) && index >= 0 && index < value.length) return value[index]
  return missing(value, key)
}

/** `undefined`: the text is not how a number is written, so it is an ordinary name. */
function indexOfKey(key: string): number | undefined {
  const index = Number(key)
  return String(index) === key ? index : undefined
}

function missing(value: unknown, key: string | number): undefined {
  if (typeof key === 'string' && isInherited(value, key)) throw LEAVE
  return undefined
}

/** The `in` operator. */
export function hasProperty(value: unknown, key: string | number): boolean {
  if (!isObject(value)) throw new Thrown('TypeError', 'the right side of "in" is not an object')
  if (Object.hasOwn(value, key)) return true
  if (typeof key === 'string' && isInherited(value, key)) throw LEAVE
  return false
}

/** A plain assignment would change the prototype when the key is `__proto__`. */
export function defineMember(target: Record<string, unknown>, key: string | number, value: unknown): void {
  if (key === '__proto__') {
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true })
  } else {
    target[key] = value
  }
}

import type { BinaryOperator, UnaryOperator } from 'acorn'
import { looseEquals, strictEquals, toKey, toNumber, toPrimitive, toText } from './coerce.ts'
import { type Frame, LEAVE, spendText } from './frame.ts'
import { hasProperty } from './property.ts'

type Binary = (left: unknown, right: unknown, frame: Frame) => unknown
type Unary = (value: unknown, frame: Frame) => unknown

export function add(left: unknown, right: unknown, frame: Frame): unknown {
  if (typeof left === 'number' && typeof right === 'number') return left + right
  const a = toPrimitive(left, frame)
  const b = toPrimitive(right, frame)
  if (typeof a !== 'string' && typeof b !== 'string') return toNumber(a, frame) + toNumber(b, frame)
  const text = toText(a, frame) + toText(b, frame)
  spendText(frame, text.length)
  return text
}

function arithmetic(apply: (left: number, right: number) => number): Binary {
  return (left, right, frame) => {
    if (typeof left === 'number' && typeof right === 'number') return apply(left, right)
    return apply(toNumber(left, frame), toNumber(right, frame))
  }
}

/**
 * JSON has one zero and JavaScript two, so data loses the sign of a zero on its way into the sandbox. Only a division
 * by zero can show it: there the sandbox decides.
 */
function divide(left: number, right: number): number {
  if (right === 0) throw LEAVE
  return left / right
}

function relation(numbers: (a: number, b: number) => boolean, texts: (a: string, b: string) => boolean): Binary {
  return (left, right, frame) => {
    if (typeof left === 'number' && typeof right === 'number') return numbers(left, right)
    const a = toPrimitive(left, frame)
    const b = toPrimitive(right, frame)
    if (typeof a !== 'string' || typeof b !== 'string') return numbers(toNumber(a, frame), toNumber(b, frame))
    spendText(frame, Math.max(a.length, b.length))
    return texts(a, b)
  }
}

/** Not here: `**`, whose last bit differs between engines, and `instanceof`, which is about prototypes. */
export const BINARY: Readonly<Partial<Record<BinaryOperator, Binary>>> = {
  '+': add,
  '-': arithmetic((a, b) => a - b),
  '*': arithmetic((a, b) => a * b),
  '/': arithmetic(divide),
  '%': arithmetic((a, b) => a % b),
  '&': arithmetic((a, b) => a & b),
  '|': arithmetic((a, b) => a | b),
  '^': arithmetic((a, b) => a ^ b),
  '<<': arithmetic((a, b) => a << b),
  '>>': arithmetic((a, b) => a >> b),
  '>>>': arithmetic((a, b) => a >>> b),
  '<': relation(
    (a, b) => a < b,
    (a, b) => a < b,
  ),
  '<=': relation(
    (a, b) => a <= b,
    (a, b) => a <= b,
  ),
  '>': relation(
    (a, b) => a > b,
    (a, b) => a > b,
  ),
  '>=': relation(
    (a, b) => a >= b,
    (a, b) => a >= b,
  ),
  '===': strictEquals,
  '!==': (left, right, frame) => !strictEquals(left, right, frame),
  '==': looseEquals,
  '!=': (left, right, frame) => !looseEquals(left, right, frame),
  in: (left, right, frame) => hasProperty(right, toKey(left, frame)),
}

export const UNARY: Readonly<Partial<Record<UnaryOperator, Unary>>> = {
  '+': toNumber,
  '-': (value, frame) => -toNumber(value, frame),
  '!': (value) => !value,
  '~': (value, frame) => ~toNumber(value, frame),
  typeof: (value) => typeof value,
  void: () => undefined,
}

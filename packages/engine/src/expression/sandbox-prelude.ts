import { SCOPE_NAMES } from './scope.ts'

/**
 * Guest code, run once before the memory of the machine is copied. Takes away what would make two evaluations differ, and
 * code made from text; then gives the function that runs a program. It holds on to the intrinsics it needs, since a
 * program may replace them for itself.
 *
 * The function answers one string: `v` and JSON; `u` for undefined; `o` when the JSON is too long; `e` and JSON of the
 * name and message of what was thrown.
 */
export const PRELUDE = `(() => {
  'use strict'
  const { parse, stringify } = JSON
  const { defineProperty, getPrototypeOf } = Object
  const { construct } = Reflect
  const { Date: RealDate, Function: RealFunction, Promise: RealPromise, String: text } = globalThis
  const slice = RealFunction.prototype.call.bind(text.prototype.slice)
  const refuse = (what, why) => { throw new TypeError(what + ' is not available: ' + why) }
  const always = 'an expression gives the same answer every time it is evaluated'

  const KnownDate = function Date(...parts) {
    if (new.target === undefined || parts.length === 0) refuse('The current time', always)
    return construct(RealDate, parts, new.target)
  }
  const hide = (target, name, value) => defineProperty(target, name, { value, writable: true, configurable: true, enumerable: false })
  defineProperty(KnownDate, 'prototype', { value: RealDate.prototype, writable: false })
  hide(KnownDate, 'UTC', RealDate.UTC)
  hide(KnownDate, 'parse', RealDate.parse)
  hide(KnownDate, 'now', function now() { refuse('The current time', always) })
  hide(RealDate.prototype, 'constructor', KnownDate)
  hide(globalThis, 'Date', KnownDate)
  hide(Math, 'random', function random() { refuse('Randomness', always) })

  const NoCode = function Function() { refuse('Code made from text', 'write it into the expression') }
  defineProperty(NoCode, 'prototype', { value: RealFunction.prototype, writable: false })
  for (const sample of [function () {}, function* () {}, async function () {}, async function* () {}]) {
    hide(getPrototypeOf(sample), 'constructor', NoCode)
  }
  hide(globalThis, 'Function', NoCode)
  delete globalThis.eval

  const describe = (error) => {
    try {
      const known = error !== null && (typeof error === 'object' || typeof error === 'function')
      const name = (known ? error.name : undefined) ?? 'Error'
      const message = known ? error.message ?? '' : error
      return stringify([slice(text(name), 0, 100), slice(text(message), 0, 1000)])
    } catch {
      return '["Error","what it threw cannot be read"]'
    }
  }

  return (program, scopeText, longest) => {
    const { ${SCOPE_NAMES.join(', ')} } = parse(scopeText)
    try {
      const value = program(${SCOPE_NAMES.join(', ')})
      if (value instanceof RealPromise) throw new TypeError('A promise is not an answer: expressions do not wait')
      const json = stringify(value)
      if (json === undefined) return 'u'
      return json.length > longest ? 'o' : 'v' + json
    } catch (error) {
      return 'e' + describe(error)
    }
  }
})()`

// Methods of strings whose answer no table of Unicode, no locale and no regular expression can change.

import { toNumber, toOptionalNumber, toText } from './coerce.ts'
import { type Frame, LEAVE, LONGEST_TEXT, spend, spendText, Thrown } from './frame.ts'
import type { Method } from './method.ts'

type TextMethod = Method<string>

/**
 * A search compares at worst every place of the text with all of what is sought, and going from place to place costs as
 * much as eight comparisons. One character alone is found without either.
 */
function searchable(text: string, sought: string, frame: Frame): string {
  const places = Math.max(0, text.length - sought.length + 1)
  spend(frame, sought.length < 2 ? text.length >> 4 : Math.floor((places * Math.max(sought.length, 8)) / 64))
  return sought
}

/** Looks at one place only. */
function comparable(text: string, sought: string, frame: Frame): string {
  spend(frame, Math.min(text.length, sought.length) >> 6)
  return sought
}

type Priced = (text: string, sought: string, frame: Frame) => string

function found(priced: Priced, apply: (text: string, sought: string, from: number | undefined) => unknown): TextMethod {
  return {
    most: 2,
    call: (text, args, frame) => {
      const sought = priced(text, toText(args[0], frame), frame)
      return apply(text, sought, toOptionalNumber(args[1], frame))
    },
  }
}

/** No more parts are made than can be paid for. */
function divided(text: string, separator: string, frame: Frame): string[] {
  const parts = text.split(searchable(text, separator, frame), frame.work + 1)
  spend(frame, parts.length)
  return parts
}

function at(apply: (text: string, position: number) => unknown): TextMethod {
  return { most: 1, call: (text, [position], frame) => apply(text, toOptionalNumber(position, frame) ?? 0) }
}

function part(apply: (text: string, from: number, to: number | undefined) => string): TextMethod {
  return {
    most: 2,
    call: (text, [from, to], frame) => {
      spendText(frame, text.length)
      return apply(text, toOptionalNumber(from, frame) ?? 0, toOptionalNumber(to, frame))
    },
  }
}

function whole(apply: (text: string) => string): TextMethod {
  return {
    most: 0,
    call: (text, _args, frame) => {
      if (text.length > 64) spend(frame, text.length >> 4)
      return apply(text)
    },
  }
}

/** Past these two blocks of Latin letters, case depends on the Unicode version of the engine and on neighbours. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range begins where Unicode does
const SETTLED_CASE = /^[\u0000-\u017f]*$/

function cased(apply: (text: string) => string): TextMethod {
  return whole((text) => {
    if (!SETTLED_CASE.test(text)) throw LEAVE
    return apply(text)
  })
}

function padded(apply: (text: string, length: number, fill: string) => string): TextMethod {
  return {
    most: 2,
    call: (text, args, frame) => {
      const length = toNumber(args[0], frame)
      if (!(length >= text.length + 1)) return text
      if (length > LONGEST_TEXT) throw LEAVE
      const fill = args[1] === undefined ? ' ' : toText(args[1], frame)
      const result = apply(text, length, fill)
      spendText(frame, result.length)
      return result
    },
  }
}

function replaced(apply: (text: string, sought: string, by: string, frame: Frame) => string): TextMethod {
  return {
    most: 2,
    call: (text, args, frame) => {
      const sought = toText(args[0], frame)
      const by = toText(args[1], frame)
      if (by.includes('$')) throw LEAVE
      const result = apply(text, sought, by, frame)
      spendText(frame, result.length)
      return result
    },
  }
}

function replaceFirst(text: string, sought: string, by: string, frame: Frame): string {
  return text.replace(searchable(text, sought, frame), by)
}

function replaceEvery(text: string, sought: string, by: string, frame: Frame): string {
  // Nothing is found before, between and after all characters.
  const parts = sought === '' ? ['', ...divided(text, '', frame), ''] : divided(text, sought, frame)
  if (text.length + parts.length * by.length > LONGEST_TEXT) throw LEAVE
  return parts.join(by)
}

const concat: TextMethod = {
  most: 16,
  call: (text, args, frame) => {
    let result = text
    for (const arg of args) {
      result += toText(arg, frame)
      spendText(frame, result.length)
    }
    return result
  },
}

const repeat: TextMethod = {
  most: 1,
  call: (text, [times], frame) => {
    const count = Math.trunc(toNumber(times, frame)) || 0
    if (count < 0 || count === Number.POSITIVE_INFINITY) throw new Thrown('RangeError', 'invalid repeat count')
    if (Math.max(text.length, 1) * count > LONGEST_TEXT) throw LEAVE
    spendText(frame, text.length * count)
    return text.repeat(count)
  },
}

const split: TextMethod = {
  most: 1,
  call: (text, [separator], frame) => {
    if (separator === undefined) return [text]
    return divided(text, toText(separator, frame), frame)
  },
}

const lastIndexOf: TextMethod = {
  most: 1,
  call: (text, [sought], frame) => text.lastIndexOf(searchable(text, toText(sought, frame), frame)),
}

export const TEXT_METHODS: ReadonlyMap<string, TextMethod> = new Map(
  Object.entries({
    at: at((text, position) => text.at(position)),
    charAt: at((text, position) => text.charAt(position)),
    charCodeAt: at((text, position) => text.charCodeAt(position)),
    codePointAt: at((text, position) => text.codePointAt(position)),
    concat,
    endsWith: found(comparable, (text, sought, end) => text.endsWith(sought, end)),
    includes: found(searchable, (text, sought, from) => text.includes(sought, from)),
    indexOf: found(searchable, (text, sought, from) => text.indexOf(sought, from)),
    lastIndexOf,
    padEnd: padded((text, length, fill) => text.padEnd(length, fill)),
    padStart: padded((text, length, fill) => text.padStart(length, fill)),
    repeat,
    replace: replaced(replaceFirst),
    replaceAll: replaced(replaceEvery),
    slice: part((text, from, to) => text.slice(from, to)),
    split,
    startsWith: found(comparable, (text, sought, from) => text.startsWith(sought, from)),
    substring: part((text, from, to) => text.substring(from, to)),
    toLowerCase: cased((text) => text.toLowerCase()),
    toString: whole((text) => text),
    toUpperCase: cased((text) => text.toUpperCase()),
    trim: whole((text) => text.trim()),
    trimEnd: whole((text) => text.trimEnd()),
    trimStart: whole((text) => text.trimStart()),
  }),
)
